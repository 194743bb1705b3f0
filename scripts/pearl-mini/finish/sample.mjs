/** Phrases of the synonym pairs, for the steps after training. */
import { createRandom, sampleWithout } from "../../../dist/random.js";
import { readRowsUnderHeader } from "../../training-tables.mjs";

/**
 * Samples distinct phrases of the synonym pairs.
 * @param {string} synonyms path of synonyms.tsv
 * @param {{ sources?: readonly string[], phrases: number, seed: number }} settings `phrases` is the maximum per source, or
 *   in total without `sources`
 * @returns {string[]}
 */
export function samplePhrases(synonyms, { sources, phrases, seed }) {
  /** @type {Map<string, Set<string>>} */
  const found = new Map((sources ?? [""]).map((source) => [source, new Set()]));
  for (const [phrase, synonym, source] of readRowsUnderHeader(synonyms))
    found
      .get(sources === undefined ? "" : source)
      ?.add(phrase)
      .add(synonym);
  const random = createRandom(seed);
  return [...new Set([...found.values()].flatMap((own) => sampleWithout([...own], phrases, random)))];
}
