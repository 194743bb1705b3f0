/**
 * Measures how well kinds of phrases are learned from a few examples, and how honest the probabilities are.
 *
 *     npm run build && node benchmarks/classify.mjs [--data ../shared/data] [--model NAME]
 *
 * Two sets from train/types.tsv.gz, 13 kinds each, at most 400 phrases of a kind, drawn with seed 0:
 *
 * - list: the 13 largest Freebase lists (roads, films, museums, awards and so on)
 * - gold: the 13 entity types of mentions that people annotated, without CoNLL-2003 and BC5CDR
 *
 * Each point is the mean over ten draws of n examples of each kind, tested on all others, with the standard deviation.
 * "cosine" is the classifier before src/fewshot: the largest cosine of the embedding with the mean of a kind.
 * pearl-mini has seen these phrases and their types (not the lists' names): the figures compare classifiers, they do not
 * say how good it is on kinds that it has never met. MONEY has 23 phrases in all, so few of them are tested at 20.
 */
import { join } from "node:path";
import { groupBy } from "../dist/by-key.js";
import { estimateOf } from "../dist/fewshot/classify/train.js";
import { classify, PhraseEncoder, trainKinds } from "../dist/index.js";
import { createRandom, sampleWithout } from "../dist/random.js";
import { readOptions } from "../scripts/options.mjs";
import { readRows } from "../scripts/training-tables.mjs";
import { summary, writeRecord } from "./measuring.mjs";

const { values: options } = readOptions("data= model json=classify");
const counts = [1, 5, 20];
const draws = 10;
const rows = [...readRows(join(options.data, "train/types.tsv.gz"))].filter(
  ([, , , source]) => !/^(conll2003|bc5cdr)/.test(source),
);
const sets = {
  list: rows.flatMap(([phrase, , , source]) =>
    source.startsWith("freebase:") ? [{ phrase, kind: source.slice(9) }] : [],
  ),
  gold: rows.flatMap(([phrase, , type, , quality]) => (quality === "gold" ? [{ phrase, kind: type }] : [])),
};

const byKind = (examples) => groupBy(examples, ({ kind }) => kind);

/** The 13 largest kinds, at most 400 different phrases of each. */
function sampled(examples) {
  const random = createRandom(0);
  const largest = [...byKind(examples).values()].sort((a, b) => b.length - a.length).slice(0, 13);
  return largest.flatMap((own) => {
    const distinct = [...new Map(own.map((example) => [example.phrase, example])).values()];
    return sampleWithout(distinct, 400, random);
  });
}

/** Draws n examples of each kind. @returns them and the others */
function draw(examples, count, seed) {
  const random = createRandom(seed);
  const chosen = [...byKind(examples).values()].flatMap((own) => sampleWithout(own, count, random));
  const taken = new Set(chosen);
  return { chosen, others: examples.filter((example) => !taken.has(example)) };
}

async function cosineAccuracy(encoder, { chosen, others }) {
  const kinds = [...new Set(chosen.map(({ kind }) => kind))];
  const vectors = await encoder.encode(chosen.map(({ phrase }) => phrase));
  const means = kinds.map((kind) => {
    const sum = new Float64Array(encoder.dimension);
    vectors.forEach((vector, i) => {
      if (chosen[i].kind === kind) for (let j = 0; j < sum.length; j++) sum[j] += vector[j];
    });
    const length = Math.hypot(...sum);
    return sum.map((value) => value / length);
  });
  const found = await encoder.encode(others.map(({ phrase }) => phrase));
  const right = found.filter((vector, i) => {
    const scores = means.map((mean) => mean.reduce((sum, value, j) => sum + value * vector[j], 0));
    return kinds[scores.indexOf(Math.max(...scores))] === others[i].kind;
  });
  return right.length / others.length;
}

const encoder = await PhraseEncoder.load(options.model);
const result = { model: encoder.model.name, fingerprint: await encoder.fingerprint(), draws, sets: {} };
for (const [name, all] of Object.entries(sets)) {
  const examples = sampled(all);
  const points = [];
  for (const count of counts) {
    const values = { cosine: [], accuracy: [], promised: [], answered: [], precision: [], confidence: [] };
    for (let seed = 0; seed < draws; seed++) {
      const drawn = draw(examples, count, seed);
      values.cosine.push(await cosineAccuracy(encoder, drawn));
      const { kinds, estimate } = await trainKinds(drawn.chosen, { encoder });
      const phrases = drawn.others.map(({ phrase }) => phrase);
      const found = await classify(phrases, kinds, { encoder });
      const judged = found.map(({ probabilities }, i) => ({
        kind: kinds.names.indexOf(drawn.others[i].kind),
        scores: probabilities.map(Math.log),
      }));
      const { accuracy, answered, precision } = estimateOf(judged, 1, 0.6);
      values.accuracy.push(accuracy);
      values.answered.push(answered);
      values.precision.push(precision);
      values.promised.push(estimate.accuracy);
      values.confidence.push(found.reduce((sum, { probability }) => sum + probability, 0) / found.length);
    }
    const point = Object.fromEntries(Object.entries(values).map(([key, own]) => [key, summary(own)]));
    points.push({ examplesOfAKind: count, ...point });
  }
  const kinds = [...byKind(examples)].map(([kind, own]) => ({ kind, phrases: own.length }));
  result.sets[name] = { kinds, points };
}
await encoder.dispose();
writeRecord(result, options.json);
