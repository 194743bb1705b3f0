/** Baselines that compare two lower-cased strings: edit similarity, and Jaro-Winkler with which the join compares. */
import { distance } from "fastest-levenshtein";
import { jaroWinkler } from "../../match/evidence/jaro-winkler.js";
import type { SimilarityModel } from "../model.js";

/** 1 − Levenshtein distance / length of the longer string: 1 for equal strings, 0 where nothing matches. */
export function levenshteinSimilarity(a: string, b: string): number {
  const longer = Math.max(a.length, b.length);
  return longer === 0 ? 1 : 1 - distance(a, b) / longer;
}

export const levenshteinBaseline = (): SimilarityModel =>
  pairwise("levenshtein", "1 - distance / longer length", levenshteinSimilarity);

export const jaroWinklerBaseline = (): SimilarityModel =>
  pairwise("jaro-winkler", "prefix weight 0.1, at most 4", jaroWinkler);

function pairwise(name: string, settings: string, similarity: typeof jaroWinkler): SimilarityModel {
  return {
    kind: "similarity",
    name,
    fingerprint: `${name}: ${settings}, lower case`,
    fit(candidates) {
      const lowered = candidates.map((candidate) => candidate.toLowerCase());
      return {
        pair: (a, b) => similarity(a.toLowerCase(), b.toLowerCase()),
        all(query, scores) {
          const text = query.toLowerCase();
          for (let row = 0; row < lowered.length; row++) scores[row] = similarity(text, lowered[row]);
        },
      };
    },
  };
}
