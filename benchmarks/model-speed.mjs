/**
 * Measures the speed of an embedded model from CSV to Parquet, compared with scikit-learn's
 * HashingVectorizer.
 *
 *     npm run build && node benchmarks/model-speed.mjs [--model pearl-mini] [--phrases two-names|names]
 *       [--rows 300000] [--rounds 3]
 *
 * pearl reads the CSV, encodes each phrase and writes the embeddings to Parquet; the time is that of the
 * whole command. The record also holds the processor seconds of all threads, the peak resident memory, and
 * the time in which a new process loads the model and encodes one phrase. scikit-learn reads the CSV with
 * Python's csv module, hashes n-grams (char_wb, 3 to 4) into 256 sparse dimensions, and writes
 * nothing. Both take turns; medians are compared. A phrase consists of two names or words from
 * ../shared/data, drawn with a seed (5 words on average); with `--phrases names`, phrases are distinct names
 * (3 words on average).
 */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, cpus, tmpdir } from "node:os";
import { basename, join } from "node:path";
import { readRows } from "../scripts/training-tables.mjs";
import { median, readOptions, root } from "./measuring.mjs";

const { values: options } = readOptions(
  "model=pearl-mini phrases=two-names rows=300000 rounds=3 data= json",
  { threads: String(availableParallelism()) },
);
const name = basename(options.model);
const json = options.json ?? join(root, `benchmarks/results/${name.replace(/^pearl-/, "")}-speed.json`);
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

/** A module that prints processor seconds and peak resident memory in kB to stderr when the process exits. */
const REPORT_USAGE =
  "data:text/javascript,process.on('exit',()=>{const u=process.resourceUsage();" +
  "process.stderr.write(JSON.stringify([(u.userCPUTime+u.systemCPUTime)/1e6,u.maxRSS])+'\\n')})";
const LOAD = `
import { PhraseEncoder } from ${JSON.stringify(join(root, "dist/encoder/phrase-encoder.js"))};
const start = performance.now();
const encoder = await PhraseEncoder.load(${JSON.stringify(options.model)});
await encoder.encode(["New York Times"]);
console.log(performance.now() - start);
await encoder.dispose();
`;

writeTable(join(folder, "phrases.csv"));
writeFileSync(join(folder, "load.mjs"), LOAD);
const loading = [];
const processor = [];
const memory = [];
const pearl = [];
const peer = [];
for (let round = 0; round < Number(options.rounds); round++) {
  loading.push(Number(execFileSync(process.execPath, [join(folder, "load.mjs")], { encoding: "utf8" })));
  pearl.push(runPearl());
  const rate = runPeer();
  if (rate !== undefined) peer.push(rate);
}
const result = {
  task: `${name}, CSV to Parquet`,
  phrases: options.phrases,
  rows,
  cores: availableParallelism(),
  threads: Number(options.threads),
  cpu: cpus()[0].model,
  node: process.version,
  pearlPhrasesPerSecond: pearl.map(Math.round),
  processorSeconds: processor.map((seconds) => Number(seconds.toFixed(2))),
  peakMegabytes: memory.map((kilobytes) => Math.round(kilobytes / 1000)),
  loadMilliseconds: loading.map(Math.round),
  peer: "scikit-learn HashingVectorizer(char_wb, 3-4, 256), CSV to sparse matrix, nothing written",
  peerPhrasesPerSecond: peer.map(Math.round),
  ratio: peer.length === 0 ? null : Number((median(pearl) / median(peer)).toFixed(2)),
};
rmSync(folder, { recursive: true });
writeFileSync(json, `${JSON.stringify(result, null, 2)}\n`);
console.log(`pearl encode:      ${Math.round(median(pearl))} phrases/s, CSV to Parquet`);
console.log(
  `                   ${median(processor).toFixed(1)} processor seconds, ${Math.round(median(memory) / 1000)} MB peak memory, ` +
    `loaded in ${Math.round(median(loading))} ms`,
);
if (peer.length === 0) console.log("HashingVectorizer: not measured (python3 cannot import sklearn)");
else console.log(`HashingVectorizer: ${Math.round(median(peer))} phrases/s; ratio ${result.ratio}`);

function writeTable(/** @type {string} */ path) {
  if (options.phrases === "names") return writeNames(path);
  const parts = ["words/words.txt.gz", "train/pairs/names.tsv.gz"].flatMap(firstCells);
  let state = 7;
  const next = () => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return parts[state % parts.length].replaceAll('"', '""');
  };
  let text = "id,name\n";
  for (let i = 0; i < rows; i++) text += `${i},"${next()} ${next()}"\n`;
  writeFileSync(path, text);
}

const firstCells = (/** @type {string} */ file) =>
  Array.from(readRows(join(options.data, file)), ([cell]) => cell);

/** Writes distinct names, with and without a type. */
function writeNames(/** @type {string} */ path) {
  const names = new Set(["train/pairs/names.tsv.gz", "train/types.tsv.gz"].flatMap(firstCells));
  if (names.size < rows)
    throw new Error(`${options.data} has ${names.size} names, expected at least ${rows}`);
  const cells = [...names].slice(0, rows).map((name, i) => `${i},"${name.replaceAll('"', '""')}"\n`);
  writeFileSync(path, `id,name\n${cells.join("")}`);
}

function runPearl() {
  const started = performance.now();
  const main = join(root, "dist/cli/main.js");
  const { model, threads } = options;
  const { status, stderr } = spawnSync(
    process.execPath,
    ["--import", REPORT_USAGE, main, "encode", "phrases.csv", "--model", model, "--threads", threads, "-q"],
    { cwd: folder, encoding: "utf8" },
  );
  if (status !== 0) throw new Error(stderr);
  const rate = rows / ((performance.now() - started) / 1000);
  const [seconds, kilobytes] = JSON.parse(stderr.trim().split("\n").at(-1) ?? "");
  processor.push(seconds);
  memory.push(kilobytes);
  return rate;
}

function runPeer() {
  const { status, stdout } = spawnSync("/usr/bin/python3", ["-c", PEER, join(folder, "phrases.csv")], {
    encoding: "utf8",
  });
  return status === 0 ? Number(stdout) : undefined;
}
