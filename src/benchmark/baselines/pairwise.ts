/** Makes a baseline of a measure that looks at two lower-cased strings and nothing else. */
import type { SimilarityModel } from "../model.js";

/** A measure and its name. */
export interface PairwiseMeasure {
  readonly name: string;
  readonly fingerprint: string;
  /** Similarity of two strings that are lower-cased already. */
  similarity(a: string, b: string): number;
}

/** The measure as a model: every candidate is compared with every query. */
export function pairwise({ name, fingerprint, similarity }: PairwiseMeasure): SimilarityModel {
  return {
    kind: "similarity",
    name,
    fingerprint,
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
    dispose: async () => {},
  };
}
