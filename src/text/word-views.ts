/** What a word keeps of its spelling when it is misspelled: letters at its ends, letters around one, consonants by sound. */

/**
 * `gaps`: pairs of letters with one between them, which survive a wrong or missing letter; `places`: the first and the
 * last letters with their places; `sound`: n-grams of the consonants, spelled as they sound.
 */
export const wordViews = ["gaps", "places", "sound"] as const;
export type WordView = (typeof wordViews)[number];

/** Places that are marked, from either end. */
const PLACES = 4;

/** Spellings of one sound, in this order: rules of English as in Philips' Metaphone (1990), fewer. */
const SOUNDS: readonly (readonly [RegExp, string])[] = [
  [/(.)\1+/g, "$1"],
  [/^(?:kn|gn|pn)/g, "n"],
  [/^wr/g, "r"],
  [/ph/g, "f"],
  [/gh/g, ""],
  [/[ts]c?i(?=[oa])|sh|ch/g, "x"],
  [/ck|c(?![eiy])|q/g, "k"],
  [/[cz]/g, "s"],
  [/dg|j/g, "g"],
  // also those that are often silent
  [/[aeiouyhw]+/g, ""],
];

const soundOf = (word: string): string =>
  SOUNDS.reduce((sound, [spelling, written]) => sound.replace(spelling, written), word);

/** The features of a word in lower case, each as a text that no n-gram of the word equals. */
export function viewFeatures(word: string, views: readonly WordView[]): string[] {
  const features: string[] = [];
  if (views.includes("gaps"))
    for (let i = -1; i + 2 <= word.length; i++) features.push(`gap ${word[i] ?? "^"}${word[i + 2] ?? "$"}`);
  if (views.includes("places"))
    for (let i = 0; i < Math.min(PLACES, word.length); i++)
      features.push(`start ${i}${word[i]}`, `end ${i}${word[word.length - 1 - i]}`);
  if (views.includes("sound")) {
    const sound = `^${soundOf(word)}$`;
    for (let size = 1; size <= 3; size++)
      for (let i = 0; i + size <= sound.length; i++) features.push(`sound ${sound.slice(i, i + size)}`);
    features.push(`sound ${sound}`);
  }
  return features;
}
