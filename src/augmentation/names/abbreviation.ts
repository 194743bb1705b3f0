/** Usual abbreviations of words in names and back, "&" for "and": University, Univ.; Saint Louis, St. Louis. */
import { likeCaseOf } from "../../pearl/augmentation/letter-case.js";
import { type List, oneReplaced } from "../../pearl/augmentation/rule.js";
import { wordList } from "../../text/word-lists.js";

const withoutPoint = (word: string): string => (word.endsWith(".") ? word.slice(0, -1) : word);

const shortByLong = wordList(
  "abbreviations",
  (entries) => new Map(entries.map(([long, ...forms]) => [long, forms])),
);
const longsByShort = wordList("abbreviations", (entries) => {
  const longs = new Map<string, string[]>();
  for (const [long, ...forms] of entries)
    for (const form of new Set(forms.map(withoutPoint))) longs.set(form, [...(longs.get(form) ?? []), long]);
  return longs;
});
/** Short forms that are also written without a point. */
const pointless = wordList(
  "abbreviations",
  (entries) => new Set(entries.flatMap(([, ...forms]) => forms.filter((form) => !form.endsWith(".")))),
);

/** Abbreviates one word, or spells out one abbreviation that stands for a single word. */
export const abbreviate: List = (phrase) => {
  const words = phrase.split(" ");
  return oneReplaced(words, (word, index) => {
    if (!word.endsWith(",")) return formsOf(word, index, words.length);
    return formsOf(word.slice(0, -1), index, words.length).map((form) => `${form},`);
  });
};

/** Short or long forms of a word, in its letter case. "St." is Saint before a name and Street at its end. */
function formsOf(word: string, index: number, count: number): readonly string[] {
  return otherForms(word.toLowerCase(), index, count).map((form) => likeCaseOf(word, form));
}

function otherForms(lower: string, index: number, count: number): readonly string[] {
  if (count === 1) return [];
  const short = shortByLong().get(lower);
  if (short !== undefined) return short;
  if (lower === "&") return index > 0 && index < count - 1 ? ["and"] : [];
  const bare = withoutPoint(lower);
  if (bare === "st") return [index === count - 1 ? "street" : "saint"];
  // Without its point, "can" or "mass" is a word, two letters are likely a code ("CA") and one is an initial.
  if (bare === lower ? lower.length < 3 || !pointless().has(lower) : bare.length < 2) return [];
  const longs = longsByShort().get(bare) ?? [];
  return longs.length === 1 ? longs : [];
}
