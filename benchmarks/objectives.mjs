/**
 * Compares all objectives at equal steps: trains each on half of a table of names, with three seeds, and asks on the
 * other half which canonical name a mention belongs to.
 *
 *     npm run build && node benchmarks/objectives.mjs [--pairs ../shared/data/train/pairs/names.tsv.gz] [--sets small]
 *         [--objectives NAME,NAME] [--steps 300] [--names 8000] [--rate 0.001] [--base ngrams|pearl-mini|FOLDER]
 *         [--json benchmarks/results/objectives.json]
 *
 * The table has a mention and a canonical name in its first two columns, tab separated, without a header. Canonical
 * names are sampled and split into halves by a seed, so no name of the dev half is trained on. All objectives get the
 * same rows: the mention, the canonical name as positive and as label; those that need scores get 1 for a pair and 0
 * for as many mismatched ones. Settings are the defaults of docs/objectives.md. The base is an untrained bag of
 * n-grams, which begins as a projection of TF-IDF: a model that has seen such names would hide the differences.
 * Reported: the share of dev mentions whose nearest canonical name is their own, and the mean reciprocal rank.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createModel, finetune, PhraseEncoder } from "../dist/index.js";
import { objectiveNames, objectives } from "../dist/objectives/registry.js";
import { createRandom, sampleWithout } from "../dist/random.js";
import { mean } from "../dist/statistics.js";
import { readOptions } from "../scripts/options.mjs";
import { readRows } from "../scripts/training-tables.mjs";
import { round, writeRecord } from "./measuring.mjs";

/** Those that learn without a teacher. */
const alone = objectiveNames.filter((name) => Object(objectives[name].needs).teacher !== "required");

const { values: options } = readOptions(
  "pairs=../shared/data/train/pairs/names.tsv.gz sets=full steps names rate=0.001 base=ngrams json",
  { objectives: alone.join(",") },
);
const isSmall = options.sets === "small";
const steps = Number(options.steps ?? (isSmall ? 60 : 300));
const names = Number(options.names ?? (isSmall ? 2000 : 8000));
const seeds = [1, 2, 3];
const batchSize = 128;
const work = mkdtempSync(join(tmpdir(), "pearl-objectives-"));

/** Mentions by canonical name, at most three of each. @returns {Map<string, string[]>} */
function readNames() {
  const found = new Map();
  for (const [mention, canonical] of readRows(options.pairs)) {
    if (!mention || !canonical || mention.toLowerCase() === canonical.toLowerCase()) continue;
    const mentions = found.get(canonical) ?? [];
    if (mentions.length < 3) found.set(canonical, [...mentions, mention]);
  }
  return found;
}

/** Rows of a half: mention, canonical name. */
const rowsOf = (all, canonicals) =>
  canonicals.flatMap((canonical) => (all.get(canonical) ?? []).map((mention) => [mention, canonical]));

/** Writes JSON lines, with mismatched pairs of score 0 where scores are needed. */
function writePairs(path, rows, scored, seed) {
  const random = createRandom(seed);
  const lines = rows.flatMap(([text, positive]) => {
    const other = rows[Math.floor(random() * rows.length)][1];
    if (!scored) return [{ text, positive, label: positive }];
    return [
      { text, positive, score: 1 },
      { text, positive: other, score: other === positive ? 1 : 0 },
    ];
  });
  writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
}

/** How well a model finds the canonical names of the dev half. */
async function judge(model, rows) {
  const canonicals = [...new Set(rows.map(([, canonical]) => canonical))];
  const encoder = await PhraseEncoder.load(model);
  const mentions = rows.map(([mention]) => mention);
  const scores = await encoder.similarity(mentions, canonicals);
  await encoder.dispose();
  const places = new Map(canonicals.map((canonical, place) => [canonical, place]));
  let [first, reciprocal] = [0, 0];
  for (const [row, [, canonical]] of rows.entries()) {
    const own = places.get(canonical) ?? 0;
    // ties are misses
    const nearer = scores[row].filter((score, place) => place !== own && score >= scores[row][own]).length;
    if (nearer === 0) first++;
    reciprocal += 1 / (1 + nearer);
  }
  return { first: first / rows.length, reciprocal: reciprocal / rows.length };
}

/** The scores of each seed, and their means. */
function summary(runs) {
  const bySeed = runs.map(({ first }) => round(first));
  return {
    first: round(mean(bySeed)),
    bySeed,
    reciprocal: round(mean(runs.map((run) => run.reciprocal))),
    seconds: round(mean(runs.map(({ seconds = 0 }) => seconds)), 1),
  };
}

const scores = { untrained: [] };

/** Prints all scores so far, and writes them: a later seed may be interrupted. */
function report() {
  const results = Object.fromEntries(Object.entries(scores).map(([name, runs]) => [name, summary(runs)]));
  const done = seeds.slice(0, scores.untrained.length);
  const settings = { base: options.base, names, steps, batchSize, rate: Number(options.rate), seeds: done };
  writeRecord({ settings, results }, options.json);
}

const all = readNames();
for (const seed of seeds) {
  const sampled = sampleWithout([...all.keys()], names, createRandom(seed));
  const halves = [sampled.slice(0, names / 2), sampled.slice(names / 2)];
  const [train, dev] = halves.map((half) => rowsOf(all, half));
  const folder = join(work, String(seed));
  mkdirSync(folder);
  const base = options.base === "ngrams" ? join(folder, "base") : options.base;
  const phrases = [...new Set(train.flat())];
  if (options.base === "ngrams")
    await createModel(base, { from: "ngrams", width: 64, buckets: 2 ** 14 }, { phrases, seed });
  scores.untrained.push(await judge(base, dev));
  for (const scored of [false, true]) writePairs(join(folder, `pairs-${scored}.jsonl`), train, scored, seed);
  for (const name of /** @type {(keyof typeof objectives)[]} */ (options.objectives.split(","))) {
    const isScored = "score" in objectives[name].needs && objectives[name].needs.score === "required";
    const output = join(folder, name);
    const started = performance.now();
    const pairs = join(folder, `pairs-${isScored}.jsonl`);
    const training = { steps, batchSize, learningRate: Number(options.rate), seed, threads: 1, validate: 0 };
    await finetune({ base, pairs, output, objective: name, ...training });
    const seconds = (performance.now() - started) / 1000;
    scores[name] = [...(scores[name] ?? []), { ...(await judge(output, dev)), seconds }];
    rmSync(output, { recursive: true });
    console.error(`seed ${seed} ${name.padEnd(14)} ${scores[name].at(-1)?.first.toFixed(4)}`);
  }
  report();
}
rmSync(work, { recursive: true });
