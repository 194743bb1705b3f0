/**
 * Trains the scorer of the join (models/join-scorer/weights.json). The result is deterministic.
 *
 * Usage: node scripts/train-join-scorer.mjs [--data FOLDER] [--model MODEL]... [--hold FILE] [-o FILE]
 *   --data   training data (default ../shared/data/train): pairs of names and titles, none from a benchmark
 *   --model  the model for the features from embeddings and entity types (default: the default model);
 *            with several models, every join is used once with each
 *   --hold   a file of weights to keep: trains only the weights of the type feature; needs a model with a
 *            type head
 *
 * Needs `npm run build`. After the default model has changed, run this script without options, build again to
 * use the new weights, and measure them with benchmarks/join-quality.mjs.
 *
 * Training has two steps: first a network over all features except the types, then the weights of the type
 * feature with the others fixed. For a model without a type head, the type feature is 0 and has no effect.
 */
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { PhraseEncoder } from "../dist/encoder/phrase-encoder.js";
import { writeCheckedJson } from "../dist/files/whole-file.js";
import { prepareColumn } from "../dist/match/columns.js";
import { featureNames } from "../dist/match/evidence/features.js";
import { evidenceNames } from "../dist/match/scorer.js";
import { createRandom } from "../dist/random.js";
import { fitEstimate, fitLateFeature, fitScorer } from "./join-scorer/fit.mjs";
import { trainingJoins } from "./join-scorer/joins.mjs";
import {
  evidencePoints,
  featureRows,
  lateFeature,
  plainFeatures,
  withoutModel,
} from "./join-scorer/pairs.mjs";

const { values } = parseArgs({
  options: {
    data: { type: "string", default: "../shared/data/train" },
    model: { type: "string", multiple: true, default: [] },
    hold: { type: "string" },
    output: { type: "string", short: "o", default: "models/join-scorer/weights.json" },
  },
});
const settings = {
  seed: 11,
  candidates: 10,
  network: { hidden: 16, epochs: 30, rate: 0.02, decay: 5e-4, batch: 128, seed: 1 },
  types: { epochs: 20, rate: 0.05, decay: 5e-4, batch: 256, seed: 1 },
  /** Fraction of joins without features from a model: the scorer must also work without one. */
  withoutEmbedding: 0.15,
  /** Every join gets a second copy in which this fraction of the right rows has lost its match. */
  strangers: 0.5,
  ridge: 1,
};
const log = (text) => {
  const { user, system } = process.cpuUsage();
  const seconds = `${((user + system) / 1e6).toFixed(0)} s of processor time`;
  process.stderr.write(`${text} (${seconds})\n`);
};
const round = (value) => Number(value.toPrecision(7));
const random = createRandom(settings.seed);

/** Encodes every join with each model, once for both the network and the estimate. */
async function prepareJoins(joins) {
  const prepared = [];
  const embeddings = [];
  for (const model of values.model.length > 0 ? values.model : [undefined]) {
    const encoder = await PhraseEncoder.load(model);
    embeddings.push({ model: encoder.model.name, types: encoder.model.types.length > 0 });
    for (const join of joins) {
      const { left, right } = join;
      const pair = await prepareColumn({ left, right }, { encoder });
      const used = random() < settings.withoutEmbedding ? withoutModel(pair) : pair;
      prepared.push({ join, pair, rows: await featureRows(join, used, settings) });
    }
    await encoder.dispose();
    log(`${encoder.model.name}: all joins encoded and compared`);
  }
  return { prepared, embeddings };
}

/**
 * Mean of each feature over all candidates; the mean of the type feature is over the candidates that have it.
 */
function meanFeatures(rows) {
  const sums = new Float64Array(plainFeatures);
  let [pairs, late, typed] = [0, 0, 0];
  for (const row of rows) {
    row.features.forEach((value, at) => {
      sums[at % plainFeatures] += value;
    });
    pairs += row.right.length;
    for (const value of row.late ?? []) late += value;
    typed += row.late?.length ?? 0;
  }
  return [...Array.from(sums, (sum) => round(sum / pairs)), typed === 0 ? 0 : round(late / typed)];
}

/** Trains the network over all features except the types. */
function learnNetwork(rows) {
  const { scorer, losses } = fitScorer(rows, { ...settings.network, features: plainFeatures });
  log(`loss ${losses[0].toFixed(4)} -> ${losses.at(-1).toFixed(4)}`);
  const { inputs, hiddenBias, outputs } = scorer;
  const network = {
    inputs: inputs.map((unit) => unit.map(round)),
    hiddenBias: hiddenBias.map(round),
    outputs: outputs.map(round),
  };
  return { network, loss: round(losses.at(-1)) };
}

/** Adds the weights of the type feature to the network; they are 0 if no model has a type head. */
function withTypes(network, rows) {
  const inputs = network.inputs.map((unit) => unit.slice(0, plainFeatures));
  const typed = rows.filter(({ late }) => late !== undefined);
  if (typed.length === 0) return { scorer: { ...network, inputs: inputs.map((unit) => [...unit, 0]) } };
  const { weights, losses } = fitLateFeature(typed, { ...network, inputs }, settings.types);
  log(`with ${lateFeature}: loss ${losses[0].toFixed(4)} -> ${losses[1].toFixed(4)}`);
  const scorer = { ...network, inputs: inputs.map((unit, at) => [...unit, round(weights[at])]) };
  const [lossBefore, loss] = losses.map(round);
  return { scorer, types: { rows: typed.length, lossBefore, loss } };
}

async function learnEstimate(prepared, scorer) {
  const points = [];
  for (const { join, pair } of prepared)
    points.push(...(await evidencePoints(join, pair, { ...settings, scorer, random })));
  const { bias, weights } = fitEstimate(points, { ridge: settings.ridge });
  return { estimate: { bias: round(bias), weights: weights.map(round) }, evidencePoints: points.length };
}

const held = values.hold && JSON.parse(readFileSync(values.hold, "utf8"));
const joins = trainingJoins(values.data, settings.seed);
log(`${joins.length} joins, ${joins.reduce((sum, { right }) => sum + right.length, 0)} right rows`);
const { prepared, embeddings } = await prepareJoins(joins);
const all = prepared.flatMap(({ rows }) => rows);
const rows = all.filter(({ right }) => right.includes(true));
const pairs = all.reduce((sum, { right }) => sum + right.length, 0);
log(`${rows.length} rows have their match among ${pairs} candidates`);
const means = meanFeatures(all);
const { network, loss } = held ? { network: held.scorer } : learnNetwork(rows);
const { scorer, types } = withTypes(network, rows);
const learned = held ? { estimate: held.estimate } : await learnEstimate(prepared, scorer);
const card = held
  ? {
      ...held.card,
      types: { ...types, embeddings, settings: settings.types },
      meanViews: [...held.card.meanViews.slice(0, plainFeatures), means.at(-1)],
    }
  : {
      what: "scores pairs of a fuzzy join from their features, and estimates how likely a row's best pair is right",
      trainedOn:
        "aliases of organisations, companies, people, places, works, clubs, diseases, anatomy, chemicals, journals and products, and titles of Wikipedia articles renamed by rule; no table of a benchmark",
      joins: joins.length,
      rows: rows.length,
      pairs,
      evidencePoints: learned.evidencePoints,
      embeddings,
      settings,
      loss,
      types,
      licence: "Apache-2.0",
      meanViews: means,
    };
const file = { card, views: featureNames, evidence: evidenceNames, scorer, estimate: learned.estimate };
await writeCheckedJson(values.output, file);
log(`wrote ${values.output}: ${JSON.stringify(file.estimate)}`);
