/** Letter case of whole words: a replacement is written as what it replaces, and a rule that changes it. */
import { type DrawnRule, pick } from "../rule.js";

/** Words that stay small in titles. */
const small = new Set("a an and at by de for from in of on or the to und van von with y".split(" "));

/**
 * `text` in the letter case of `model`: all capitals, capitalised words, or a capital at the start. A text given in
 * small letters that replaces small letters keeps what capitals it has.
 *
 * @param usual how `model` is written in the dictionary that `text` comes from, where it is a name there: a model
 *   written in that way is replaced by the text as it stands ("USA" by "United States")
 */
export function likeCaseOf(model: string, text: string, usual?: string): string {
  if (model === usual) return text;
  const letters = model.replace(/[^\p{L}]/gu, "");
  const lower = letters.toLowerCase();
  if (letters === lower) return usual === undefined ? text : text.toLowerCase();
  if (letters.length >= 2 && letters === letters.toUpperCase()) return text.toUpperCase();
  const words = model.split(" ").filter((word) => !small.has(word));
  return words.every((word) => word !== word.toLowerCase()) ? titleCase(text) : capitalised(text);
}

/** `text` in capitals or small letters where all of `model` is, else as it stands. */
export function inWholeCaseOf(model: string, text: string): string {
  if (model === model.toLowerCase()) return text.toLowerCase();
  return model === model.toUpperCase() ? text.toUpperCase() : text;
}

/** The first letter as a capital. */
export function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Every word with a capital, but the small ones inside. */
export function titleCase(text: string): string {
  return text
    .split(" ")
    .map((word, index) => (index > 0 && small.has(word) ? word : capitalised(word)))
    .join(" ");
}

/** Whether the text's first letter is a capital. */
export function startsCapital(text: string): boolean {
  return /^[^\p{L}]*\p{Lu}/u.test(text);
}

/** The rule: a name as a table without capitals, or one all in capitals, writes it. */
export const letterCaseRule: DrawnRule = {
  name: "letter-case",
  granularity: "phrase",
  draw: (phrase, random) => {
    const small = phrase.toLowerCase();
    const written = [small, phrase.toUpperCase(), titleCase(small)].filter((text) => text !== phrase);
    return written.length === 0 ? undefined : pick(written, random);
  },
};
