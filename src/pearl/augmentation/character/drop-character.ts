/** The paper's rule: a character is left out. */
import { pick } from "../rule.js";
import { type Edit, inCaseOf, isCapital } from "./character-edit.js";

/** Drops one character (distance 1); a dropped capital passes its case to the next letter ("The" to "He"). */
export const dropCharacter: Edit = ({ units, kinds, places }, random) => {
  const place = pick(places, random);
  const next = place + 1;
  const startsWord = place === 0 || kinds[place - 1] === "other";
  if (startsWord && isCapital(units[place]) && kinds[next] === "letter") {
    units[next] = inCaseOf(units[place], units[next]);
  }
  units[place] = "";
  return true;
};
