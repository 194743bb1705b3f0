/** What the character rules share: one edit in one word, its case pattern kept (after nlpaug). */
import type { Random } from "../../../random.js";
import { type Draw, pick } from "../rule.js";

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
export interface Taken {
  readonly units: string[];
  readonly kinds: readonly Kind[];
  /** Positions of letters (and of digits, where they may change) in words that are long enough. */
  readonly places: readonly number[];
}

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

function takeApart(phrase: string, { digits, minimumWordLength }: CharacterSettings): Taken {
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

export const isCapital = (unit: string): boolean => unit !== unit.toLowerCase();

/** `unit` as a capital where `model` is one, else in lower case; unchanged where its case changes its length (ß). */
export function inCaseOf(model: string, unit: string): string {
  const cased = isCapital(model) ? unit.toUpperCase() : unit.toLowerCase();
  return cased.length === unit.length ? cased : unit;
}

/** Random characters, from the alphabet of the character that they replace. */
const digits = "0123456789";
const alphabets = [
  "abcdefghijklmnopqrstuvwxyz",
  "абвгдежзийклмнопрстуфхцчшщъыьэюя",
  "αβγδεζηθικλμνξοπρστυφχψω",
];
/** nlpaug's candidates of RandomCharAug. */
const publishedAlphabet = `ABCDEFGHIJKLMNOPQRSTUVWXYZ${alphabets[0]}${digits}!@#$%^&*()_+`;

/**
 * A character other than the one at `place`, in the case of `model`: of its alphabet; in other scripts another letter of
 * the phrase, so that scripts are not mixed. The published code draws any character.
 */
export function randomCharacter(
  taken: Taken,
  place: number,
  random: Random,
  { randomCharacters }: CharacterSettings,
  model = taken.units[place],
): string | undefined {
  if (randomCharacters === "published") return other(publishedAlphabet, taken.units[place], random);
  const character = sameKind(taken, place, random);
  return character && inCaseOf(model, character);
}

function sameKind({ units, kinds, places }: Taken, place: number, random: Random): string | undefined {
  const own = units[place];
  if (kinds[place] === "digit") return other(digits, own, random);
  const lower = own.toLowerCase();
  // "é" counts as a letter of the alphabet of "e".
  const base = lower.charCodeAt(0) < 128 ? lower : lower.normalize("NFD")[0];
  const alphabet = alphabets.find((letters) => letters.includes(base));
  if (alphabet !== undefined) return other(alphabet, lower, random);
  const letters = places.filter((at) => kinds[at] === "letter" && units[at].toLowerCase() !== lower);
  return letters.length === 0 ? undefined : units[pick(letters, random)];
}

const other = (alphabet: string, own: string, random: Random): string =>
  pick(alphabet.replace(own, ""), random);

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

/** Keys that touch on QWERTY and ЙЦУКЕН. */
const neighbours = new Map(
  (
    "1:2 2:13 3:24 4:35 5:46 6:57 7:68 8:79 9:80 0:9 " +
    "q:wa w:qeas e:wrsd r:etdf t:ryfg y:tugh u:yihj i:uojk o:ipkl p:ol a:qwsz s:weadzx d:ersfxc f:rtdgcv " +
    "g:tyfhvb h:yugjbn j:uihknm k:iojlm l:opk z:asx x:sdzc c:dfxv v:fgcb b:ghvn n:hjbm m:jkn " +
    "й:цф ц:йуфы у:цкыв к:уева е:кнап н:егпр г:ншро ш:гщол щ:шзлд з:щхдж х:зъжэ ъ:хэ ф:йцыя ы:цуфвяч " +
    "в:укыачс а:кевпсм п:енарми р:нгпоит о:гшрлть л:шщодьб д:щзлжбю ж:зхдэю э:хъж я:фыч ч:ывяс с:вачм " +
    "м:апси и:прмт т:роиь ь:олтб б:лдью ю:джб"
  )
    .split(" ")
    .map((keys) => [keys[0], keys.slice(2)]),
);

/** The keys next to that of a letter or digit, in lower case; "" for any other character. */
export const keyboardNeighbours = (character: string): string =>
  neighbours.get(character.toLowerCase()) ?? "";

export const replaceByNeighbour: Edit = ({ units, places }, random) => {
  const able = places.filter((place) => keyboardNeighbours(units[place]) !== "");
  if (able.length === 0) return false;
  const place = pick(able, random);
  units[place] = inCaseOf(units[place], pick(keyboardNeighbours(units[place]), random));
  return true;
};

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
