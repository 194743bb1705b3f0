/** Jaccard similarity of the sets of character 3-grams within words (lower case): shared n-grams over all n-grams. */
import { charWbNgrams } from "../../text/char-ngrams.js";
import type { SimilarityModel } from "../model.js";
import { dotProducts, type InvertedIndex, invertedIndex } from "./inverted-index.js";

/** |A ∩ B| / |A ∪ B|; two phrases without any n-gram are not similar. */
export function jaccardSimilarity(a: string, b: string): number {
  const left = gramSet(a);
  const right = gramSet(b);
  let shared = 0;
  for (const gram of left.keys()) if (right.has(gram)) shared++;
  const union = left.size + right.size - shared;
  return union === 0 ? 0 : shared / union;
}

export function jaccardBaseline(): SimilarityModel {
  return {
    kind: "similarity",
    name: "jaccard",
    fingerprint: "jaccard: sets of char_wb 3-grams, lower case",
    fit(candidates) {
      let index: InvertedIndex<string> | undefined; // pairs alone need none
      let sizes: readonly number[] = [];
      return {
        pair: jaccardSimilarity,
        all(query, scores) {
          if (!index) {
            const sets = candidates.map(gramSet);
            sizes = sets.map(({ size }) => size);
            index = invertedIndex(sets);
          }
          const grams = gramSet(query);
          dotProducts(index, grams, scores);
          for (let row = 0; row < scores.length; row++) {
            if (scores[row] > 0) scores[row] /= grams.size + sizes[row] - scores[row];
          }
        },
      };
    },
  };
}

/** The distinct n-grams, each with the weight 1: a dot product counts the shared ones. */
const gramSet = (text: string): Map<string, number> =>
  new Map(charWbNgrams(text, { min: 3, max: 3 }).map((gram) => [gram, 1]));
