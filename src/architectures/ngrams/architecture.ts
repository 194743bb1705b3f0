/** Hashed character n-grams of whole phrases. */
import type { Architecture } from "../architecture.js";
import { type HashedNgramsFeature, hashedNgrams as reading } from "./reading.js";

export const hashedNgrams: Architecture<HashedNgramsFeature> = {
  ...reading,
  parts: {
    // what builds graphs is loaded in training alone
    ngrams: async (settings, phrases) => (await import("./part.js")).ngramPart(settings, phrases),
  },
};
