/** The character rules: the paper's four, those beyond them, and what they share: one edit in one word, its case kept (after nlpaug). */
import type { Random } from "../random.js";
import { wordList } from "../text/word-lists.js";
import { type Draw, pick } from "./rule.js";

export interface CharacterSettings {
  /** Whether typing errors may change digits; a year with another digit is another year. */
  readonly digits: "keep" | "change";
  /** Letters that a word needs for a typing error in it. */
  readonly minimumWordLength: number;
  /** What replaces a letter at random: a letter, or as in the published code any letter, digit or sign. */
  readonly randomCharacters: "same-kind" | "published";
}

/** Words are runs of letters and digits. */
type Kind = "letter" | "digit" | "other";

/** A phrase taken apart, and the places where a character may be changed. */
type Taken = ReturnType<typeof takeApart>;

/** Changes `units` in place; returns false where it does not apply. */
export type Edit = (taken: Taken, random: Random, settings: CharacterSettings) => boolean;

export function characterEdit(edit: Edit, settings: CharacterSettings): Draw {
  return (phrase, random) => {
    const taken = takeApart(phrase, settings);
    if (taken.places.length === 0 || !edit(taken, random, settings)) return undefined;
    const text = taken.units.join("");
    return text === phrase || text.trim() === "" ? undefined : text;
  };
}

/** @returns `places`: of letters (and of digits, where they may change) in words that are long enough */
function takeApart(phrase: string, { digits, minimumWordLength }: CharacterSettings) {
  const units = unitsOf(phrase);
  const kinds = units.map(kindOf);
  const places: number[] = [];
  let start = 0;
  for (let end = 0; end <= units.length; end++) {
    if (end < units.length && kinds[end] !== "other") continue;
    if (end - start >= minimumWordLength) {
      for (let place = start; place < end; place++) {
        if (kinds[place] === "letter" || digits === "change") places.push(place);
      }
    }
    start = end + 1;
  }
  return { units, kinds, places };
}

/** Beyond these, what looks like one character may take several code units. */
const severalCodeUnits = /[\p{M}\ud800-\udfff\u1100-\u11ff\u200d]/u;
const segmenter = new Intl.Segmenter("en", { granularity: "grapheme" });

