/** Splits a cell into words for comparison: names, codes such as "CD-MR80D" and decimals each stay one word. */

const marks = /\p{M}+/gu;
const apostrophes = /(?<=\p{L})['’`´ʻʼ](?=\p{L})/gu;
const thousands = /(?<=\d),(?=\d{3}(?!\d))/g;
const separators = /[\s/,;:()[\]{}&!?|"“”_]+/u;
const inner = /[^\p{L}\p{N}]+/gu;
const decimal = /^[^\p{L}\p{N}]*(\d+)\.(\d+)[^\p{L}\p{N}]*$/u;
/** Later words of a cell add little and cost much. */
const mostWords = 80;

/**
 * A letter written as JSON's escape. Without the backslash, which a reader may have lost ("Zou00EB"), only letters of Latin-1
 * are read, capitals not behind small letters: "sku0012" and "sku00C1" are codes.
 */
const escaped = /\\u0[01][\dA-F]{2}|(?:(?<!\p{Ll})u00[CD][\dA-F]|u00(?:DF|[EF][\dA-F]))(?!\d)/gu;
/** A letter that an encoding lacks leaves a question mark: "Zo? Caf?s". */
const lost = /(?<=\p{L})[?\ufffd](?=\p{L})/gu;

/** Lower case, without accents, lost letters, apostrophes within words, and thousands separators. */
function foldCell(text: string): string {
  const whole = text.includes("u0")
    ? text.replace(escaped, (found) => String.fromCharCode(Number.parseInt(found.slice(-4), 16)))
    : text;
  const plain = /[^\0-\x7f]/.test(whole) ? whole.normalize("NFKD").replace(marks, "") : whole;
  return plain.toLowerCase().replace(lost, "").replace(apostrophes, "").replace(thousands, "");
}

/**
 * The words of a cell. A word with digits loses its inner punctuation ("cd-mr80d" is "cdmr80d"), but keeps a decimal
 * point (a fraction of zeros goes); a word without digits is split at its punctuation.
 */
export function cellWords(text: string): string[] {
  const words: string[] = [];
  for (const part of foldCell(text).split(separators)) {
    if (part === "") continue;
    if (!hasDigit(part)) {
      for (const word of part.split(inner)) if (word !== "") words.push(word);
      continue;
    }
    const number = decimal.exec(part);
    if (number === null) words.push(part.replace(inner, ""));
    else words.push(/^0+$/.test(number[2]) ? number[1] : `${number[1]}.${number[2]}`);
  }
  return words.length > mostWords ? words.slice(0, mostWords) : words;
}

/** Of a character's code. */
export const isDigit = (code: number): boolean => code >= 48 && code <= 57;

/** A loop, as this is asked for every pair of words: a regular expression takes several times as long. */
export function hasDigit(word: string): boolean {
  for (let place = 0; place < word.length; place++) if (isDigit(word.charCodeAt(place))) return true;
  return false;
}

const oneNumber = /^([-+]?)\p{Sc}?\s?(-?\d+(?:\.\d+)?)\s?(?:\p{Sc}|%|[a-z]{3})?$/iu;

/** The value of a cell that is one number, with or without a currency; NaN for others. */
export function cellNumber(text: string): number {
  const found = oneNumber.exec(text.trim().replace(thousands, ""));
  if (found === null) return Number.NaN;
  return found[1] === "-" ? -Number(found[2]) : Number(found[2]);
}
