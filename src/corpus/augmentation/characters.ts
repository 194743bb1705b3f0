/** Typing errors: one edit in one word, the case pattern kept (PEARL's character granularity, after nlpaug). */
import type { Random } from "../../random.js";
import { keyboardNeighbours } from "../../text/keyboard.js";
import { drawOcrConfusion } from "./ocr-confusion.js";
import { type DrawnRule, pick, type RuleName } from "./rule.js";
import type { ResolvedSettings } from "./settings.js";
import {
  DIGIT,
  inCaseOf,
  isCapital,
  kindOf,
  LETTER,
  OTHER,
  type UnitKind,
  type Units,
  unitsOf,
} from "./units.js";

/** What the character rules take from the settings. */
export type CharacterSettings = Pick<ResolvedSettings, "digits" | "minimumWordLength" | "randomCharacters">;

/** A phrase taken apart, and the places where a character may be changed. */
interface Taken {
  readonly units: Units;
  readonly kinds: readonly UnitKind[];
  /** Positions of letters (and of digits, where they may change) in words that are long enough. */
  readonly places: readonly number[];
}

/** A change of one phrase; it may change `units` in place, and returns false where it does not apply. */
type Edit = (taken: Taken, random: Random, settings: CharacterSettings) => boolean;

const edits: readonly (readonly [RuleName, Edit])[] = [
  ["swap-characters", swapCharacters],
  ["drop-character", dropCharacter],
  ["insert-character", insertCharacter],
  ["keyboard-neighbour", replaceByNeighbour],
  ["random-character", replaceAtRandom],
  ["ocr-confusion", ({ units, places }, random) => drawOcrConfusion(units, places, random)],
];

/** The six character rules. Each makes one edit in a phrase; digits are left alone where the settings keep them. */
export function characterRules(settings: CharacterSettings): DrawnRule[] {
  return edits.map(([name, edit]) => ({
    name,
    granularity: "character",
    draw: (phrase, random) => {
      const taken = takeApart(phrase, settings);
      if (taken.places.length === 0 || !edit(taken, random, settings)) return undefined;
      const text = taken.units.join("");
      return text === phrase || text.trim() === "" ? undefined : text;
    },
  }));
}

function takeApart(phrase: string, { digits, minimumWordLength }: CharacterSettings): Taken {
  const units = unitsOf(phrase);
  const kinds = units.map(kindOf);
  const places: number[] = [];
  let start = 0;
  for (let end = 0; end <= units.length; end++) {
    if (end < units.length && kinds[end] !== OTHER) continue;
    if (end - start >= minimumWordLength) {
      for (let place = start; place < end; place++) {
        if (kinds[place] === LETTER || digits === "change") places.push(place);
      }
    }
    start = end + 1;
  }
  return { units, kinds, places };
}

/** Two neighbours of one kind change places: one transposition (Levenshtein 2, Damerau 1). */
function swapCharacters({ units, kinds, places }: Taken, random: Random): boolean {
  const able = places.filter((place) => {
    const next = units[place + 1];
    return kinds[place + 1] === kinds[place] && next.toLowerCase() !== units[place].toLowerCase();
  });
  if (able.length === 0) return false;
  const place = pick(able, random);
  const [first, second] = [units[place], units[place + 1]];
  units[place] = inCaseOf(first, second);
  units[place + 1] = inCaseOf(second, first);
  return true;
}

/** One character goes (distance 1); a capital that goes hands its case to its successor ("The" to "He"). */
function dropCharacter({ units, kinds, places }: Taken, random: Random): boolean {
  const place = pick(places, random);
  const next = place + 1;
  const opensWord = place === 0 || kinds[place - 1] === OTHER;
  if (opensWord && isCapital(units[place]) && kinds[next] === LETTER) {
    units[next] = inCaseOf(units[place], units[next]);
  }
  units[place] = "";
  return true;
}

/** One character comes in (distance 1): a random one, after a letter or digit, in the case of that letter's word. */
function insertCharacter(taken: Taken, random: Random, settings: CharacterSettings): boolean {
  const { units, kinds } = taken;
  const place = pick(taken.places, random);
  const inserted = randomCharacter(taken, place, random, settings);
  if (inserted === undefined) return false;
  // After the word's only capital, its first letter, small letters follow.
  const model = kinds[place + 1] === LETTER ? units[place + 1] : units[place];
  units[place] += settings.randomCharacters === "published" ? inserted : inCaseOf(model, inserted);
  return true;
}

/** One character becomes one from a key beside it (distance 1); letters become letters, digits digits. */
function replaceByNeighbour({ units, kinds, places }: Taken, random: Random): boolean {
  const able = places.filter((place) => keyboardNeighbours(units[place]) !== "");
  if (able.length === 0) return false;
  const place = pick(able, random);
  const near = keyboardNeighbours(units[place])
    .split("")
    .filter((key) => kindOf(key) === kinds[place]);
  units[place] = inCaseOf(units[place], pick(near, random));
  return true;
}

/** One character becomes any other (distance 1). */
function replaceAtRandom(taken: Taken, random: Random, settings: CharacterSettings): boolean {
  const { units } = taken;
  const place = pick(taken.places, random);
  const replacement = randomCharacter(taken, place, random, settings);
  if (replacement === undefined) return false;
  units[place] =
    settings.randomCharacters === "published" ? replacement : inCaseOf(units[place], replacement);
  return true;
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
 * A character other than the one at `place`: of its alphabet; in scripts without one here, another letter of the
 * phrase, so that no script is mixed into another.
 */
function randomCharacter(
  { units, kinds, places }: Taken,
  place: number,
  random: Random,
  { randomCharacters }: CharacterSettings,
): string | undefined {
  const own = units[place];
  if (randomCharacters === "published") return other(publishedAlphabet, own, random);
  const lower = own.toLowerCase();
  if (kinds[place] === DIGIT) return other(digits, own, random);
  const alphabet = alphabets.find((letters) => letters.includes(baseLetter(lower)));
  if (alphabet !== undefined) return other(alphabet, lower, random);
  const letters = places.filter((at) => kinds[at] === LETTER && units[at].toLowerCase() !== lower);
  return letters.length === 0 ? undefined : units[pick(letters, random)];
}

/** "é" stands in the alphabet of "e". */
function baseLetter(letter: string): string {
  return letter.charCodeAt(0) < 128 ? letter : letter.normalize("NFD")[0];
}

function other(alphabet: string, own: string, random: Random): string {
  const place = alphabet.indexOf(own);
  if (place < 0) return pick(alphabet, random);
  const drawn = Math.floor(random() * (alphabet.length - 1));
  return alphabet[drawn < place ? drawn : drawn + 1];
}
