/** The paper's rule: a random character is inserted. */
import { pick } from "../rule.js";
import { randomCharacter } from "./alphabet.js";
import { type Edit, inCaseOf } from "./character-edit.js";

/** Inserts one character (distance 1) after a letter or digit, in the case of that word. */
export const insertCharacter: Edit = (taken, random, settings) => {
  const { units, kinds } = taken;
  const place = pick(taken.places, random);
  const inserted = randomCharacter(taken, place, random, settings);
  if (inserted === undefined) return false;
  // After a word's only capital, its first letter, small letters follow.
  const model = kinds[place + 1] === "letter" ? units[place + 1] : units[place];
  units[place] += settings.randomCharacters === "published" ? inserted : inCaseOf(model, inserted);
  return true;
};
