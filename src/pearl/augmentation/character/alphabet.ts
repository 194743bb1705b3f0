/** Random characters, of the alphabet of the one whose place they take. */
import type { Random } from "../../../random.js";
import { pick } from "../rule.js";
import type { CharacterSettings, Taken } from "./character-edit.js";
import { DIGIT, LETTER } from "./units.js";

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
export function randomCharacter(
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