/** The characters that people see: a letter with its accents, or an emoji, is one. */
export function unitsOf(text: string): string[] {
  if (!severalCodeUnits.test(text)) return text.split("");
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

const kindOf = (unit: string): Kind =>
  /^\p{L}/u.test(unit) ? "letter" : /^\p{N}/u.test(unit) ? "digit" : "other";

const isCapital = (unit: string): boolean => unit !== unit.toLowerCase();

/** `unit` as a capital where `model` is one, else in lower case; unchanged where its case changes its length (ß). */
function inCaseOf(model: string, unit: string): string {
  const cased = isCapital(model) ? unit.toUpperCase() : unit.toLowerCase();
  return cased.length === unit.length ? cased : unit;
}

const digits = "0123456789";
const alphabets = [
  "abcdefghijklmnopqrstuvwxyz",
  "абвгдежзийклмнопрстуфхцчшщъыьэюя",
  "αβγδεζηθικλμνξοπρστυφχψω",
];
/** nlpaug's candidates of RandomCharAug. */
const publishedAlphabet = `ABCDEFGHIJKLMNOPQRSTUVWXYZ${alphabets[0]}${digits}!@#$%^&*()_+`;

/**
 * A character otherOf than the one at `place`, in the case of `model`: of its alphabet; in otherOf scripts another letter of
 * the phrase, so that scripts are not mixed. The published code draws any character.
 */
function randomCharacter(
  taken: Taken,
  place: number,
  random: Random,
  { randomCharacters }: CharacterSettings,
  model = taken.units[place],
): string | undefined {
  if (randomCharacters === "published") return otherOf(publishedAlphabet, taken.units[place], random);
  const character = sameKind(taken, place, random);
  return character && inCaseOf(model, character);
}

function sameKind({ units, kinds, places }: Taken, place: number, random: Random): string | undefined {
  const own = units[place];
  if (kinds[place] === "digit") return otherOf(digits, own, random);
  const lower = own.toLowerCase();
  // "é" counts as a letter of the alphabet of "e".
  const base = lower.charCodeAt(0) < 128 ? lower : lower.normalize("NFD")[0];
  const alphabet = alphabets.find((letters) => letters.includes(base));
  if (alphabet !== undefined) return otherOf(alphabet, lower, random);
  const letters = places.filter((at) => kinds[at] === "letter" && units[at].toLowerCase() !== lower);
  return letters.length === 0 ? undefined : units[pick(letters, random)];
}

const otherOf = (alphabet: string, own: string, random: Random): string =>
  pick(alphabet.replace(own, ""), random);

/** The paper's rule: two neighbours of one kind change places (Levenshtein distance 2, Damerau 1). */
export const swapCharacters: Edit = ({ units, kinds, places }, random) => {
  const able = places.filter(
    (place) =>
      kinds[place + 1] === kinds[place] && units[place + 1].toLowerCase() !== units[place].toLowerCase(),
  );
  if (able.length === 0) return false;
  const place = pick(able, random);
  const [first, second] = [units[place], units[place + 1]];
  units[place] = inCaseOf(first, second);
  units[place + 1] = inCaseOf(second, first);
  return true;
};

/** The paper's rule: a character is dropped (distance 1); a capital passes its case on ("The" to "He"). */
export const dropCharacter: Edit = ({ units, kinds, places }, random) => {
  const place = pick(places, random);
  const next = place + 1;
  const startsWord = place === 0 || kinds[place - 1] === "other";
  if (startsWord && isCapital(units[place]) && kinds[next] === "letter") {
    units[next] = inCaseOf(units[place], units[next]);
  }
  units[place] = "";
  return true;
};

/** The paper's rule: a random character is inserted after a letter or digit (distance 1), in the word's case. */
export const insertCharacter: Edit = (taken, random, settings) => {
  const { units, kinds } = taken;
  const place = pick(taken.places, random);
  // After a first capital, the next letter gives the case.
  const model = kinds[place + 1] === "letter" ? units[place + 1] : units[place];
  const inserted = randomCharacter(taken, place, random, settings, model);
  if (inserted === undefined) return false;
  units[place] += inserted;
  return true;
};

// The paper's rule: a character becomes that of a neighbouring key; letters become letters, digits digits.

/** Keys that touch on QWERTY and ЙЦУКЕН. */
const neighbours = wordList("keyboard", (entries) => new Map(entries as [string, string][]));

/** The keys next to that of a letter or digit, in lower case; "" for any other character. */
export const keyboardNeighbours = (character: string): string =>
  neighbours().get(character.toLowerCase()) ?? "";

export const replaceByNeighbour: Edit = ({ units, places }, random) => {
  const able = places.filter((place) => keyboardNeighbours(units[place]) !== "");
  if (able.length === 0) return false;
  const place = pick(able, random);
  units[place] = inCaseOf(units[place], pick(keyboardNeighbours(units[place]), random));
  return true;
};

/** Similar shapes; each may be read as any other of its set. */
const alike = "0OQD 1lI| 5S 8B 2Z 6G oce il1 ft uvn hb gq9 CG EF PR VY MN s5 z2 o0 B3 A4 T7 a@"
  .split(" ")
  .map((set) => set.split(""));

/** Two characters that run together, and the one that they look like; read both ways. */
const pairs = "rn:m cl:d vv:w ri:n li:h nn:m".split(" ").map((pair) => pair.split(":"));

const confusions = new Map<string, string[]>();
for (const set of [...alike, ...pairs])
  for (const from of set) {
    const known = confusions.get(from) ?? [];
    confusions.set(from, [...new Set([...known, ...set.filter((to) => to !== from)])]);
  }

/** Misreads one character (distance 1) or one pair that runs together (distance 2). */
export const confuseAsScanner: Edit = ({ units, places }, random) => {
  const able: (readonly [place: number, seen: string])[] = [];
  places.forEach((place, index) => {
    const two = units[place] + units[place + 1];
    if (confusions.has(units[place])) able.push([place, units[place]]);
    if (places[index + 1] === place + 1 && confusions.has(two)) able.push([place, two]);
  });
  if (able.length === 0) return false;
  const [place, seen] = pick(able, random);
  units[place] = pick(confusions.get(seen)!, random);
  if (seen.length === 2) units[place + 1] = "";
  return true;
};

/** nlpaug's random substitution (not among the paper's four rules): a character becomes any other. */
export const replaceAtRandom: Edit = (taken, random, settings) => {
  const place = pick(taken.places, random);
  const other = randomCharacter(taken, place, random, settings);
  if (other === undefined) return false;
  taken.units[place] = other;
  return true;
};

/** Replaced in one direction only, since a plain letter seldom stands for an accented one. */
const oneWay = /[ß-ž]/;

/** `first`: the first place in a word where a spelling may be replaced. */
const spellings = wordList("sound-spellings", (entries) =>
  entries.flatMap(([where, ...pairs]) => {
    const first = where === "inside" ? 1 : 0;
    return pairs.flatMap((pair) => {
      const [from, to] = pair.split(":");
      const isOneWay = to === "" || oneWay.test(from);
      return [{ from, to, first }, ...(isOneWay ? [] : [{ from: to, to: from, first }])];
    });
  }),
);

/** Changes one word of at least four letters, by a spelling drawn among those that occur in it. */
export const respellSound: Draw = (phrase, random) => {
  const words = [...phrase.matchAll(/\p{L}{4,}/gu)];
  if (words.length === 0) return undefined;
  const { 0: word, index: start } = pick(words, random);
  const lower = word.toLowerCase();
  // Places in the lower-case word fit the word only if no letter changes its length (İ).
  if (lower.length !== word.length) return undefined;
  const able = spellings().filter(({ from, first }) => lower.includes(from, first));
  if (able.length === 0) return undefined;
  const { from, to, first } = pick(able, random);
  const at = lower.indexOf(from, first);
  const respelt = word.slice(0, at) + cased(word, at, from, to) + word.slice(at + from.length);
  return phrase.slice(0, start) + respelt + phrase.slice(start + word.length);
};

/** `to`, letter by letter in the case of what it replaces: "Ph" to "F", "F" to "Ph", but "FX" to "PHX". */
function cased(word: string, at: number, from: string, to: string): string {
  let text = "";
  for (let index = 0; index < to.length; index++) {
    const model = index < from.length ? word[at + index] : (word[at + index] ?? word[at + from.length - 1]);
    text += inCaseOf(model, to[index]);
  }
  return text;
}
