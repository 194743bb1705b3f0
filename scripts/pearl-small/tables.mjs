/** Samples the tables of pearl-small's trainings from the tables of pearl-mini. */
import { createRandom, sampleWithout } from "../../dist/random.js";
import { readRowsUnderHeader, writeRows } from "../training-tables.mjs";

/** Quotes would have to be doubled. @param {string} text @param {number} longest */
const isPlain = (text, longest) => text.length <= longest && !text.includes('"');

/**
 * The pairs of synonyms.tsv by source, without phrases that are their own synonyms.
 * @param {string} synonyms @param {number} longest characters of a phrase at most
 * @returns {Map<string, [string, string][]>}
 */
export function pairsBySource(synonyms, longest) {
  const found = new Map();
  for (const [phrase, synonym, source] of readRowsUnderHeader(synonyms)) {
    if (phrase === synonym || !isPlain(phrase, longest) || !isPlain(synonym, longest)) continue;
    const own = found.get(source);
    if (own) own.push([phrase, synonym]);
    else found.set(source, [[phrase, synonym]]);
  }
  return found;
}

/**
 * Writes a table of pairs, shuffled.
 * @param {string} path
 * @param {Map<string, [string, string][]>} sources
 * @param {{ pairs: number, shares: Record<string, number>, seed: number }} settings
 */
export async function writePairs(path, sources, { pairs, shares, seed }) {
  const random = createRandom(seed);
  const sum = Object.values(shares).reduce((total, share) => total + share, 0);
  const rows = Object.entries(shares).flatMap(([source, share]) =>
    sampleWithout(sources.get(source) ?? [], Math.round((pairs * share) / sum), random),
  );
  await writeRows(path, [["text", "positive"], ...sampleWithout(rows, rows.length, random)]);
}
