/** What the join sees of a training join: the views of its candidates, and the evidence of its rows' best pairs. */
import { gatherEvidence } from "../../dist/join/estimate.js";
import { rankColumns } from "../../dist/join/fuzzy-join.js";
import { nearestByTerms, termSearch } from "../../dist/join/grams.js";
import { nearestByEmbedding } from "../../dist/join/nearest-by-embedding.js";
import { pairCosines } from "../../dist/join/rank-rows.js";
import { evidenceNames } from "../../dist/join/scorer.js";
import { openPairs } from "../../dist/join/select.js";
import { pairViews, viewNames, weighPhrase } from "../../dist/join/views.js";

/** The view whose weights are learned after all others, as only some models have it: the last one. */
export const lateView = "typesDiffer";
/** Views that every join has. */
export const plainViews = viewNames.length - 1;
if (viewNames[plainViews] !== lateView) throw new Error(`${lateView} must be the last view`);

/** A prepared join without anything that a model says of it. */
export function withoutModel({ base, queries, ...pair }) {
  const silent = { vectors: undefined, types: undefined };
  return { ...pair, base: { ...base, ...silent }, queries: { ...queries, ...silent } };
}

/**
 * The views of every candidate of every right row.
 *
 * @returns per right row { views: Float32Array [candidates × plainViews], right: boolean[], more: Float32Array of the
 *   late view, undefined without a type head }
 */
export async function viewRows({ left, right, truth }, pair, { candidates: wanted }) {
  const { k, rows: near } = await nearestByEmbedding(pair, { k: wanted })(Uint32Array.from(right.keys()));
  const search = termSearch(pair.base.index);
  const phrases = left.map((text) => weighPhrase(text, pair.statistics));
  const all = new Float32Array(viewNames.length);
  return right.map((text, query) => {
    const byTerms = nearestByTerms(search, pair.queries.terms, query, { k: wanted, postings: 1e9 });
    const found = new Set([...byTerms.map(({ row }) => row), ...near.slice(query * k, (query + 1) * k)]);
    const candidates = [...found].filter((row) => row >= 0);
    const phrase = weighPhrase(text, pair.statistics);
    const views = new Float32Array(candidates.length * plainViews);
    const more = pair.base.types && new Float32Array(candidates.length);
    candidates.forEach((row, at) => {
      pairViews(phrases[row], phrase, pairCosines(pair, query, row), all, 0);
      views.set(all.subarray(0, plainViews), at * plainViews);
      if (more !== undefined) more[at] = all[plainViews];
    });
    return { views, right: candidates.map((row) => row === truth[query]), more };
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
      if (best < 0) return;
      const from = row * evidenceNames.length;
      const numbers = Array.from(evidence.subarray(from, from + evidenceNames.length));
      points.push({ evidence: numbers, right: best === truth[row] });
    });
  }
  return points;
}
