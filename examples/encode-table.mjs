/** Encodes a column of a table and writes the embeddings to Parquet. Run: node examples/encode-table.mjs */
import { tmpdir } from "node:os";
import { join } from "node:path";
import { encodeTable, PhraseEncoder } from "pearl-embeddings";

const encoder = await PhraseEncoder.load();
const output = join(tmpdir(), "phrases.parquet");
const report = await encodeTable("data/phrases.csv", output, encoder, { table: { column: "phrase" } });
console.log(`${report.rows} rows × ${report.dimension} dimensions`);
await encoder.dispose();
