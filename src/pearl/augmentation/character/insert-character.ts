/** The paper's rule: a random character is inserted after a letter or digit (distance 1), in the word's case. */
import { pick } from "../rule.js";
import { randomCharacter } from "./alphabet.js";
import type { Edit } from "./character-edit.js";

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
