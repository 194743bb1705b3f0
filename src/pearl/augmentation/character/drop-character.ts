/** The paper's rule: a character is dropped (distance 1); a capital passes its case on ("The" to "He"). */
import { pick } from "../rule.js";
import { type Edit, inCaseOf, isCapital } from "./character-edit.js";

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
