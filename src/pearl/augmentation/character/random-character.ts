/** nlpaug's random substitution (not among the paper's four rules): a character becomes any other. */
import { pick } from "../rule.js";
import { randomCharacter } from "./alphabet.js";
import type { Edit } from "./character-edit.js";

export const replaceAtRandom: Edit = (taken, random, settings) => {
  const place = pick(taken.places, random);
  const other = randomCharacter(taken, place, random, settings);
  if (other === undefined) return false;
  taken.units[place] = other;
  return true;
};
