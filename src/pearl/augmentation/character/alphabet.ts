/** Random characters, from the alphabet of the character that they replace. */
import type { Random } from "../../../random.js";
import { pick } from "../rule.js";
import { type CharacterSettings, inCaseOf, type Taken } from "./character-edit.js";

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
