/** Computes for a training join the features of its candidates and the evidence of the best pairs of its rows. */

import { rankColumns } from "../../dist/join/fuzzy-join.js";
import { openPairs } from "../../dist/join/labels.js";
import { termSearch } from "../../dist/match/candidates/grams.js";
import { nearestByEmbedding } from "../../dist/match/candidates/nearest-by-embedding.js";
import { pairCosines } from "../../dist/match/columns.js";
import { gatherEvidence } from "../../dist/match/estimates/estimate.js";
import { featureNames, pairFeatures, weighPhrase } from "../../dist/match/evidence/features.js";

/** The feature whose weights are learned after all others, as only some models have it: the last one. */
export const lateFeature = "typesDiffer";
/** Features that every join has. */
export const plainFeatures = featureNames.length - 1;
if (featureNames[plainFeatures] !== lateFeature) throw new Error(`${lateFeature} must be the last feature`);

/** A prepared join without anything that a model says of it. */
export function withoutModel({ base, queries, ...pair }) {
  const silent = { vectors: undefined, types: undefined };
  return { ...pair, base: { ...base, ...silent }, queries: { ...queries, ...silent } };
}

/**
 * The features of every candidate of every right row.
 *
 * @returns per right row { features: Float32Array [candidates × plainFeatures], right: boolean[], more: Float32Array of the
 *   late feature, undefined without a type head }
 */
export async function viewRows({ left, right, truth }, pair, { candidates: wanted }) {
  const { k, rows: near } = await nearestByEmbedding(pair, Uint32Array.from(right.keys()), { k: wanted });
  const search = termSearch(pair.base.index, left.length);
  const phrases = left.map((text) => weighPhrase(text, pair.statistics));
  const all = new Float32Array(featureNames.length);
  return right.map((text, query) => {
    const byTerms = search(pair.queries.terms, query, { k: wanted, postings: 1e9 });
    const found = new Set([...byTerms.map(({ row }) => row), ...near.slice(query * k, (query + 1) * k)]);
    const candidates = [...found].filter((row) => row >= 0);
    const phrase = weighPhrase(text, pair.statistics);
    const features = new Float32Array(candidates.length * plainFeatures);
    const more = pair.base.types && new Float32Array(candidates.length);
    candidates.forEach((row, at) => {
      pairFeatures(phrases[row], phrase, pairCosines(pair, query, row), all);
      features.set(all.subarray(0, plainFeatures), at * plainFeatures);
      if (more !== undefined) more[at] = all[plainFeatures];
    });
    return { features, right: candidates.map((row) => row === truth[query]), more };
  });
}

/**
 * Evidence of each row's best pair, with all left rows and with some right rows turned into strangers.
 *
 * @param options { scorer: network, strangers: share of rows that lose their left row, random }
 */
export async function evidencePoints({ left, right, truth }, pair, { scorer, strangers, random }) {
  const compared = [{ name: "phrase", left, right, weight: 1 }];
  // The spacing around second and third candidates too: they come first where a stranger was made.
  const rankings = await rankColumns([pair], compared, { scorer: { scorer } }, { kind: "one-to-one" });
  const points = [];
  for (const share of [0, strangers]) {
    const others = new Map(
      right.flatMap((_, row) => (random() < share ? [[row, new Set([truth[row]])]] : [])),
    );
    const pairs = openPairs(rankings, { matches: new Map(), others });
    const evidence = gatherEvidence(rankings, pairs);
    pairs.forEach(({ left: best }, row) => {
      if (best >= 0) points.push({ evidence: evidence[row], right: best === truth[row] });
    });
  }
  return points;
}
