/** Letter case of whole words: a replacement is written as what it replaces. */

const small = new Set("a an and at by de for from in of on or the to und van von with y".split(" "));

/**
 * `text` in the letter case of `model`: all capitals, capitalised words, or a capital at the start. Where `model` is in
 * lower case, the text keeps its capitals.
 *
 * @param usual how the dictionary that `text` comes from writes `model`, if it is a name there: where `model` is
 *   written so, the text is returned unchanged ("United States" for "USA")
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

/** `text` in capitals or lower case where all of `model` is, else unchanged. */
export function inWholeCaseOf(model: string, text: string): string {
  if (model === model.toLowerCase()) return text.toLowerCase();
  return model === model.toUpperCase() ? text.toUpperCase() : text;
}

export const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

export function titleCase(text: string): string {
  return text
    .split(" ")
    .map((word, index) => (index > 0 && small.has(word) ? word : capitalised(word)))
    .join(" ");
}

export const startsCapital = (text: string): boolean => /^[^\p{L}]*\p{Lu}/u.test(text);
