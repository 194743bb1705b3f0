/**
 * Quality of the fuzzy join on AutoFJ's sets: ranking, precision at a target, and rows without a match; beside it the estimate
 * of AutoFJ itself.
 *
 *     npm run build && node benchmarks/join-quality.mjs [--data FOLDER] [--model MODEL|none]
 *       [--precision 0.9] [--sets N] [--scorer FILE]
 *
 *   --data    benchmark data folder (default: $PEARL_DATA, else ../shared/data/bench)
 *   --scorer  weights to test, output of scripts/train-join-scorer.mjs (default: the shipped weights)
 *
 * Writes benchmarks/results/join-quality.json; with --sets or --scorer only prints. The scorer is trained on
 * other data (scripts/train-join-scorer.mjs) and nothing is fitted to these sets, so there is no
 * cross-validation.
 */
import { existsSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { autofj, readJoinSet } from "../dist/benchmark/tasks/autofj.js";
import { PhraseEncoder } from "../dist/encoder/phrase-encoder.js";
import { fuzzyJoin } from "../dist/join/fuzzy-join.js";
import { keepPromise, spacingPrecision } from "../dist/match/estimates/spacing-precision.js";
import { createRandom, sampleWithout } from "../dist/random.js";
import { exactNeighbours } from "../dist/search/exact.js";
import { mean } from "../dist/statistics.js";
import { readOptions, root } from "../scripts/options.mjs";
import { machine, round, stopwatch, writeRecord } from "./measuring.mjs";

const { values } = readOptions("model precision=0.9 sets scorer", {
  data: process.env.PEARL_DATA ?? "../shared/data/bench",
});
const promised = Number(values.precision);
/** 0 of none. */
const meanOf = (numbers) => round(numbers.length === 0 ? 0 : mean(numbers));

/** Precision and recall of matches by their titles; an empty join has precision 1. */
function judge(set, matches) {
  const isRight = ({ left, right }) => set.left[left] === set.truth.get(set.right[right]);
  const right = matches.filter(isRight).length;
  const withMatch = set.right.filter((title) => set.truth.has(title)).length;
  return {
    joined: matches.length,
    precision: matches.length === 0 ? 1 : right / matches.length,
    recall: right / withMatch,
  };
}

/** The join with AutoFJ's own estimate, which uses only distances of embeddings in the left table. */
async function spacingAlone(set, encoder) {
  const { dimension } = encoder;
  const [left, right] = [await encoder.encodeMatrix(set.left), await encoder.encodeMatrix(set.right)];
  const nearest = await exactNeighbours(right.data, left.data, { dimension });
  const around = await exactNeighbours(left.data, left.data, { dimension, k: 11 });
  const distance = (cosine) => Math.sqrt(Math.max(0, 2 - 2 * cosine));
  const estimates = set.right.map((_, row) => {
    const best = nearest.indices[row];
    const neighbours = [];
    for (let place = best * 11; place < (best + 1) * 11; place++) {
      if (around.indices[place] !== best) neighbours.push(distance(around.scores[place]));
    }
    return spacingPrecision(distance(nearest.scores[row]), neighbours);
  });
  const kept = keepPromise(estimates, { target: promised });
  const matches = Array.from(kept, (row) => ({ left: nearest.indices[row], right: row }));
  return judge(set, matches);
}

/** Adds 30 % more right rows without a match: titles of another set that are not in this set. */
function withStrangers(set, other, random) {
  const known = new Set([...set.left, ...set.right].map((title) => title.toLowerCase()));
  const pool = [...new Set(other.right)].filter((title) => !known.has(title.toLowerCase()));
  const strangers = sampleWithout(pool, Math.round(set.right.length * 0.3), random);
  return { right: [...set.right, ...strangers], strangers: strangers.length };
}

const names = (await autofj.locate({ dataFolder: values.data })).slice(0, values.sets && Number(values.sets));
const sets = [];
for (const name of names) sets.push({ name, ...(await readJoinSet(join(values.data, "autofj"), name)) });
const encoder = values.model === "none" ? "none" : await PhraseEncoder.load(values.model);
const scorer = values.scorer && JSON.parse(readFileSync(values.scorer, "utf8"));
const options = { encoder, scorer, precision: promised };

const watch = stopwatch();
const plain = [];
for (const set of sets) plain.push(await fuzzyJoin(set.left, set.right, options));
const { seconds, processorSeconds } = watch();

const random = createRandom(1);
const rows = [];
for (const [index, set] of sets.entries()) {
  const { proposals, matches, estimate, low, high, promise } = plain[index];
  const other = sets[(index + 7) % sets.length];
  const mixed = withStrangers(set, other, random);
  const refused = await fuzzyJoin(set.left, mixed.right, options);
  const joinedStrangers = refused.matches.filter(({ right }) => right >= set.right.length).length;
  const known = refused.matches.filter(({ right }) => right < set.right.length);
  const figures = {
    accuracy: judge(set, proposals).recall,
    ...judge(set, matches),
    ...{ estimate, low, high, strangersRefused: 1 - joinedStrangers / mixed.strangers },
    recallAmongStrangers: judge(set, known).recall,
  };
  const row = {
    ...{ set: set.name, left: set.left.length, right: set.right.length },
    ...Object.fromEntries(Object.entries(figures).map(([key, value]) => [key, round(value)])),
    ...{ established: promise.established, reason: promise.established ? undefined : promise.reason },
    ...(encoder !== "none" && { spacingAlone: await spacingAlone(set, encoder) }),
  };
  rows.push(row);
  console.error(JSON.stringify(row));
}
if (encoder !== "none") await encoder.dispose();

/** Means over the sets, and on how many of them the promise is established. */
function summary() {
  const of = (key) => rows.map((row) => row[key]);
  const kept = rows.filter(({ established }) => established);
  const precisions = kept.map(({ precision }) => precision);
  const alone = of("spacingAlone").filter((found) => found !== undefined);
  return {
    ...{ sets: rows.length, top1Accuracy: meanOf(of("accuracy")), meanPrecision: meanOf(of("precision")) },
    setsOfPrecision085: meanOf(of("precision").map((precision) => Number(precision >= 0.85))),
    ...{ meanRecall: meanOf(of("recall")), meanEstimate: meanOf(of("estimate")), established: kept.length },
    establishedOfPrecision086: precisions.filter((precision) => precision >= 0.86).length,
    lowestEstablished: Math.min(1, ...precisions),
    meanError: meanOf(kept.map(({ precision, estimate }) => Math.abs(precision - estimate))),
    strangersRefused: meanOf(of("strangersRefused")),
    recallAmongStrangers: meanOf(of("recallAmongStrangers")),
    spacingAlone: {
      meanPrecision: meanOf(alone.map(({ precision }) => precision)),
      meanRecall: meanOf(alone.map(({ recall }) => recall)),
    },
  };
}

const name = values.model === undefined ? "join-quality" : `join-quality-${basename(values.model)}`;
const path = join(root, `benchmarks/results/${name}.json`);
const record = {
  what: "fuzzyJoin on AutoFJ sets without labels; macro means over sets",
  ...{ promised, model: encoder === "none" ? "none" : encoder.model.name, machine: machine() },
  seconds: { wall: round(seconds, 1), processor: round(processorSeconds, 1) },
  all: summary(),
  // results of earlier scorers are kept
  tried: existsSync(path) ? JSON.parse(readFileSync(path, "utf8")).tried : undefined,
  bySet: rows,
};
writeRecord(record, values.sets === undefined && scorer === undefined ? path : undefined);
