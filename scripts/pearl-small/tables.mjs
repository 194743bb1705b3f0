/** Samples the tables of pearl-small's trainings from the tables of pearl-mini. */
import { groupBy } from "../../dist/by-key.js";
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

/**
 * Writes a table of distinct phrases: of the corpus by kind, and both sides of pairs by source.
 * @param {string} path
 * @param {{ phrases: string, sources: Map<string, [string, string][]>, longest: number }} from `phrases`: phrases.tsv
 * @param {{ phrases: Record<"names" | "others" | "chunks", number>, pairs: Record<string, number>, seed: number }} settings
 */
export async function writePhrases(path, from, { phrases, pairs, seed }) {
  const random = createRandom(seed);
  const rows = [...readRowsUnderHeader(from.phrases)].filter(([phrase]) => isPlain(phrase, from.longest));
  const byKind = groupBy(rows, ([, lexical, type]) =>
    lexical !== "NP" || !type ? "chunks" : type.startsWith("OTHER") ? "others" : "names",
  );
  const ofKinds = Object.entries(phrases).flatMap(([kind, count]) =>
    sampleWithout(byKind.get(kind) ?? [], count, random).map(([phrase]) => phrase),
  );
  const ofPairs = Object.entries(pairs).flatMap(([source, count]) =>
    sampleWithout(from.sources.get(source) ?? [], count, random).flat(),
  );
  const distinct = [...new Set([...ofKinds, ...ofPairs])];
  await writeRows(path, [
    ["text"],
    ...sampleWithout(distinct, distinct.length, random).map((text) => [text]),
  ]);
}
