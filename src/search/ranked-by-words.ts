/** Ranks what a search finds by embeddings and by words and letters. */

import { phraseTerms } from "../text/phrase-terms.js";
import type { SearchSettings } from "./index-types.js";

/** Of phrases looked at last: queries of a batch meet the same rows. */
const remembered = new Map<string, ReadonlySet<number>>();
const mostRemembered = 2 ** 13;

function termsOf(phrase: string): ReadonlySet<number> {
  const terms = remembered.get(phrase) ?? phraseTerms(phrase);
  if (remembered.size === mostRemembered) remembered.clear();
  remembered.set(phrase, terms);
  return terms;
}

/** The square of a term's inverse frequency; a term that no row has is as rare as that of one row. */
export const rarity = (rows: number, having: number): number => Math.log(1 + rows / Math.max(1, having)) ** 2;

/** What words and letters count for in a score, and where all of them are the same; embeddings count for the rest. */
const [wordShare, sameWordsShare] = [0.35, 0.9];
/** A cosine of the same words, less what rounding takes. */
const allSame = 1 - 1e-9;

/**
 * Orders hits by embeddings and by words and letters, which weigh more the fewer of the hits have them. A hit that is the very
 * phrase comes first.
 * @param hits with cosines as scores @param column of the cells that hold phrases
 * @param ranking "words" leaves embeddings out, and hits that share no words or letters
 */
export function rankedByWords<Hit extends { readonly score: number; readonly cells: readonly string[] }>(
  phrase: string,
  hits: readonly Hit[],
  column: number,
  ranking: SearchSettings["ranking"] = "both",
): Hit[] {
  const query = termsOf(phrase);
  const all = hits.map(({ cells }) => termsOf(cells[column]));
  const counts = new Map<number, number>();
  for (const terms of all) for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
  const weights = Array.from({ length: hits.length + 1 }, (_, count) => rarity(hits.length, count));
  const weightOf = (term: number): number => weights[counts.get(term) ?? 0];
  let ofQuery = 0;
  for (const term of query) ofQuery += weightOf(term);
  const isPhrase = ({ cells }: { readonly cells: readonly string[] }): boolean => cells[column] === phrase;
  const scored = hits.map((hit, place) => {
    if (isPhrase(hit)) return { ...hit, score: 1 };
    let [own, common] = [0, 0];
    for (const term of all[place]) {
      own += weightOf(term);
      if (query.has(term)) common += weightOf(term);
    }
    const cosine = common === 0 ? 0 : common / Math.sqrt(ofQuery * own);
    const share = ranking === "words" ? 1 : cosine > allSame ? sameWordsShare : wordShare;
    return { ...hit, score: (1 - share) * hit.score + share * cosine };
  });
  const kept = ranking === "words" ? scored.filter(({ score }) => score > 0) : scored;
  return kept.sort((a, b) => Number(isPhrase(b)) - Number(isPhrase(a)) || b.score - a.score);
}
