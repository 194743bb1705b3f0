/** Rules for a name as its words and its qualifier: what they share, what names gain and lose, and the rules. */
import { type Random, shuffled } from "../random.js";
import { wordList, wordSet } from "../text/word-lists.js";
import { unitsOf } from "./character.js";
import { isDayBeforeYear } from "./phrase.js";
import {
  capitalised,
  type Draw,
  inWholeCaseOf,
  type List,
  likeCaseOf,
  oneReplaced,
  type PhraseContext,
  pick,
} from "./rule.js";

/** The words of a name, and its qualifier with what is before it: " (planet)", ", Illinois" or nothing. */
export function namePartsOf(phrase: string): { words: string[]; tail: string } {
  const start = phrase.endsWith(")") ? phrase.lastIndexOf(" (") : commaOf(phrase);
  const end = start > 0 ? start : phrase.length;
  return { words: phrase.slice(0, end).split(" "), tail: phrase.slice(end) };
}

/** Where a qualifier starts: the first comma that is not within a date. */
function commaOf(phrase: string): number {
  const comma = phrase.indexOf(", ");
  return comma > 0 && isDayBeforeYear(phrase.slice(0, comma), phrase.slice(comma + 2))
    ? phrase.indexOf(", ", comma + 1)
    : comma;
}

/** Changes the words in place; returns false where it does not apply. */
type WordEdit = (words: string[], random: Random, context: PhraseContext) => boolean;

/** Makes a rule for names of at least `leastWords` words before their qualifier. */
function editWords(leastWords: number, edit: WordEdit): Draw {
  return (phrase, random, context) => {
    const { words, tail } = namePartsOf(phrase);
    if (phrase.trim() === "" || words.length < leastWords || !edit(words, random, context)) return undefined;
    const text = words.join(" ") + tail;
    return text === phrase || text.trim() === "" ? undefined : text;
  };
}

const short = wordSet("short-words");

/** Whether a word is an article, a preposition or "and", in the languages that names are often in. */
const isShortWord = (word: string): boolean => word.length <= 5 && short().has(word.toLowerCase());

export const placesOf = (words: readonly string[], isAble: (word: string) => boolean): number[] =>
  [...words.keys()].filter((place) => isAble(words[place]));

/** Suffixes that one table adds to a name and another leaves out, and what distinguishes names with the same spelling. */
const additions = wordList("name-additions", (entries) =>
  entries.map(([head, ...texts]) => {
    const [kind, ...types] = head.split(" ");
    return { kind, types, texts };
  }),
);

/** Those of a type; where the type is unknown or has none, those listed for any type. */
function additionsOf(wanted: "suffix" | "qualifier", type = "any"): readonly string[] {
  const all = additions().filter(({ kind }) => kind === wanted);
  const own = all.filter(({ types }) => types.includes(type));
  return (own.length > 0 ? own : all.filter(({ types }) => types.includes("any"))).flatMap(
    ({ texts }) => texts,
  );
}

/** Drops the first word or, more often, the last, which says least. */
export const dropEndWord = editWords(3, (words, random) => {
  words.splice(random() < 0.7 ? words.length - 1 : 0, 1);
  return true;
});

const article = /^(?:the|an?)$/i;

/**
 * Drops an article, a preposition or "and": "University of the West" to "University of West". Of two words only an
 * article is dropped: "The Beatles", but not "El Paso".
 */
export const dropShortWord = editWords(2, (words, random) => {
  const able = placesOf(words, words.length > 2 ? isShortWord : (word) => article.test(word));
  if (able.length === 0 || able.length === words.length) return false;
  words.splice(pick(able, random), 1);
  return true;
});

const common = "the new of and national old great first royal international american united city".split(" ");

/** Inserts a word that many names contain; long words, and the first one, get a capital unless the name has none. */
export const insertWord = editWords(2, (words, random) => {
  const place = Math.floor(random() * (words.length + 1));
  const word = pick(common, random);
  const isTitle = word.length > 3 || place === 0;
  words.splice(place, 0, inWholeCaseOf(words.join(" "), isTitle ? capitalised(word) : word));
  return true;
});

