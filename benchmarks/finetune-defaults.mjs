/**
 * What the defaults of `pearl finetune --pairs` gain, beside the best of a grid of learning rates, passes
 * and averages with the start.
 *
 *     npm run build && node benchmarks/finetune-defaults.mjs [--sets wordnet,names] [--seeds 3] [--rates 0.0001,0.0003,0.001]
 *         [--passes 10] [--base FOLDER] [--pairs 5000] [--data ../shared/data/train/pairs]
 *         [--json benchmarks/results/finetune-defaults.json]
 *
 * A set is `wordnet` (lemmas of one synset) or a table of --data: a phrase and another name of it in the first two
 * columns. Of 5,000 sampled pairs about a fifth are the test, in whole groups of pairs that share phrases: no run trains on
 * them or stops by them. The sample and the test are the same for all seeds, which vary the order of batches and what a run
 * holds out itself. The default run has the other pairs and nothing else. A run of the grid trains on all of them, for a
 * number of passes without an end by patience; it is judged on the test ten times, as it is and averaged with the start, and
 * each time stands for a shorter run, as the schedule of the learning rate does not depend on the length. The best of the
 * grid is the rate, the step and the average with the best mean over seeds: chosen by the test, so a bar that no rule without
 * the test can be sure to reach.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { finetune } from "../dist/index.js";
import { rankHeldOut, splitPairs } from "../dist/methods/pairs/held-out.js";
import { createRandom, sampleWithout } from "../dist/random.js";
import { mean } from "../dist/statistics.js";
import { readWordnet, synonymPairs } from "../scripts/pearl-mini/data/wordnet.mjs";
import { readRows } from "../scripts/training-tables.mjs";
import { round } from "./measuring.mjs";

const { values } = parseArgs({
  options: {
    sets: { type: "string", default: "wordnet,names,biomed,abbrev" },
    data: { type: "string", default: "../shared/data/train/pairs" },
    seeds: { type: "string", default: "3" },
    rates: { type: "string", default: "0.0001,0.0003,0.001" },
    passes: { type: "string", default: "10" },
    base: { type: "string" },
    pairs: { type: "string", default: "5000" },
    json: { type: "string" },
  },
});
const rates = values.rates.split(",").map(Number);
const work = mkdtempSync(join(tmpdir(), "pearl-finetune-defaults-"));
const temperature = 0.07;

/** A sample of a set's pairs, in which no pair is twice and none has equal sides. */
async function samplePairs(/** @type {string} */ set) {
  const rows =
    set === "wordnet"
      ? synonymPairs(await readWordnet())
      : [...readRows(join(values.data, `${set}.tsv.gz`))].map((cells) => cells.slice(0, 2));
  /** @type {Map<string, { text: string, positive: string, negative: string, type: string }>} */
  const distinct = new Map();
  for (const [text, positive] of rows) {
    const [one, other] = [text, positive].map((side = "") => side.trim().toLowerCase());
    if (one && other && one !== other)
      distinct.set([one, other].sort().join("\t"), { text, positive, negative: "", type: "" });
  }
  return sampleWithout(
    [...distinct.values()],
    Math.min(Number(values.pairs), distinct.size),
    createRandom(1),
  );
}

/** @typedef {import("../dist/index.js").FinetuneOptions} FinetuneOptions */
/** @typedef {{ "mean reciprocal rank": number, "hit@1": number }} Figures */
/** @typedef {{ hit: number, reciprocal: number }} Row */
const asFigures = (/** @type {unknown} */ figures) => /** @type {Figures} */ (figures);
const meanOf = (/** @type {readonly Figures[]} */ all) => ({
  hit: round(mean(all.map((figures) => figures["hit@1"]))),
  reciprocal: round(mean(all.map((figures) => figures["mean reciprocal rank"]))),
});

