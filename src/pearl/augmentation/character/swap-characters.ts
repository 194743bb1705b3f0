/** The paper's rule: two neighbouring characters change places. */
import { pick } from "../rule.js";
import { type Edit, inCaseOf } from "./character-edit.js";

/** Swaps two neighbours of one kind: one transposition (Levenshtein 2, Damerau 1). */
export const swapCharacters: Edit = ({ units, kinds, places }, random) => {
  const able = places.filter(
    (place) =>
      kinds[place + 1] === kinds[place] && units[place + 1].toLowerCase() !== units[place].toLowerCase(),
  );
  if (able.length === 0) return false;
  const place = pick(able, random);
  const [first, second] = [units[place], units[place + 1]];
  units[place] = inCaseOf(first, second);
  units[place + 1] = inCaseOf(second, first);
  return true;
};
