/** The rule: a qualifier put behind a name; no rule of the paper. */
import { type DrawnRule, pick } from "../../rule.js";
import { additionsOf } from "../../token/names/additions.js";
import { namePartsOf } from "../../token/names/name-parts.js";
import { inWholeCaseOf } from "../letter-case.js";

/** "Mercury" to "Mercury (planet)" or "Mercury, planet"; a name has one qualifier at most. */
export const addQualifierRule: DrawnRule = {
  name: "add-qualifier",
  granularity: "phrase",
  draw: (phrase, random, { type }) => {
    if (phrase.trim() === "" || namePartsOf(phrase).tail !== "") return undefined;
    const year = 1900 + Math.floor(random() * 126);
    const drawn = random() < 0.15 ? String(year) : pick(additionsOf(type).qualifiers, random);
    const qualifier = inWholeCaseOf(phrase, drawn);
    return random() < 0.6 ? `${phrase} (${qualifier})` : `${phrase}, ${qualifier}`;
  },
};
