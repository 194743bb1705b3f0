/**
 * Quality of the fuzzy join on AutoFJ's sets: ranking, precision at a target, rows without a match, and the
 * effect of labels.
 *
 *     npm run build && node benchmarks/join-quality.mjs [--data FOLDER] [--model MODEL|none]
 *       [--precision 0.9] [--sets N] [--scorer FILE]
 *
 *   --data    benchmark data folder (default: $PEARL_DATA, else ../shared/data/bench)
 *   --scorer  weights to test, output of scripts/train-join-scorer.mjs (default: the shipped weights)
 *
 * Writes benchmarks/results/join-quality.json; with --sets or --scorer only prints. The scorer is trained on
 * other data (scripts/train-join-scorer.mjs) and nothing is fitted to these sets, so there is no
 * cross-validation. The two halves of the sets are also reported separately.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { basename, join } from "node:path";
import { autofj, readJoinSet } from "../dist/benchmark/tasks/autofj.js";
import { PhraseEncoder } from "../dist/encoder/phrase-encoder.js";
import { fuzzyJoin } from "../dist/join/fuzzy-join.js";
import { keepPromise, spacingPrecision } from "../dist/match/estimates/spacing-precision.js";
import { createRandom, sampleWithout } from "../dist/random.js";
import { exactNeighbours } from "../dist/search/exact.js";
import { mean } from "../dist/statistics.js";
import { readOptions, round, stopwatch } from "./measuring.mjs";

const { values } = readOptions("model precision=0.9 sets scorer", {
  data: process.env.PEARL_DATA ?? "../shared/data/bench",
});
const promised = Number(values.precision);
/** 0 of none. */
const meanOf = (numbers) => (numbers.length === 0 ? 0 : mean(numbers));
const labelCounts = [10, 20, 50];

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
  return judge(
    set,
    Array.from(kept, (row) => ({ left: nearest.indices[row], right: row })),
  );
}

/** Adds 30 % more right rows without a match: titles of another set that are not in this set. */
function withStrangers(set, other, random) {
  const known = new Set([...set.left, ...set.right].map((title) => title.toLowerCase()));
  const pool = [...new Set(other.right)].filter((title) => !known.has(title.toLowerCase()));
  const strangers = sampleWithout(pool, Math.round(set.right.length * 0.3), random);
  return { right: [...set.right, ...strangers], strangers: strangers.length };
}

/** Precision without and with labels for some rows; the labelled rows are not counted. */
async function withLabels(set, plain, count, { random }) {
  if (plain.proposals.length < 2 * count) return undefined;
  const chosen = sampleWithout(plain.proposals, count, random);
  const known = chosen.map(({ left, right }) => ({
    left,
    right,
    match: set.left[left] === set.truth.get(set.right[right]),
  }));
  const result = await fuzzyJoin(set.left, set.right, { ...options, known });
  const labelled = new Set(known.map(({ right }) => set.right[right]));
  const rest = (matches) => matches.filter(({ right }) => !labelled.has(set.right[right]));
  return {
    before: judge(set, rest(plain.matches)).precision,
    after: judge(set, rest(result.matches)).precision,
  };
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
  const labels = {};
  for (const count of labelCounts) labels[count] = await withLabels(set, plain[index], count, { random });
  /** @type {Record<string, any>} */
  const row = {
    set: set.name,
    left: set.left.length,
    right: set.right.length,
    accuracy: round(judge(set, proposals).recall),
    ...Object.fromEntries(Object.entries(judge(set, matches)).map(([key, value]) => [key, round(value)])),
    estimate: round(estimate),
    low: round(low),
    high: round(high),
    established: promise.established,
    ...(!promise.established && { reason: promise.reason }),
    strangersRefused: round(1 - joinedStrangers / mixed.strangers),
    recallAmongStrangers: round(
      judge(
        set,
        refused.matches.filter(({ right }) => right < set.right.length),
      ).recall,
    ),
    labels,
    ...(encoder !== "none" && { spacingAlone: await spacingAlone(set, encoder) }),
  };
  rows.push(row);
  process.stderr.write(
    `${set.name}: accuracy ${row.accuracy}, precision ${row.precision}, recall ${row.recall}, refused ${row.strangersRefused}\n`,
  );
}

/** On how many sets the promise is established, and what is measured there. */
function promisesOf(some) {
  const kept = some.filter(({ established }) => established);
  const precisions = kept.map(({ precision }) => precision);
  return {
    established: kept.length,
    establishedOfPrecision086: precisions.filter((precision) => precision >= 0.86).length,
    lowestEstablished: Math.min(1, ...precisions),
    meanError: round(meanOf(kept.map(({ precision, estimate }) => Math.abs(precision - estimate)))),
  };
}

/** Means over the given rows of the result. */
function summary(some) {
  const of = (key) => some.map((row) => row[key]);
  return {
    sets: some.length,
    top1Accuracy: round(meanOf(of("accuracy"))),
    meanPrecision: round(meanOf(of("precision"))),
    setsOfPrecision085: round(meanOf(of("precision").map((value) => (value >= 0.85 ? 1 : 0)))),
    meanRecall: round(meanOf(of("recall"))),
    meanEstimate: round(meanOf(of("estimate"))),
    ...promisesOf(some),
    strangersRefused: round(meanOf(of("strangersRefused"))),
    recallAmongStrangers: round(meanOf(of("recallAmongStrangers"))),
    ...(some[0].spacingAlone && {
      spacingAlone: {
        meanPrecision: round(meanOf(some.map((row) => row.spacingAlone.precision))),
        meanRecall: round(meanOf(some.map((row) => row.spacingAlone.recall))),
      },
    }),
    distanceFromPromise: Object.fromEntries(
      labelCounts.map((count) => {
        const measured = some.map((row) => row.labels[count]).filter((label) => label !== undefined);
        const off = (when) => round(meanOf(measured.map((label) => Math.abs(label[when] - promised))));
        return [`${count} labels`, { sets: measured.length, without: off("before"), with: off("after") }];
      }),
    ),
  };
}

const folder = new URL("results/", import.meta.url);
const name = values.model === undefined ? "join-quality" : `join-quality-${basename(values.model)}`;
const path = new URL(`${name}.json`, folder);
// Results of earlier scorers are kept.
const earlier = existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : undefined;
const result = {
  what: "fuzzyJoin on AutoFJ sets without labels; macro means over sets; distanceFromPromise: mean |precision - promised| of the rows that were not labelled",
  promised,
  model: encoder === "none" ? "none" : encoder.model.name,
  node: process.version,
  machine: { processor: cpus()[0].model, cores: cpus().length },
  seconds: { wall: round(seconds, 1), processor: round(processorSeconds, 1) },
  all: summary(rows),
  evenSets: summary(rows.filter((_, index) => index % 2 === 0)),
  oddSets: summary(rows.filter((_, index) => index % 2 === 1)),
  tried: earlier?.tried,
  bySet: rows,
};
if (encoder !== "none") await encoder.dispose();
const { bySet: _, ...shown } = result;
process.stdout.write(`${JSON.stringify(shown, null, 1)}\n`);
if (values.sets === undefined && scorer === undefined) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(path, `${JSON.stringify(result, null, 1)}\n`);
}
