/** Words of a phrase with what a name's writing says about them: capitals, brackets, what follows a comma. */
import { foldLetters, partsAtCapitals } from "../../text/accents.js";

/** A word without capitals and accents, and its mark. */
interface MarkedWord {
  readonly text: string;
  /**
   * 1 + 3 × case + place, from 1 to 9; 0 is left to padding. Case: small, with a capital (or of letters that have no
   * case, in which names are written like all words), all capitals (of two letters or more). Place: plain, in brackets, after a comma.
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
 * capitals. Punctuation is left out; letters and digits make separate words, and "'s" is the word s.
 * @param isKnown if given, words for which it returns false are split at inner capitals: "NYTimes" gives ny, all
 *   capitals, and times. It receives a word in the form in which it would be returned.
 */
export function markedWords(phrase: string, isKnown?: (word: string) => boolean): MarkedWord[] {
  return asciiWords(phrase, isKnown) ?? unicodeWords(phrase, isKnown);
}

interface Place {
  brackets: number;
  afterComma: boolean;
}

/** Updates the place after a sign. */
function pass(sign: string, place: Place): void {
  if (sign === "(" || sign === "[") place.brackets++;
  else if (sign === ")" || sign === "]") place.brackets = Math.max(0, place.brackets - 1);
  else if (sign === "," || sign === ":" || sign === ";") place.afterComma = true;
}

const markOf = (letterCase: number, { brackets, afterComma }: Place): number =>
  1 + 3 * letterCase + (brackets > 0 ? 1 : afterComma ? 2 : 0);

/** For any script, by Unicode's tables. */
export function unicodeWords(phrase: string, isKnown?: (word: string) => boolean): MarkedWord[] {
  const plain = phrase.normalize("NFKD").replace(/\p{Mn}+/gu, "");
  const words: MarkedWord[] = [];
  const place: Place = { brackets: 0, afterComma: false };
  for (const token of plain.match(TOKEN) ?? []) {
    if (!IS_WORD.test(token)) {
      pass(token, place);
      continue;
    }
    const small = token.toLowerCase();
    const text = foldLetters(small);
    if (token !== small && isKnown !== undefined && !isKnown(text)) pushParts(token, place, words);
    else words.push({ text, mark: markOf(caseOf(token, small), place) });
  }
  return words;
}

/** Adds the parts of an unknown word between its inner capitals. */
function pushParts(token: string, place: Place, words: MarkedWord[]): void {
  for (const part of partsAtCapitals(token)) {
    const small = part.toLowerCase();
    words.push({ text: foldLetters(small), mark: markOf(caseOf(part, small), place) });
  }
}

function caseOf(token: string, small: string): number {
  if (token === small) return /^\p{Lo}/u.test(token) ? 1 : 0;
  return token.length > 1 && token === token.toUpperCase() ? 2 : 1;
}

/** What an ASCII character is to {@link asciiWords}. */
const KIND = { other: 0, small: 1, capital: 2, digit: 3, sign: 4 } as const;
const KINDS = Uint8Array.from({ length: 0x7f }, (_, code) => {
  const character = String.fromCharCode(code);
  if (/[a-z]/.test(character)) return KIND.small;
  if (/[A-Z]/.test(character)) return KIND.capital;
  if (/[0-9]/.test(character)) return KIND.digit;
  return /[&+#%$@]/.test(character) ? KIND.sign : KIND.other;
});

/** The same for ASCII, as most phrases are, without regular expressions. @returns undefined for other phrases */
function asciiWords(phrase: string, isKnown?: (word: string) => boolean): MarkedWord[] | undefined {
  for (let i = 0; i < phrase.length; i++) if (phrase.charCodeAt(i) >= KINDS.length) return undefined;
  const words: MarkedWord[] = [];
  const place: Place = { brackets: 0, afterComma: false };
  for (let start = 0, end = 1; start < phrase.length; start = end++) {
    const kind = KINDS[phrase.charCodeAt(start)];
    if (kind === KIND.other) {
      pass(phrase[start], place);
      continue;
    }
    let capitals = kind === KIND.capital ? 1 : 0;
    for (; kind !== KIND.sign && end < phrase.length; end++) {
      const next = KINDS[phrase.charCodeAt(end)];
      if (next === KIND.other || next === KIND.sign || (next === KIND.digit) !== (kind === KIND.digit)) break;
      if (next === KIND.capital) capitals++;
    }
    const token = phrase.slice(start, end);
    const text = capitals === 0 ? token : token.toLowerCase();
    const letterCase = capitals === 0 ? 0 : capitals > 1 && capitals === token.length ? 2 : 1;
    const isMixed = letterCase === 1 && (capitals > 1 || KINDS[token.charCodeAt(0)] !== KIND.capital);
    if (isMixed && isKnown !== undefined && !isKnown(text)) pushParts(token, place, words);
    else words.push({ text, mark: markOf(letterCase, place) });
  }
  return words;
}
