/**
 * Builds an index from a table, adds a row and searches it, as `pearl index` and `pearl search` do.
 * Run: node examples/search-index.mjs
 */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { indexTable, PhraseEncoder, searchPhrases, VectorIndex } from "pearl-embeddings";

const path = join(mkdtempSync(join(tmpdir(), "pearl-")), "phrases.index");
const encoder = await PhraseEncoder.load();
await indexTable("data/phrases.csv", path, encoder);

const index = await VectorIndex.open(path);
const [vector] = await encoder.encode(["Neue Zürcher Zeitung"]);
const cells = [["66", "Neue Zürcher Zeitung", "newspaper"]];
await index.add({ vectors: vector, cells }, { fingerprint: await encoder.fingerprint() });

const queries = ["new york tmes", "zürcher zeitung"];
const found = await searchPhrases(index, encoder, queries, { k: 2 });
for (const [row, query] of queries.entries()) {
  const hits = found[row].map(({ score, cells }) => `${cells.phrase} ${score.toFixed(2)}`);
  console.log(`${query}: ${hits.join(", ")}`);
}
await index.close();
await encoder.dispose();
