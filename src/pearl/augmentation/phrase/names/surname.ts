/** The rule: a person by the surname alone; no rule of the paper. */
import { type ListedRule, othersThan } from "../../rule.js";
import { personNameOf } from "../initials.js";

/** The rule: "Ludwig van Beethoven" becomes "Beethoven", as whoever has been named before is called. */
export function surnameRule(givenNames: ReadonlySet<string>): ListedRule {
  return {
    name: "surname",
    granularity: "phrase",
    list: (phrase, { type }) => {
      const family = personNameOf(phrase, type, givenNames)?.family;
      return family === undefined ? [] : othersThan(phrase, [family.slice(family.lastIndexOf(" ") + 1)]);
    },
  };
}
