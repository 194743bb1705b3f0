/**
 * Matching without labels or flags beside GoldenMatch and Splink, in one run: F1 (precision, recall) of each set, and the means.
 *
 *     python3 -m venv peers && peers/bin/pip install goldenmatch polars scikit-learn splink
 *     npm run build && node benchmarks/peers.mjs [FOLDER ...] [--python peers/bin/python] [--precision 0.9] [--model none]
 *       [--timeout 600] [--json FILE]
 *
 *   FOLDER     sets in the layout of `pearl bench --task er`, or folders of them; default ../shared/data/er
 *   --timeout  seconds for a peer and a set
 *
 * pearl is the join and the dedupe of the commands; pairs count also where the promise is refused. What the peers do is in
 * peers.py. A tool that stops with an error, or takes too long, has found nothing: F1 is 0. The means are over sets with whole
 * gold; where it is incomplete, pairs outside it may be right, and only recall counts.
 */
import { execFileSync } from "node:child_process";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { pairScores } from "../dist/benchmark/metrics.js";
import { readErSet } from "../dist/benchmark/tasks/er.js";
import { PhraseEncoder } from "../dist/encoder/phrase-encoder.js";
import { mean } from "../dist/statistics.js";
import { readOptions } from "../scripts/options.mjs";
import { foundPairs, machine, round, setFolders, stopwatch, writeRecord } from "./measuring.mjs";

const { values, positionals } = readOptions("python=python3 precision=0.9 model timeout=600 json");
const target = Number(values.precision);

/** Runs Python. @returns what it printed, or the last line of its trouble */
function python(...parameters) {
  const streams = { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"], maxBuffer: 2 ** 30 };
  try {
    const timeout = 1000 * values.timeout;
    return { output: execFileSync(values.python, parameters, { ...streams, timeout }) };
  } catch (error) {
    if (error.code === "ETIMEDOUT") return { trouble: `no answer in ${values.timeout} s` };
    const lines = String(error.stderr || error.message)
      .trim()
      .split("\n");
    return { trouble: lines.at(-1) };
  }
}

const script = fileURLToPath(new URL("peers.py", import.meta.url));

/** Pairs of rows as `left × width + right`. @throws where the tool does */
function peerPairs(tool, folder, width) {
  const { output, trouble } = python(script, tool, folder, values.precision);
  if (output === undefined) throw new Error(trouble);
  const { pairs, seconds } = JSON.parse(output);
  return { pairs: pairs.map(([left, right]) => left * width + right), seconds };
}

const encoder = values.model === "none" ? "none" : await PhraseEncoder.load(values.model);
const finders = {
  pearl: async (folder, set) => {
    const seconds = stopwatch();
    const { pairs } = await foundPairs(folder, set, { encoder, precision: target });
    return { pairs, ...seconds() };
  },
};
const versions = {};
for (const tool of ["goldenmatch", "splink"]) {
  const { output, trouble } = python("-c", `import ${tool}; print(${tool}.__version__)`);
  if (output === undefined)
    console.log(`${tool} is left out: ${trouble}. Install it from PyPI, and name its Python with --python.`);
  else {
    versions[tool] = output.trim().split("\n").at(-1);
    finders[tool] = async (folder, { width }) => peerPairs(tool, folder, width);
  }
}

/** What a tool finds in a set: scores, or trouble and F1 0. */
async function scored(find, folder, set) {
  try {
    const { pairs, seconds } = await find(folder, set);
    return { ...pairScores([...new Set(pairs)], set.pairs), seconds: round(seconds, 2) };
  } catch (error) {
    return { pairs: 0, recall: 0, f1: 0, trouble: error.message };
  }
}

const tools = Object.keys(finders);
const sets = [];
for (const folder of setFolders(positionals.length > 0 ? positionals : ["../shared/data/er"])) {
  const set = await readErSet(folder);
  const scores = {};
  for (const tool of tools) {
    scores[tool] = await scored(finders[tool], folder, set);
    if (scores[tool].trouble) console.log(`${basename(folder)}, ${tool}: ${scores[tool].trouble}`);
  }
  sets.push({ set: basename(folder), gold: set.gold, truePairs: set.pairs.size, scores });
}
if (encoder !== "none") await encoder.dispose();
const whole = sets.filter(({ gold }) => gold === "whole");
const means = Object.fromEntries(
  tools.map((tool) => [tool, mean(whole.map(({ scores }) => scores[tool].f1))]),
);
const conditions = { target, model: values.model ?? "pearl-mini", versions, machine: machine() };
writeRecord({ ...conditions, means, sets }, values.json);
