/**
 * pearl-ngram from CSV to Parquet, beside scikit-learn's HashingVectorizer on the same file.
 *
 *     npm run build && node benchmarks/ngram-speed.mjs [--rows 300000] [--rounds 3]
 *
 * pearl reads the CSV, makes 256 coordinates a phrase and writes them to Parquet (the whole command, start
 * included). The peer reads the CSV with Python's csv module and hashes the same n-grams (char_wb, 3 to 4)
 * into 256 sparse coordinates, and writes nothing. They take turns; medians are compared.
 * Phrases: two names or words each from ../shared/data, seeded.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, cpus, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { gunzipSync } from "node:zlib";

const root = fileURLToPath(new URL("..", import.meta.url));
const { values: options } = parseArgs({
  options: {
    rows: { type: "string", default: "300000" },
    rounds: { type: "string", default: "3" },
    data: { type: "string", default: resolve(root, "../shared/data") },
    json: { type: "string", default: join(root, "benchmarks/results/ngram-speed.json") },
  },
});
const rows = Number(options.rows);
const folder = mkdtempSync(join(tmpdir(), "pearl-bench-"));

const PEER = `
import csv, sys, time
from sklearn.feature_extraction.text import HashingVectorizer
start = time.perf_counter()
with open(sys.argv[1], newline="", encoding="utf-8") as file:
    names = [row["name"] for row in csv.DictReader(file)]
matrix = HashingVectorizer(analyzer="char_wb", ngram_range=(3, 4), n_features=256).transform(names)
print(len(names) / (time.perf_counter() - start))
`;

writeTable(join(folder, "phrases.csv"));
const pearl = [];
const peer = [];
for (let round = 0; round < Number(options.rounds); round++) {
  pearl.push(runPearl());
  const rate = runPeer();
  if (rate !== undefined) peer.push(rate);
}
const result = {
  task: "pearl-ngram, CSV to Parquet",
  rows,
  cores: availableParallelism(),
  cpu: cpus()[0].model,
  node: process.version,
  pearlPhrasesPerSecond: pearl.map(Math.round),
  peer: "scikit-learn HashingVectorizer(char_wb, 3-4, 256), CSV to sparse matrix, nothing written",
  peerPhrasesPerSecond: peer.map(Math.round),
  ratio: peer.length === 0 ? null : Number((median(pearl) / median(peer)).toFixed(2)),
};
rmSync(folder, { recursive: true });
writeFileSync(options.json, `${JSON.stringify(result, null, 2)}\n`);
console.log(`pearl encode:      ${Math.round(median(pearl))} phrases/s, CSV to Parquet`);
if (peer.length === 0) console.log("HashingVectorizer: not measured (python3 with scikit-learn is not here)");
else console.log(`HashingVectorizer: ${Math.round(median(peer))} phrases/s; ratio ${result.ratio}`);

function writeTable(/** @type {string} */ path) {
  const lines = (/** @type {string} */ file) =>
    gunzipSync(readFileSync(join(options.data, file)))
      .toString()
      .split("\n")
      .filter(Boolean);
  const parts = [
    ...lines("words/words.txt.gz"),
    ...lines("train/pairs/names.tsv.gz").map((line) => line.split("\t")[0]),
  ];
  let state = 7;
  const next = () => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return parts[state % parts.length].replaceAll('"', '""');
  };
  let text = "id,name\n";
  for (let i = 0; i < rows; i++) text += `${i},"${next()} ${next()}"\n`;
  writeFileSync(path, text);
}

function runPearl() {
  const started = performance.now();
  execFileSync(process.execPath, [join(root, "dist/cli/main.js"), "encode", "phrases.csv", "-q"], {
    cwd: folder,
  });
  return rows / ((performance.now() - started) / 1000);
}

function runPeer() {
  const { status, stdout } = spawnSync("/usr/bin/python3", ["-c", PEER, join(folder, "phrases.csv")], {
    encoding: "utf8",
  });
  return status === 0 ? Number(stdout) : undefined;
}

function median(/** @type {number[]} */ values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}
