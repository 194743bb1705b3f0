/** The paper's rule: two neighbours of one kind change places (Levenshtein distance 2, Damerau 1). */
import { pick } from "../rule.js";
import { type Edit, inCaseOf } from "./character-edit.js";

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
