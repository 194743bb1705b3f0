/** The paper's rule: a character becomes one from a key beside it. */
import { keyboardNeighbours } from "../../../text/keyboard.js";
import { pick } from "../rule.js";
import type { Edit } from "./character-edit.js";
import { inCaseOf, kindOf } from "./units.js";

/** One character becomes one from a key beside it (distance 1); letters become letters, digits digits. */
export const replaceByNeighbour: Edit = ({ units, kinds, places }, random) => {
  const able = places.filter((place) => keyboardNeighbours(units[place]) !== "");
  if (able.length === 0) return false;
  const place = pick(able, random);
  const near = keyboardNeighbours(units[place])
    .split("")
    .filter((key) => kindOf(key) === kinds[place]);
  units[place] = inCaseOf(units[place], pick(near, random));
  return true;
};
