/** Jaro-Winkler similarity as a baseline, in lower case. */
import { jaroWinkler } from "../../match/evidence/jaro-winkler.js";
import type { SimilarityModel } from "../model.js";
import { pairwise } from "./pairwise.js";

/** The Jaro-Winkler baseline, in lower case. */
export function jaroWinklerBaseline(): SimilarityModel {
  return pairwise({
    name: "jaro-winkler",
    fingerprint: "jaro-winkler: prefix weight 0.1, at most 4, lower case",
    similarity: jaroWinkler,
  });
}
