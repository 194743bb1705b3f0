/** nlpaug's random substitution (not among the paper's four rules): a character becomes any other. */
import { randomCharacter } from "../../pearl/augmentation/character/alphabet.js";
import type { Edit } from "../../pearl/augmentation/character/character-edit.js";
import { pick } from "../../pearl/augmentation/rule.js";

export const replaceAtRandom: Edit = (taken, random, settings) => {
  const place = pick(taken.places, random);
  const other = randomCharacter(taken, place, random, settings);
  if (other === undefined) return false;
  taken.units[place] = other;
  return true;
};
