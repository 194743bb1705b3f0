/** Writes the words of other scripts in Latin letters: "Газпром" is "Gazprom". */
import { withoutAccents } from "../../text/accents.js";
import { readDate } from "./dates.js";

/** Scripts whose signs stand for words, and kana, which stand between them. A sign sounds like many others. */
const sign = "[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}ー]";
/** A letter of any other script than Latin, with its marks. */
const letter = `(?!${sign})(?![\\p{Script=Latin}\\p{Script=Common}\\p{Script=Inherited}])\\p{L}\\p{M}*`;

/** What is not written in Latin letters: the letters of another alphabet, or ideographs and kana. */
export type Writing = "letters" | "ideographs";
const single: Readonly<Record<Writing, RegExp>> = {
  letters: new RegExp(letter, "gu"),
  ideographs: new RegExp(sign, "gu"),
};
const words: Readonly<Record<Writing, RegExp>> = {
  letters: new RegExp(`(?:${letter})+`, "gu"),
  ideographs: new RegExp(`(?:${sign})+`, "gu"),
};
const latin = /\p{Script=Latin}/gu;
/** A text without such characters has Latin letters alone. */
const beyondLatin = /[^\0-\u036f]/;

/**
 * What a cell is written in: ideographs, if it has one, since each is a word; else most of its letters. Undefined for a date,
 * and without letters.
 */
export function writingOf(cell: string): Writing | "latin" | undefined {
  if (!beyondLatin.test(cell)) return /\p{L}/u.test(cell) ? "latin" : undefined;
  if (readDate(cell) !== undefined) return undefined;
  const count = (one: RegExp): number => cell.match(one)?.length ?? 0;
  if (count(single.ideographs) > 0) return "ideographs";
  const [inLatin, others] = [count(latin), count(single.letters)];
  if (inLatin + others === 0) return undefined;
  return inLatin > others ? "latin" : "letters";
}

/** Greek letters that stand for one sound together (ELOT 743); the others are read one by one. */
const digraphs: readonly (readonly [RegExp, string])[] = [
  [/ου/gi, "ou"],
  [/(?<=[αε])υ/gi, "v"],
  [/γ(?=γ)/gi, "n"],
  [/^μπ/i, "b"],
  [/^ντ/i, "d"],
  [/^γκ/i, "g"],
];
const greek = /\p{Script=Greek}/u;
/** Scripts with capitals. */
const cased = /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}]/u;
const isCapital = (one: string): boolean => one !== one.toLowerCase();

/**
 * Writes cells in Latin letters, where they have words of the given writings, with their capitals: "Щукин" is "Shchukin". Dates and
 * single Greek letters, which are symbols, stay. The letters of all scripts are half a megabyte, loaded when this is called.
 */
export async function latinWriter(writings: readonly Writing[]): Promise<(cell: string) => string> {
  const { default: anyAscii } = await import("any-ascii");
  const written = (word: string): string => {
    if (greek.test(word) && word.length === 1) return word;
    const read = greek.test(word)
      ? digraphs.reduce((text, [pair, sound]) => text.replace(pair, sound), withoutAccents(word))
      : word;
    const text = anyAscii(read);
    const [first = "", second = ""] = word;
    if (isCapital(first) && isCapital(second)) return text.toUpperCase();
    return isCapital(first) || !cased.test(word)
      ? text.charAt(0).toUpperCase() + text.slice(1).toLowerCase()
      : text;
  };
  const inCell = (word: string, place: number, cell: string): string => {
    const [before, after] = [cell.charAt(place - 1), cell.charAt(place + word.length)];
    return `${/\d/.test(before) ? " " : ""}${written(word)}${/\d/.test(after) ? " " : ""}`;
  };
  return (cell) => {
    if (!beyondLatin.test(cell) || readDate(cell) !== undefined) return cell;
    return writings.reduce((text, writing) => text.replace(words[writing], inCell), cell.normalize("NFC"));
  };
}
