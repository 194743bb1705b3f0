/** The paper's rule: a character is left out. */
import { pick } from "../rule.js";
import type { Edit } from "./character-edit.js";
import { inCaseOf, isCapital, LETTER, OTHER } from "./units.js";

/** One character goes (distance 1); a capital that goes hands its case to its successor ("The" to "He"). */
export const dropCharacter: Edit = ({ units, kinds, places }, random) => {
  const place = pick(places, random);
  const next = place + 1;
  const opensWord = place === 0 || kinds[place - 1] === OTHER;
  if (opensWord && isCapital(units[place]) && kinds[next] === LETTER) {
    units[next] = inCaseOf(units[place], units[next]);
  }
  units[place] = "";
  return true;
};