/** Adds a suffix: "Acme" to "Acme Ltd", "Springfield" to "Springfield County". */
export const addSuffix = editWords(1, (words, random, { type }) => {
  const suffix = pick(additionsOf("suffix", type), random);
  if (words[words.length - 1].toLowerCase() === suffix.toLowerCase()) return false;
  words.push(inWholeCaseOf(words.join(" "), suffix));
  return true;
});

/** Joins two words: "Face Book" to "FaceBook" or "Face-Book". */
export const joinWords = editWords(2, (words, random) => {
  const place = Math.floor(random() * (words.length - 1));
  const between = random() < 0.25 ? "-" : "";
  words.splice(place, 2, words[place] + between + words[place + 1]);
  return true;
});

const hyphenated = /^[\p{L}\p{N}]+(?:[-–][\p{L}\p{N}]+)+$/u;

/** Splits a word into parts of at least three letters: "Saint-Denis" to "Saint Denis", "Battlefield" to "Battle field". */
export const splitWord = editWords(1, (words, random) => {
  const able = placesOf(
    words,
    (word) => hyphenated.test(word) || (word.length > 7 && /^\p{L}{6,}$/u.test(word)),
  );
  if (able.length === 0) return false;
  const place = pick(able, random);
  const word = words[place];
  if (hyphenated.test(word)) {
    words.splice(place, 1, ...word.split(/[-–]/));
    return true;
  }
  const units = unitsOf(word);
  if (units.length < 6) return false;
  const cut = 3 + Math.floor(random() * (units.length - 5));
  words.splice(place, 1, units.slice(0, cut).join(""), units.slice(cut).join(""));
  return true;
});

/** Cuts a word short, as people shorten words without an abbreviation: "Acme Manufacturing" to "Acme Manu.". */
export const shortenWord = editWords(2, (words, random) => {
  const able = placesOf(words, (word) => /^\p{L}{6,}$/u.test(word));
  if (able.length === 0) return false;
  const place = pick(able, random);
  const kept = random() < 0.5 ? 3 : 4;
  words[place] = `${unitsOf(words[place]).slice(0, kept).join("")}.`;
  return true;
});

/** Puts the words into another order. */
export const shuffleWords = editWords(3, (words, random) => {
  const before = [...words];
  for (const [to, from] of shuffled(words.length, random).entries()) words[to] = before[from];
  return true;
});

/** The first letters of a name's words: "The New York Times" to "NYT"; of three words or more besides articles. */
export const firstLetters: List = (phrase) => {
  const { words, tail } = namePartsOf(phrase);
  const letters = words
    .filter((word) => /^\p{L}/u.test(word) && !isShortWord(word))
    .map((word) => unitsOf(word)[0]);
  return letters.length < 3 ? [] : [letters.join("").toUpperCase() + tail];
};

/** Adds a qualifier: "Mercury" to "Mercury (planet)" or "Mercury, planet"; a name has at most one. */
export const addQualifier: Draw = (phrase, random, { type }) => {
  if (phrase.trim() === "" || namePartsOf(phrase).tail !== "") return undefined;
  const year = 1900 + Math.floor(random() * 126);
  const drawn = random() < 0.15 ? String(year) : pick(additionsOf("qualifier", type), random);
  const qualifier = inWholeCaseOf(phrase, drawn);
  return random() < 0.6 ? `${phrase} (${qualifier})` : `${phrase}, ${qualifier}`;
};

/** Drops any qualifier: "Mercury (planet)" to "Mercury". */
export const dropQualifier: List = (phrase, { type }) => {
  const { words, tail } = namePartsOf(phrase);
  // The rule of initials reverses "Smith, John"; here only Smith would be left.
  if (tail === "" || (type === "PERSON" && tail.startsWith(","))) return [];
  const name = words.join(" ");
  return name.length > 2 ? [name] : [];
};

/** Usual abbreviations of words in names and back, "&" for "and": University, Univ.; Saint Louis, St. Louis. */
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
