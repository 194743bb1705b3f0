/** Words of a phrase, each with a mark for how it is written: capitals, brackets, after a comma. */
import { foldLetters } from "../../text/hashed-ngrams.js";
import { partsAtCapitals } from "../../text/inner-capitals.js";

/** A word without capitals and accents, and its mark. */
export interface MarkedWord {
  readonly text: string;
  /**
   * 1 + 3 × case + place, from 1 to 9; 0 is left to padding. Case: small, with a capital, all capitals (of two letters
   * or more). Place: plain, in brackets, after a comma.
   */
  readonly mark: number;
}

/** The last mark of a word in small letters. */
export const SMALL_LETTERS = 3;

/** Runs of letters, runs of digits, and signs that are read as words; other visible characters one by one. */
const TOKEN = /\p{L}[\p{L}\p{M}]*|\p{N}+|[^\s\p{C}]/gu;
const IS_WORD = /^[\p{L}\p{N}&+#%$€£@]/u;

/**
 * The words of a phrase, in order: "Smith, John (MP)" gives smith, john after a comma, mp in brackets and all
 * capitals. Punctuation is left out; letters and digits are separate words, and "'s" is the word s.
 * @param isKnown unknown words are split at inner capitals: "NYTimes" gives ny, all capitals, and times. Called with
 *   the word in small letters. Default: no word is split.
 */
export function markedWords(phrase: string, isKnown?: (word: string) => boolean): MarkedWord[] {
  const plain = phrase.normalize("NFKD").replace(/\p{Mn}+/gu, "");
  const words: MarkedWord[] = [];
  let brackets = 0;
  let afterComma = false;
  for (const token of plain.match(TOKEN) ?? []) {
    if (!IS_WORD.test(token)) {
      if (token === "(" || token === "[") brackets++;
      else if (token === ")" || token === "]") brackets = Math.max(0, brackets - 1);
      else if (token === "," || token === ":" || token === ";") afterComma = true;
      continue;
    }
    const place = brackets > 0 ? 1 : afterComma ? 2 : 0;
    const small = token.toLowerCase();
    const isSplit = token !== small && isKnown !== undefined && !isKnown(foldLetters(small));
    for (const part of isSplit ? partsAtCapitals(token) : [token])
      words.push({ text: foldLetters(part.toLowerCase()), mark: 1 + 3 * caseOf(part) + place });
  }
  return words;
}

/** 0 for small letters, 1 with a capital, 2 for all capitals. */
function caseOf(word: string): number {
  if (word === word.toLowerCase()) return 0;
  return word.length > 1 && word === word.toUpperCase() ? 2 : 1;
}
