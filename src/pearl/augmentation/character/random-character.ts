/** nlpaug's random substitution (not among the paper's four rules): a character becomes any other. */
import { pick } from "../rule.js";
import { randomCharacter } from "./alphabet.js";
import type { Edit } from "./character-edit.js";
import { inCaseOf } from "./units.js";

/** One character becomes any other (distance 1). */
export const replaceAtRandom: Edit = (taken, random, settings) => {
  const { units } = taken;
  const place = pick(taken.places, random);
  const replacement = randomCharacter(taken, place, random, settings);
  if (replacement === undefined) return false;
  units[place] =
    settings.randomCharacters === "published" ? replacement : inCaseOf(units[place], replacement);
  return true;
};
