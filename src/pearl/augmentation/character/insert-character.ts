/** The paper's rule: a random character is put in. */
import { pick } from "../rule.js";
import { randomCharacter } from "./alphabet.js";
import type { Edit } from "./character-edit.js";
import { inCaseOf, LETTER } from "./units.js";

/** One character comes in (distance 1): a random one, after a letter or digit, in the case of that letter's word. */
export const insertCharacter: Edit = (taken, random, settings) => {
  const { units, kinds } = taken;
  const place = pick(taken.places, random);
  const inserted = randomCharacter(taken, place, random, settings);
  if (inserted === undefined) return false;
  // After the word's only capital, its first letter, small letters follow.
  const model = kinds[place + 1] === LETTER ? units[place + 1] : units[place];
  units[place] += settings.randomCharacters === "published" ? inserted : inCaseOf(model, inserted);
  return true;
};
