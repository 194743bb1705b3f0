/** The rule: a qualifier in brackets or after a comma left out; no rule of the paper. */
import type { ListedRule } from "../../rule.js";
import { namePartsOf } from "../../token/names/name-parts.js";

/** "Mercury (planet)" to "Mercury": unlike the rule "qualifier" it never turns one round, and takes any. */
export const dropQualifierRule: ListedRule = {
  name: "drop-qualifier",
  granularity: "phrase",
  list: (phrase, { type }) => {
    const { words, tail } = namePartsOf(phrase);
    // "Smith, John" is turned round by the rule of initials, and would be Smith alone here.
    if (tail === "" || (type === "PERSON" && tail.startsWith(","))) return [];
    const name = words.join(" ");
    return name.length > 2 ? [name] : [];
  },
};