/** The two parts of a set as files: what runs are given, and the test. */
async function writeParts(/** @type {string} */ set) {
  const pairs = await samplePairs(set);
  const options = { fraction: 0.2, random: createRandom(2) };
  const { trained, heldOut } = splitPairs([{ pairs, positives: "column" }], options);
  const parts = { pairs: join(work, `${set}.jsonl`), test: join(work, `${set}-test.jsonl`) };
  const asLines = (/** @type {readonly { text: string, positive: string }[]} */ rows) =>
    rows.map(({ text, positive }) => `${JSON.stringify({ text, positive })}\n`).join("");
  writeFileSync(parts.pairs, asLines(trained[0]));
  writeFileSync(parts.test, asLines(heldOut));
  return { ...parts, trained: trained[0], heldOut };
}

/** @typedef {Awaited<ReturnType<typeof writeParts>>} Parts */

/** A run as the command makes it without a flag, judged on the test. */
async function runDefault(/** @type {Parts} */ { heldOut }, /** @type {FinetuneOptions} */ options) {
  const started = performance.now();
  const { result } = await finetune(options);
  const seconds = round((performance.now() - started) / 1000, 1);
  const { figures } = await rankHeldOut(options.output, heldOut, { temperature });
  rmSync(options.output, { recursive: true });
  const kept = { kept: result.best?.step, share: result.best?.share };
  const run = { ...kept, steps: result.steps, seconds, ...meanOf([asFigures(figures)]) };
  console.error(`seed ${options.seed}, default: ${JSON.stringify(run)}`);
  return { seed: options.seed, ...run };
}

/** A run of the grid: figures on the test by step and share of the trained weights. */
async function runOfGrid(/** @type {Parts} */ { test }, /** @type {FinetuneOptions} */ options) {
  const length = { epochs: Number(values.passes), patience: Number.POSITIVE_INFINITY };
  const { result } = await finetune({ ...options, validate: test, ...length });
  rmSync(options.output, { recursive: true });
  const steps = (result.evaluations ?? []).map(({ step, share = 1, figures }) => ({
    ...{ step, share },
    figures: asFigures(figures),
  }));
  const list = steps.map(
    ({ step, share, figures }) => `${step} (${share}): ${round(figures["mean reciprocal rank"])}`,
  );
  console.error(`seed ${options.seed}, ${options.learningRate}: ${list.join("  ")}`);
  return steps;
}

/** What the default gains of the best of the grid, by one figure. */
function gainOf(
  /** @type {"hit" | "reciprocal"} */ name,
  /** @type {{ start: Row, cells: (Row & { cell: string })[], runs: Row[] }} */ { start, cells, runs },
) {
  const [best] = cells.toSorted((a, b) => b[name] - a[name]);
  const own = mean(runs.map((run) => run[name]));
  return {
    ...{ start: start[name], own: round(own), best: best[name], bestCell: best.cell },
    share: round((own - start[name]) / (best[name] - start[name]), 2),
    below: runs.filter((run) => run[name] < start[name]).length,
  };
}

async function measure(/** @type {string} */ set) {
  const parts = await writeParts(set);
  const common = { base: values.base, pairs: parts.pairs, output: join(work, "model"), threads: 2 };
  /** @type {Map<string, Figures[]>} */
  const grid = new Map();
  const runs = [];
  for (let seed = 1; seed <= Number(values.seeds); seed++) {
    runs.push(await runDefault(parts, { ...common, seed }));
    for (const learningRate of rates)
      for (const { step, share, figures } of await runOfGrid(parts, { ...common, seed, learningRate })) {
        const cell = step === 0 ? "start" : `${learningRate} × ${step}, share ${share}`;
        grid.set(cell, [...(grid.get(cell) ?? []), figures]);
      }
  }
  const cells = [...grid].map(([cell, all]) => ({ cell, ...meanOf(all) }));
  const all = { start: cells[0], cells, runs };
  const gains = { reciprocal: gainOf("reciprocal", all), hit: gainOf("hit", all) };
  return { set, trained: parts.trained.length, test: parts.heldOut.length, ...gains, runs, cells };
}

const results = [];
for (const set of values.sets.split(",")) {
  results.push(await measure(set));
  const { runs, cells, ...shown } = results[results.length - 1];
  console.log(JSON.stringify(shown));
  const settings = { seeds: Number(values.seeds), rates, passes: Number(values.passes) };
  if (values.json) writeFileSync(values.json, `${JSON.stringify({ settings, results }, null, 2)}\n`);
}
rmSync(work, { recursive: true });
