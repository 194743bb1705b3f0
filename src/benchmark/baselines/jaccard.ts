/** Jaccard similarity of the sets of character 3-grams within words (lower case): shared n-grams over all n-grams. */
import { charWbNgrams } from "../../text/char-ngrams.js";
import type { FittedSimilarity, SimilarityModel } from "../model.js";

const gramLength = 3;

/** |A ∩ B| / |A ∪ B|; two phrases without any n-gram are not similar. */
export function jaccardSimilarity(a: string, b: string): number {
  const left = gramSet(a);
  const right = gramSet(b);
  let shared = 0;
  for (const gram of left) if (right.has(gram)) shared++;
  const union = left.size + right.size - shared;
  return union === 0 ? 0 : shared / union;
}

/** The n-gram Jaccard baseline. */
export function jaccardBaseline(): SimilarityModel {
  return {
    kind: "similarity",
    name: "jaccard",
    fingerprint: "jaccard: sets of char_wb 3-grams, lower case",
    fit: (candidates) => fitJaccard(candidates),
    dispose: async () => {},
  };
}

function gramSet(text: string): Set<string> {
  return new Set(charWbNgrams(text, { min: gramLength, max: gramLength }));
}

function fitJaccard(candidates: readonly string[]): FittedSimilarity {
  const postings = new Map<string, number[]>();
  const sizes = new Int32Array(candidates.length);
  let indexed = false;
  const indexAll = (): void => {
    candidates.forEach((candidate, row) => {
      const grams = gramSet(candidate);
      sizes[row] = grams.size;
      for (const gram of grams) {
        const rows = postings.get(gram);
        if (rows) rows.push(row);
        else postings.set(gram, [row]);
      }
    });
    indexed = true;
  };
  return {
    pair: jaccardSimilarity,
    all(query, scores) {
      if (!indexed) indexAll();
      const grams = gramSet(query);
      scores.fill(0);
      for (const gram of grams) {
        for (const row of postings.get(gram) ?? []) scores[row]++;
      }
      for (let row = 0; row < scores.length; row++) {
        if (scores[row] > 0) scores[row] /= grams.size + sizes[row] - scores[row];
      }
    },
  };
}
