/** Edit similarity: 1 − Levenshtein distance / length of the longer string, in lower case. */
import { distance } from "fastest-levenshtein";
import type { SimilarityModel } from "../model.js";
import { pairwise } from "./pairwise.js";

/** 1 for equal strings, 0 where nothing matches. Strings are compared as they are given. */
export function levenshteinSimilarity(a: string, b: string): number {
  const longer = Math.max(a.length, b.length);
  return longer === 0 ? 1 : 1 - distance(a, b) / longer;
}

/** The edit-distance baseline. */
export function levenshteinBaseline(): SimilarityModel {
  return pairwise({
    name: "levenshtein",
    fingerprint: "levenshtein: 1 - distance / longer length, lower case",
    similarity: levenshteinSimilarity,
  });
}
