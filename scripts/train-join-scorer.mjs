/**
 * Trains the scorer of the join (src/match/scorer-weights.json). Every run gives the same weights.
 *
 * Usage: node scripts/train-join-scorer.mjs [--data FOLDER] [--model MODEL]... [--hold FILE] [-o FILE]
 *   --data   training data (default ../shared/data/train): pairs of names and titles, none from a benchmark
 *   --model  the model of the embeddings and entity types among the features (default: the default model);
 *            with several, every join is used once with each
 *   --hold   a file of weights to keep: only those of the type feature are trained, with a model that has a type head
 *
 * Needs `npm run build`. After a change of the default model, run it without options, build again to use the new weights,
 * and measure them with benchmarks/join-quality.mjs.
 *
 * Training has two steps: first a network over all features except the types, then the weights of the type feature with
 * the others fixed. For a model without a type head, the feature is 0 and has no effect.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { PhraseEncoder } from "../dist/encoder/phrase-encoder.js";
import { prepareColumn } from "../dist/match/columns.js";
import { featureNames } from "../dist/match/evidence/features.js";
import { evidenceNames } from "../dist/match/scorer.js";
import { createRandom } from "../dist/random.js";
import { fitEstimate, fitScorer, fitView } from "./join-scorer/fit.mjs";
import { trainingJoins } from "./join-scorer/joins.mjs";
import { evidencePoints, lateFeature, plainFeatures, viewRows, withoutModel } from "./join-scorer/pairs.mjs";

const { values } = parseArgs({
  options: {
    data: { type: "string", default: "../shared/data/train" },
    model: { type: "string", multiple: true, default: [] },
    hold: { type: "string" },
    output: { type: "string", short: "o", default: "src/match/scorer-weights.json" },
  },
});
const settings = {
  seed: 11,
  candidates: 10,
  network: { hidden: 16, epochs: 30, rate: 0.02, decay: 5e-4, batch: 128, seed: 1 },
  types: { epochs: 20, rate: 0.05, decay: 5e-4, batch: 256, seed: 1 },
  /** Share of joins whose embedding feature is silent: the scorer must do without a model too. */
  withoutEmbedding: 0.15,
  /** Of every join a second copy in which this share of the right rows has lost its left row. */
  strangers: 0.5,
  ridge: 1,
};
const say = (text) => {
  const { user, system } = process.cpuUsage();
  const seconds = `${((user + system) / 1e6).toFixed(0)} s of processor time`;
  process.stderr.write(`${text} (${seconds})\n`);
};
const round = (value) => Number(value.toPrecision(7));
const random = createRandom(settings.seed);

/** Every join as each model sees it: encoded once, for the network and for the estimate. */
async function seenJoins(joins) {
  const seen = [];
  const embeddings = [];
  for (const model of values.model.length > 0 ? values.model : [undefined]) {
    const encoder = await PhraseEncoder.load(model);
    embeddings.push({ model: encoder.model.name, types: encoder.model.types.length > 0 });
    for (const join of joins) {
      const { left, right } = join;
      const pair = await prepareColumn({ left, right, weight: 1 }, { encoder });
      const isSilent = random() < settings.withoutEmbedding;
      seen.push({ join, pair, rows: await viewRows(join, isSilent ? withoutModel(pair) : pair, settings) });
    }
    await encoder.dispose();
    say(`${encoder.model.name}: all joins encoded and compared`);
  }
  return { seen, embeddings };
}

/** Mean of each feature over all candidates; that of the types over those that have it. */
function meanFeatures(rows) {
  const sums = new Float64Array(plainFeatures);
  let [pairs, more, typed] = [0, 0, 0];
  for (const row of rows) {
    row.features.forEach((value, at) => {
      sums[at % plainFeatures] += value;
    });
    pairs += row.right.length;
    for (const value of row.more ?? []) more += value;
    typed += row.more?.length ?? 0;
  }
  return [...Array.from(sums, (sum) => round(sum / pairs)), typed === 0 ? 0 : round(more / typed)];
}

/** The network over all features but the types. */
function learnNetwork(rows) {
  const { scorer, losses } = fitScorer(rows, { ...settings.network, features: plainFeatures });
  say(`loss ${losses[0].toFixed(4)} -> ${losses.at(-1).toFixed(4)}`);
  const { inputs, hiddenBias, outputs } = scorer;
  const network = {
    inputs: inputs.map((unit) => unit.map(round)),
    hiddenBias: hiddenBias.map(round),
    outputs: outputs.map(round),
  };
  return { network, loss: round(losses.at(-1)) };
}

/** The network with the weights of the types, which are 0 where no model told any. */
function withTypes(network, rows) {
  const inputs = network.inputs.map((unit) => unit.slice(0, plainFeatures));
  const typed = rows.filter(({ more }) => more !== undefined);
  if (typed.length === 0) return { scorer: { ...network, inputs: inputs.map((unit) => [...unit, 0]) } };
  const { weights, losses } = fitView(typed, { ...network, inputs }, settings.types);
  say(`with ${lateFeature}: loss ${losses[0].toFixed(4)} -> ${losses[1].toFixed(4)}`);
  const scorer = { ...network, inputs: inputs.map((unit, at) => [...unit, round(weights[at])]) };
  const [lossBefore, loss] = losses.map(round);
  return { scorer, types: { rows: typed.length, lossBefore, loss } };
}

async function learnEstimate(seen, scorer) {
  const points = [];
  for (const { join, pair } of seen)
    points.push(...(await evidencePoints(join, pair, { scorer, strangers: settings.strangers, random })));
  const { bias, weights } = fitEstimate(points, { ridge: settings.ridge });
  return { estimate: { bias: round(bias), weights: weights.map(round) }, evidencePoints: points.length };
}

const held = values.hold && JSON.parse(readFileSync(values.hold, "utf8"));
const joins = trainingJoins(values.data, settings.seed);
say(`${joins.length} joins, ${joins.reduce((sum, { right }) => sum + right.length, 0)} right rows`);
const { seen, embeddings } = await seenJoins(joins);
const all = seen.flatMap(({ rows }) => rows);
const rows = all.filter(({ right }) => right.includes(true));
const pairs = all.reduce((sum, { right }) => sum + right.length, 0);
say(`${rows.length} rows have their match among ${pairs} candidates`);
const means = meanFeatures(all);
const { network, loss } = held ? { network: held.scorer } : learnNetwork(rows);
const { scorer, types } = withTypes(network, rows);
const learned = held ? { estimate: held.estimate } : await learnEstimate(seen, scorer);
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
writeFileSync(values.output, `${JSON.stringify(file, null, 2)}\n`);
say(`wrote ${values.output}: ${JSON.stringify(file.estimate)}`);
