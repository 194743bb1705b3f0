/** The rule: middle names left out or shortened; no rule of the paper. */
import type { DrawnRule } from "../../rule.js";
import { initialOf, isInitial, personNameOf } from "../initials.js";

/** The rule: "John Fitzgerald Kennedy" becomes "John Kennedy", and in two of five draws "John F. Kennedy" or "John F Kennedy". */
export function middleNameRule(givenNames: ReadonlySet<string>): DrawnRule {
  return {
    name: "middle-name",
    granularity: "phrase",
    draw: (phrase, random, { type }) => {
      const name = personNameOf(phrase, type, givenNames);
      if (name === undefined || name.given.length < 2) return undefined;
      const [first, ...middle] = name.given;
      // "J. R. R. Tolkien" is nobody's name without them all.
      if (isInitial(first)) return undefined;
      if (random() < 0.6) return `${first} ${name.family}`;
      const initials = middle.map(initialOf).join(" ");
      const text = `${first} ${random() < 0.5 ? initials : initials.replaceAll(".", "")} ${name.family}`;
      return text === phrase ? `${first} ${name.family}` : text;
    },
  };
}
