/**
 * Measures the speed of an embedded model from CSV to Parquet, compared with scikit-learn's
 * HashingVectorizer.
 *
 *     npm run build && node benchmarks/model-speed.mjs [--model pearl-mini] [--phrases two-names|names]
 *       [--rows 300000] [--rounds 3] [--json FILE]
 *
 * pearl reads the CSV, encodes each phrase and writes the embeddings to Parquet; the time is that of the
 * whole command. The record also holds the processor seconds of all threads, the peak resident memory, and
 * the time in which a new process loads the model and encodes one phrase. scikit-learn reads the CSV with
 * Python's csv module, hashes n-grams (char_wb, 3 to 4) into 256 sparse dimensions, and writes
 * nothing. Both take turns; medians are compared. A phrase consists of two names or words from
 * ../shared/data, drawn with a seed (5 words on average); with `--phrases names`, phrases are distinct names
 * (3 words on average).
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { basename, join } from "node:path";
import { readOptions, root } from "../scripts/options.mjs";
import { readRows } from "../scripts/training-tables.mjs";
import { machine, measuredPearl, median, printedBy, round, writeRecord } from "./measuring.mjs";

const { values: options } = readOptions(
  "model=pearl-mini phrases=two-names rows=300000 rounds=3 data= json",
  { threads: String(availableParallelism()) },
);
const { model, phrases, threads } = options;
const rows = Number(options.rows);
const name = basename(model);
const folder = mkdtempSync(join(tmpdir(), "pearl-bench-"));
const table = join(folder, "phrases.csv");

const PEER = `
import csv, sys, time
from sklearn.feature_extraction.text import HashingVectorizer
start = time.perf_counter()
with open(sys.argv[1], newline="", encoding="utf-8") as file:
    names = [row["name"] for row in csv.DictReader(file)]
matrix = HashingVectorizer(analyzer="char_wb", ngram_range=(3, 4), n_features=256).transform(names)
print(len(names) / (time.perf_counter() - start))
`;
const LOAD = `
import { PhraseEncoder } from ${JSON.stringify(join(root, "dist/encoder/phrase-encoder.js"))};
const start = performance.now();
const encoder = await PhraseEncoder.load(${JSON.stringify(model)});
await encoder.encode(["New York Times"]);
console.log(performance.now() - start);
await encoder.dispose();
`;

const firstCells = (/** @type {string} */ file) =>
  Array.from(readRows(join(options.data, file)), ([cell]) => cell);

/** Two names or words a row. */
function twoNames() {
  const parts = ["words/words.txt.gz", "train/pairs/names.tsv.gz"].flatMap(firstCells);
  let state = 7;
  const next = () => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return parts[state % parts.length];
  };
  return Array.from({ length: rows }, () => `${next()} ${next()}`);
}

/** Distinct names, with and without a type. */
function distinctNames() {
  const names = [...new Set(["train/pairs/names.tsv.gz", "train/types.tsv.gz"].flatMap(firstCells))];
  if (names.length >= rows) return names.slice(0, rows);
  throw new Error(`${options.data} has ${names.length} names, expected at least ${rows}`);
}

/** Phrases per second, or undefined where Python lacks scikit-learn. */
function runPeer() {
  const { status, stdout } = spawnSync("/usr/bin/python3", ["-c", PEER, table], { encoding: "utf8" });
  return status === 0 ? Number(stdout) : undefined;
}

const cells = phrases === "names" ? distinctNames() : twoNames();
const lines = cells.map((cell, row) => `${row},"${cell.replaceAll('"', '""')}"\n`);
writeFileSync(table, `id,name\n${lines.join("")}`);
const rounds = [];
for (let turn = 0; turn < Number(options.rounds); turn++) {
  const load = printedBy(["--input-type=module", "-e", LOAD]);
  const encode = ["encode", "phrases.csv", "--model", model, "--threads", threads, "-q"];
  rounds.push({ load, ...(await measuredPearl(encode, { cwd: folder })), peer: runPeer() });
}
rmSync(folder, { recursive: true });
const pearl = rounds.map(({ seconds }) => Math.round(rows / seconds));
const peer = rounds.flatMap((round) => (round.peer === undefined ? [] : [Math.round(round.peer)]));
const record = {
  ...{ task: `${name}, CSV to Parquet`, phrases, rows, threads: Number(threads), machine: machine() },
  pearlPhrasesPerSecond: pearl,
  processorSeconds: rounds.map(({ processorSeconds }) => round(processorSeconds, 2)),
  peakMegabytes: rounds.map(({ peakMegabytes }) => Math.round(peakMegabytes)),
  loadMilliseconds: rounds.map(({ load }) => Math.round(load)),
  peer: "scikit-learn HashingVectorizer(char_wb, 3-4, 256), CSV to sparse matrix, nothing written",
  peerPhrasesPerSecond: peer,
  ratio: peer.length === 0 ? "python3 cannot import sklearn" : round(median(pearl) / median(peer), 2),
};
writeRecord(
  record,
  options.json ?? join(root, `benchmarks/results/${name.replace(/^pearl-/, "")}-speed.json`),
);
