/** Whether a cell says anything, and its words for comparison: names, codes such as "CD-MR80D" and decimals each stay one word. */
import { folded } from "../../text/accents.js";
import { isVisible } from "../../text/visible.js";
import { wordList } from "../../text/word-lists.js";
import { readNumber } from "./numbers.js";

const apostrophes = /(?<=\p{L})['’`´ʻʼ](?=\p{L})/gu;
const thousands = /(?<=\d)[,'’](?=\d{3}(?!\d))/g;
const separators = /[\s/,;:()[\]{}&!?|"“”_]+/u;
const inner = /[^\p{L}\p{N}\p{M}]+/gu;
/** Signs behind a word are a part of it: "C++", "F#". */
const wordsBetween = /[\p{L}\p{N}\p{M}]+(?:[+#]+(?![\p{L}\p{N}+#]))?/gu;
const decimal = /^(?:[^\p{L}\p{N}]*(\d+)|[^\p{L}\p{N}.]*)\.(\d+)[^\p{L}\p{N}]*$/u;
/** An address of a computer, or a version: its points tell 10.25 from 102.5. */
const dotted = /^\d{1,3}(?:\.\d{1,3}){3}$/;
/** Later words of a cell add little and cost much. */
const mostWords = 80;

/**
 * A letter written as JSON's escape. Without the backslash, which a reader may have lost ("Zou00EB"), only letters of Latin-1
 * are read, capitals not behind small letters: "sku0012" and "sku00C1" are codes.
 */
const escaped = /\\u0[01][\dA-F]{2}|(?:(?<!\p{Ll})u00[CD][\dA-F]|u00(?:DF|[EF][\dA-F]))(?!\d)/gu;
/** A letter that an encoding lacks leaves a question mark: "Zo? Caf?s". */
const lost = /(?<=\p{L})[?\ufffd](?=\p{L})/gu;

/** Lower case, without accents, lost letters and apostrophes within words. */
function foldCell(text: string): string {
  const whole = text.includes("u0")
    ? text.replace(escaped, (found) => String.fromCharCode(Number.parseInt(found.slice(-4), 16)))
    : text;
  return folded(whole).replace(lost, "").replace(apostrophes, "");
}

/**
 * The words of a cell. A word with digits loses its inner punctuation ("cd-mr80d" is "cdmr80d"), but keeps a decimal
 * point (a fraction of zeros goes); a word without digits is split at its punctuation. A cell that is one number keeps its minus.
 */
export function cellWords(text: string): string[] {
  const folded = foldCell(text);
  const number = readNumber(folded);
  // "12 EUR" has two words, "123abc" is a code.
  if (number !== undefined && !/^[a-z]/.test(number.unit))
    return [number.text.replace(/\.0+$/, ""), ...(/[a-z]+/.exec(number.unit) ?? [])];
  const words: string[] = [];
  for (const part of folded.replace(thousands, "").split(separators)) {
    if (part === "") continue;
    if (!hasDigit(part)) {
      for (const word of part.match(wordsBetween) ?? []) words.push(sameForm().get(word) ?? word);
      continue;
    }
    const [, whole = "0", fraction] = decimal.exec(part) ?? [];
    if (fraction === undefined) words.push(dotted.test(part) ? part : part.replace(inner, ""));
    else words.push(/^0+$/.test(fraction) ? whole : `${whole}.${fraction}`);
  }
  if (words.length === 0) return signWords(folded);
  return words.length > mostWords ? words.slice(0, mostWords) : words;
}

/** Signs that stand for an empty cell: "-", "...", "?". */
const nothing = /^[\s\p{Pd}.,;:?_/\\|'"()[\]{}]*$/u;

/** A text without letters and digits is one word, if it is a name: "!!!", "€". */
export const signWords = (text: string): string[] =>
  nothing.test(text) || !isVisible(text) ? [] : [text.replace(/\s+/g, "")];

/** The first spelling of each legal form of one word: "limited" and "ltd" are one word. */
const sameForm = wordList("legal-forms", (forms) => {
  const bare = forms.map((form) => form.map((spelling) => folded(spelling).replace(/\./g, "")));
  const single = bare.map((form) => form.filter((spelling) => /^\p{L}+$/u.test(spelling)));
  return new Map(single.flatMap(([first, ...others]) => others.map((other) => [other, first] as const)));
});

/** Ideographs lie behind the letters of other scripts. */
const beyondLetters = /[^\0-\u2e7f]/;
/** One ideograph or hiragana, with its marks; a run of katakana; what is neither. */
const ideographParts =
  /[\p{Script=Han}\p{Script=Hiragana}][\u3099\u309a]*|\p{Script=Katakana}[\p{Script=Katakana}\u3099\u309aー]*|[^\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]+/gu;

/**
 * The words of a cell, whose ideographs and hiragana are words of their own, as nothing shows where a word ends: "株式会社山田電機" and
 * "山田 電機(株)" have five in common. Katakana spell a foreign word, and stay together.
 */
export function splitIdeographs(cell: string, words: readonly string[] = cellWords(cell)): readonly string[] {
  if (!beyondLetters.test(cell)) return words;
  return words.flatMap((word) => word.match(ideographParts) ?? []).slice(0, mostWords);
}

/** Characters of scripts that write words without spaces between. */
export const ideographs = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/gu;

export const ideographsIn = (text: string): readonly string[] =>
  beyondLetters.test(text) ? (text.match(ideographs) ?? []) : [];

/** Of a character's code. */
export const isDigit = (code: number): boolean => code >= 48 && code <= 57;

/** Whether a word has a digit before `end`. A loop, as this is asked for every pair of words: a regular expression takes several times as long. */
export function hasDigit(word: string, end = word.length): boolean {
  for (let place = 0; place < end; place++) if (isDigit(word.charCodeAt(place))) return true;
  return false;
}

const placeholders = new Set(["n/a", "null", "none", "nan", "unknown", "-", "?"]);

/** Whether a cell is not empty, nor holds a word that stands for that. */
export const isFilled = (cell: string): boolean =>
  isVisible(cell) && !placeholders.has(cell.trim().toLowerCase());

/** The same cells with empty ones in place of those that say nothing. */
export const filledOnly = (cells: readonly string[]): readonly string[] =>
  cells.every((cell) => cell === "" || isFilled(cell))
    ? cells
    : cells.map((cell) => (isFilled(cell) ? cell : ""));
