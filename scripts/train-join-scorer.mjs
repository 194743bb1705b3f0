/**
 * Learns the weights of the join's small model (src/join/scorer-weights.json), the same numbers on every run.
 *
 * Usage: node scripts/train-join-scorer.mjs [--data FOLDER] [--model MODEL] [-o FILE]
 *   --data   training data (default ../shared/data/train): pairs of names and titles, none from a benchmark
 *   --model  whose embedding is one of the views (default: the embedded model)
 * Needs `npm run build`.
 */
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { PhraseEncoder } from "../dist/encoder/index.js";
import { gatherEvidence } from "../dist/join/estimate.js";
import { rankTables } from "../dist/join/fuzzy-join.js";
import { nearestByTerms, termSearch } from "../dist/join/grams.js";
import { nearestByEmbedding } from "../dist/join/nearest-by-embedding.js";
import { prepareColumn } from "../dist/join/prepare.js";
import { pairCosines } from "../dist/join/rank-rows.js";
import { evidenceNames } from "../dist/join/scorer.js";
import { openPairs } from "../dist/join/select.js";
import { pairViews, viewNames, weighPhrase } from "../dist/join/views.js";
import { createRandom } from "../dist/random.js";
import { fitEstimate, fitScorer } from "./join-scorer/fit.mjs";
import { trainingJoins } from "./join-scorer/joins.mjs";

const { values } = parseArgs({
  options: {
    data: { type: "string", default: "../shared/data/train" },
    model: { type: "string" },
    output: { type: "string", short: "o", default: "src/join/scorer-weights.json" },
  },
});
const settings = {
  seed: 11,
  candidates: 10,
  network: { hidden: 16, epochs: 30, rate: 0.02, decay: 5e-4, batch: 128, seed: 1 },
  /** Share of joins whose embedding view is silent: the scorer must do without a model too. */
  withoutEmbedding: 0.15,
  /** Of every join a second copy in which this share of the right rows has lost its left row. */
  strangers: 0.5,
  ridge: 1,
};
const say = (text) => process.stderr.write(`${text}\n`);

/** The views of every candidate of every right row. */
async function viewRows({ left, right, truth }, encoder) {
  const pair = await prepareColumn({ left, right, weight: 1 }, { encoder });
  const { k, rows: near } = await nearestByEmbedding(pair, { k: settings.candidates })(
    Uint32Array.from(right.keys()),
  );
  const search = termSearch(pair.base.index);
  const phrases = left.map((text) => weighPhrase(text, pair.statistics));
  return right.map((text, query) => {
    const byTerms = nearestByTerms(search, pair.queries.terms, query, {
      k: settings.candidates,
      postings: 1e9,
      scored: Infinity,
    });
    const found = new Set([...byTerms.map(({ row }) => row), ...near.slice(query * k, (query + 1) * k)]);
    const candidates = [...found].filter((row) => row >= 0);
    const phrase = weighPhrase(text, pair.statistics);
    const views = new Float32Array(candidates.length * viewNames.length);
    candidates.forEach((row, at) => {
      pairViews(phrases[row], phrase, pairCosines(pair, query, row), views, at * viewNames.length);
    });
    return { views, right: candidates.map((row) => row === truth[query]) };
  });
}

/** Evidence of each row's best pair, with all left rows and with some right rows turned into strangers. */
async function evidencePoints({ left, right, truth }, { scorerFile, encoder, random }) {
  const compared = [{ name: "phrase", left, right, weight: 1 }];
  const { rankings } = await rankTables(left, right, compared, scorerFile, {
    encoder,
    // The spacing around second and third candidates too: they come first where a stranger was made.
    kind: "one-to-one",
  });
  const points = [];
  for (const share of [0, settings.strangers]) {
    const others = new Map(
      right.flatMap((_, row) => (random() < share ? [[row, new Set([truth[row]])]] : [])),
    );
    const pairs = openPairs(rankings, { matches: new Map(), others });
    const evidence = gatherEvidence(rankings, pairs);
    pairs.forEach((pair, row) => {
      if (pair.left < 0) return;
      const numbers = Array.from(
        evidence.subarray(row * evidenceNames.length, (row + 1) * evidenceNames.length),
      );
      points.push({ evidence: numbers, right: pair.left === truth[row] });
    });
  }
  return points;
}

const encoder = await PhraseEncoder.load(values.model);
const joins = trainingJoins(values.data, settings.seed);
say(`${joins.length} joins, ${joins.reduce((sum, { right }) => sum + right.length, 0)} right rows`);
const random = createRandom(settings.seed);
const rows = [];
const meanViews = new Float64Array(viewNames.length);
let pairs = 0;
for (const join of joins) {
  const isSilent = random() < settings.withoutEmbedding;
  for (const row of await viewRows(join, isSilent ? undefined : encoder)) {
    row.views.forEach((value, at) => {
      meanViews[at % viewNames.length] += value;
    });
    pairs += row.right.length;
    if (row.right.includes(true)) rows.push(row);
  }
}
say(`${rows.length} rows have their match among ${pairs} candidates`);
const { scorer, losses } = fitScorer(rows, { ...settings.network, views: viewNames.length });
say(`loss ${losses[0].toFixed(4)} -> ${losses.at(-1).toFixed(4)}`);
const round = (value) => Number(value.toPrecision(7));
const rounded = {
  inputs: scorer.inputs.map((unit) => unit.map(round)),
  hiddenBias: scorer.hiddenBias.map(round),
  outputs: scorer.outputs.map(round),
};
const points = [];
for (const join of joins)
  points.push(...(await evidencePoints(join, { scorerFile: { scorer: rounded }, encoder, random })));
const estimate = fitEstimate(points, { ridge: settings.ridge });
const file = {
  card: {
    what: "scores pairs of a fuzzy join from their views, and estimates how likely a row's best pair is right",
    trainedOn:
      "aliases of organisations, companies, people, places, works, clubs, diseases, anatomy, chemicals, journals and products, and titles of Wikipedia articles renamed by rule; no table of a benchmark",
    joins: joins.length,
    rows: rows.length,
    pairs,
    evidencePoints: points.length,
    embedding: encoder.model.name,
    settings,
    loss: round(losses.at(-1)),
    licence: "Apache-2.0",
    meanViews: Array.from(meanViews, (sum) => round(sum / pairs)),
  },
  views: viewNames,
  evidence: evidenceNames,
  scorer: rounded,
  estimate: { bias: round(estimate.bias), weights: estimate.weights.map(round) },
};
writeFileSync(values.output, `${JSON.stringify(file, null, 2)}\n`);
await encoder.dispose();
say(`wrote ${values.output}: ${JSON.stringify(file.estimate)}`);
