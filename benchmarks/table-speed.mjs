/**
 * Measures src/table alone: reading a table, streaming its phrases, receiving embeddings, writing the output.
 *
 *   npm run build && node benchmarks/table-speed.mjs [--rows 1000000] [--dimension 256] [--format parquet]
 *     [--input csv|tsv|jsonl|text|crlf] [--json FILE]
 *
 * The rows are synthetic (id, name, city). No model is loaded, so the speed is an upper bound for any
 * encoder.
 */
import { createWriteStream } from "node:fs";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { EmbeddingWriter, Table } from "../dist/index.js";
import { readOptions } from "../scripts/options.mjs";
import { machine, writeRecord } from "./measuring.mjs";

const { values } = readOptions("rows=1000000 dimension=256 format=parquet input=csv json");
const rows = Number(values.rows);
const dimension = Number(values.dimension);

const company = (row) => `Some Company ${(row * 7919) % rows} Ltd.`;
const city = (row) => `Springfield ${row % 97}`;
/** One generated row in the input's format. */
const rowWriters = {
  csv: (row) => `${row},${company(row)},${city(row)}\n`,
  crlf: (row) => `${row},${company(row)},${city(row)}\r\n`,
  tsv: (row) => `${row}\t${company(row)}\t${city(row)}\n`,
  jsonl: (row) => `${JSON.stringify({ id: row, name: company(row), city: city(row) })}\n`,
  text: (row) => `${company(row)}\n`,
};
const headers = { csv: "id,name,city\n", crlf: "id,name,city\r\n", tsv: "id\tname\tcity\n" };
const extensions = { crlf: "csv", text: "txt" };

/** The text of the table, 2,000 rows at a time. */
function* inputParts() {
  const write = rowWriters[values.input];
  if (headers[values.input]) yield headers[values.input];
  for (let first = 0; first < rows; first += 2000)
    yield Array.from({ length: Math.min(2000, rows - first) }, (_, at) => write(first + at)).join("");
}

const folder = await mkdtemp(join(tmpdir(), "pearl-table-speed-"));
try {
  const input = join(folder, `input.${extensions[values.input] ?? values.input}`);
  const output = join(folder, `output.${values.format}`);
  await pipeline(inputParts, createWriteStream(input));

  const stages = [];
  const beginning = performance.now();
  let last = beginning;
  const stage = (name) => {
    const seconds = (performance.now() - last) / 1000;
    stages.push({ name, seconds, rowsPerSecond: Math.round(rows / seconds) });
    last = performance.now();
  };

  const table = await Table.open(input, { column: values.input === "text" ? undefined : "name" });
  stage("read");
  let seen = 0;
  for await (const chunk of table.phrases()) seen += chunk.length;
  if (seen !== rows) throw new Error(`expected ${rows} phrases, found ${seen}`);
  stage("phrases");
  const writer = await EmbeddingWriter.create(table, output, { dimension, fingerprint: "speed" });
  const chunk = Float32Array.from({ length: 8192 * dimension }, (_, index) => Math.sin(index) / 16);
  for (let row = 0; row < rows; row += 8192) {
    await writer.append(chunk.subarray(0, Math.min(8192, rows - row) * dimension));
  }
  stage("append");
  const { bytes } = await writer.finish();
  stage("finish");
  await table.close();

  const seconds = (last - beginning) / 1000;
  const record = {
    ...{
      benchmark: "table-speed",
      rows,
      dimension,
      input: values.input,
      inputBytes: (await stat(input)).size,
    },
    ...{
      format: values.format,
      outputBytes: bytes,
      stages,
      seconds,
      rowsPerSecond: Math.round(rows / seconds),
    },
    ...{ peakMemoryMB: Math.round(process.resourceUsage().maxRSS / 1024), machine: machine() },
  };
  writeRecord(record, values.json);
} finally {
  await rm(folder, { recursive: true, force: true });
}
