/**
 * Computes the features of the candidates of a training join, and the evidence of the best pair of each row.
 */

import { postings, rankTables } from "../../dist/join/fuzzy-join.js";
import { noLabels, openPairs } from "../../dist/join/one-column/labels.js";
import { nearestByEmbedding } from "../../dist/match/candidates/nearest-by-embedding.js";
import { TermSearch } from "../../dist/match/candidates/term-search.js";
import { pairCosines } from "../../dist/match/columns.js";
import { gatherEvidence } from "../../dist/match/estimates/estimate.js";
import { featureNames, pairFeatures, weighPhrase } from "../../dist/match/evidence/features.js";
import { openRanking } from "../../dist/match/rank-pool.js";

/** The last feature. Only models with a type head have it, so its weights are learned after all others. */
export const lateFeature = "typesDiffer";
/** Features that every join has. */
export const plainFeatures = featureNames.length - 1;
if (featureNames[plainFeatures] !== lateFeature) throw new Error(`${lateFeature} must be the last feature`);

/** A prepared join without the embeddings and types of a model. */
export function withoutModel({ base, queries, ...pair }) {
  const removed = { vectors: undefined, types: undefined };
  return { ...pair, base: { ...base, ...removed }, queries: { ...queries, ...removed } };
}

/**
 * Computes the features of all candidates of each right row.
 *
 * @returns per right row { features: Float32Array [candidates × plainFeatures], right: boolean[],
 *   late: Float32Array of the late feature, undefined without a type head }
 */
export async function featureRows({ left, right, truth }, pair, { candidates: limit }) {
  const { k, rows: near } = await nearestByEmbedding(pair, Uint32Array.from(right.keys()), { k: limit });
  const search = new TermSearch(pair.base.index, pair.base.terms);
  const phrases = left.map((text) => weighPhrase(text, pair.statistics));
  const all = new Float32Array(featureNames.length);
  return right.map((text, query) => {
    const byTerms = search.find(pair.queries.terms, query, { k: limit, postings: 1e9 });
    const found = new Set([...byTerms.map(({ row }) => row), ...near.slice(query * k, (query + 1) * k)]);
    const candidates = [...found].filter((row) => row >= 0);
    const phrase = weighPhrase(text, pair.statistics);
    const features = new Float32Array(candidates.length * plainFeatures);
    const late = pair.base.types && new Float32Array(candidates.length);
    candidates.forEach((row, at) => {
      pairFeatures(phrases[row], phrase, pairCosines(pair, query, row), all);
      features.set(all.subarray(0, plainFeatures), at * plainFeatures);
      if (late !== undefined) late[at] = all[plainFeatures];
    });
    return { features, right: candidates.map((row) => row === truth[query]), late };
  });
}

/**
 * Collects the evidence of the best pair of each row twice: with all left rows, and with some right rows
 * deprived of their match.
 *
 * @param options { scorer: network, candidates per row, strangers: fraction of right rows that lose their match, random }
 */
export async function evidencePoints({ right, truth }, pair, { scorer, candidates, strangers, random }) {
  const ranking = openRanking({ column: pair, scorer, candidates, postings }, {});
  const tables = await rankTables(pair, ranking, {});
  // around lower candidates too, which are the best pairs of deprived rows
  const spacing = await tables.measureSpacing(tables.right.rows.filter((row) => row >= 0));
  const rankings = { ...tables, spacing };
  await ranking.close();
  const points = [];
  for (const fraction of [0, strangers]) {
    const others = new Map(
      right.flatMap((_, row) => (random() < fraction ? [[row, new Set([truth[row]])]] : [])),
    );
    const pairs = openPairs(rankings, { ...noLabels, others });
    const evidence = gatherEvidence(rankings, pairs);
    pairs.forEach(({ left: best }, row) => {
      if (best >= 0) points.push({ evidence: evidence[row], right: best === truth[row] });
    });
  }
  return points;
}
