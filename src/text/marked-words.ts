/** Words of a phrase with what a name's writing says about them: capitals, brackets, what follows a comma. */
import { foldLetters } from "./hashed-ngrams.js";

/** A word without capitals and accents, and its mark. */
export interface MarkedWord {
  readonly text: string;
  /** 1 + 3 × case + place, from 1 to {@link WORD_MARKS}: 0 is left to padding. */
  readonly mark: number;
}

/** Case: small, with a capital, all capitals (of two letters or more). Place: plain, in brackets, after a comma. */
export const WORD_MARKS = 9;

/** Runs of letters, runs of digits, and signs that are read as words; other visible characters one by one. */
const TOKEN = /\p{L}[\p{L}\p{M}]*|\p{N}+|[^\s\p{C}]/gu;
const IS_WORD = /^[\p{L}\p{N}&+#%$€£@]/u;

/**
 * The words of a phrase, in order: "Smith, John (MP)" gives smith, john after a comma, mp in brackets and all
 * capitals. Punctuation is left out; letters and digits are words apart.
 */
export function markedWords(phrase: string): MarkedWord[] {
  const plain = phrase
    .normalize("NFKD")
    .replace(/\p{Mn}+/gu, "")
    .replace(/['’]s\b/gu, " s");
  const words: MarkedWord[] = [];
  let brackets = 0;
  let afterComma = false;
  for (const token of plain.match(TOKEN) ?? []) {
    if (token === "(" || token === "[") brackets++;
    else if (token === ")" || token === "]") brackets = Math.max(0, brackets - 1);
    else if (token === "," || token === ":" || token === ";") afterComma = true;
    else if (IS_WORD.test(token)) {
      const small = token.toLowerCase();
      const place = brackets > 0 ? 1 : afterComma ? 2 : 0;
      words.push({ text: foldLetters(small), mark: 1 + 3 * caseOf(token, small) + place });
    }
  }
  return words;
}

function caseOf(token: string, small: string): number {
  if (token === small) return 0;
  return token.length > 1 && token === token.toUpperCase() ? 2 : 1;
}
