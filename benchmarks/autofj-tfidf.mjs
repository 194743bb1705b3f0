/**
 * Compares the `tfidf` baseline with scikit-learn's TfidfVectorizer on AutoFJ sets, in one run on one
 * machine.
 *
 * Usage: node benchmarks/autofj-tfidf.mjs [DATA] [PYTHON]
 *   DATA    benchmark data folder (default: $PEARL_DATA, else ../shared/data/bench)
 *   PYTHON  interpreter that can import sklearn (default: /usr/bin/python3)
 * Writes benchmarks/results/autofj-tfidf.json. Needs `npm run build`.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { runBenchmark } from "../dist/benchmark/runner.js";

const data = process.argv[2] ?? process.env.PEARL_DATA ?? "../shared/data/bench";
const python = process.argv[3] ?? "/usr/bin/python3";

/** Accuracies of scikit-learn by set, or undefined if it cannot be imported. */
function scikitLearn() {
  try {
    execFileSync(python, ["-c", "import sklearn"], { stdio: "ignore" });
  } catch {
    process.stderr.write(`${python} cannot import sklearn: only pearl is measured\n`);
    return undefined;
  }
  const script = fileURLToPath(new URL("../test/oracles/autofj_tfidf.py", import.meta.url));
  return JSON.parse(execFileSync(python, [script, join(data, "autofj")], { encoding: "utf8" }));
}

const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
const round = (value, digits = 4) => Number(value.toFixed(digits));

const request = { tasks: ["autofj"], models: ["tfidf"], dataFolder: data };
const started = performance.now();
const [fair] = await runBenchmark(request);
const wallSeconds = (performance.now() - started) / 1000;
const [published] = await runBenchmark({ ...request, protocol: "published" });
const peer = scikitLearn();

const rows = published.results.filter(({ dataset }) => !dataset.startsWith("macro mean"));
const sets = rows.map(({ dataset, score, n, seconds }) => ({
  dataset,
  n,
  pearl: round(score),
  pearlFair: round(fair.results.find((row) => row.dataset === dataset && row.metric === "accuracy").score),
  ...(peer && { scikitLearn: round(peer.sets[dataset].accuracy) }),
  pearlSeconds: round(seconds, 3),
  ...(peer && { scikitLearnSeconds: peer.sets[dataset].seconds }),
}));
const result = {
  what: "accuracy of character TF-IDF (char_wb 2-4, lower case), cosine top-1, first of equal titles; pearlFair: ties as 1/k",
  pearl: fair.pearl,
  node: process.version,
  ...(peer && { scikitLearnVersion: peer["scikit-learn"] }),
  machine: { processor: cpus()[0].model, cores: cpus().length },
  sets: sets.length,
  macro: {
    pearl: round(mean(sets.map((set) => set.pearl))),
    pearlFair: round(mean(sets.map((set) => set.pearlFair))),
    ...(peer && { scikitLearn: round(mean(sets.map((set) => set.scikitLearn))) }),
  },
  ...(peer && {
    largestDifference: round(Math.max(...sets.map((set) => Math.abs(set.pearl - set.scikitLearn)))),
  }),
  seconds: {
    pearl: round(
      sets.reduce((sum, set) => sum + set.pearlSeconds, 0),
      2,
    ),
    ...(peer && {
      scikitLearn: round(
        sets.reduce((sum, set) => sum + set.scikitLearnSeconds, 0),
        2,
      ),
    }),
    pearlWithReadingFiles: round(wallSeconds, 2),
  },
  bySet: sets,
};
const folder = new URL("results/", import.meta.url);
mkdirSync(folder, { recursive: true });
writeFileSync(new URL("autofj-tfidf.json", folder), `${JSON.stringify(result, null, 1)}\n`);
const { bySet: _, ...summary } = result;
process.stdout.write(`${JSON.stringify(summary, null, 1)}\n`);
