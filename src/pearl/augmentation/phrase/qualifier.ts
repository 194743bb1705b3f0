/** In place of the paper's paraphrases (Parrot): Qualifiers in brackets or after a comma: dropped, moved, or set off in the other way. */
import { type ListedRule, othersThan } from "../rule.js";
import { isDayBeforeYear } from "./year.js";

const bracketsAtEnd = /^([^()]+) \( ?([^()]*[^() ]) ?\)$/;
const initials = /^(?:\p{Lu}\.[ -]?)+$/u;
const afterComma = /^([^,()]*[^,() ]) ?, ([^,()]+)$/;
const list = / (?:and|or|&|et|und) /i;
/** After a comma these are no qualifiers of their own: parts of a list, legal forms, degrees. */
const noQualifier = /^(?:and|or|but|who|which|that|et|inc|ltd|llc|co|corp|plc|gmbh|jr|sr|ph\.?d|m\.?d)\b/i;

/**
 * The rule: "Mercury (planet)" becomes "Mercury", "Mercury, planet" or "planet Mercury"; "Springfield, Illinois"
 * becomes "Springfield", "Springfield (Illinois)" or "Illinois Springfield"; "flu, avian" "avian flu".
 * A year in brackets is left to the year rule, an acronym to the acronym rule.
 */
export const qualifierRule = (givenNames: ReadonlySet<string>): ListedRule => ({
  name: "qualifier",
  granularity: "phrase",
  list: (phrase, { type }) => {
    if (phrase.endsWith(")")) {
      const match = bracketsAtEnd.exec(phrase);
      return match === null ? [] : othersThan(phrase, outOfBrackets(match[1], match[2]));
    }
    const match = phrase.includes(", ") && type !== "PERSON" ? afterComma.exec(phrase) : null;
    if (match === null || noQualifier.test(match[2]) || list.test(match[2])) return [];
    const [, main, qualifier] = match;
    if (isDayBeforeYear(main, qualifier)) return [];
    // "Tolkien, J. R. R." and "Smith, John" are names, which the rule of initials turns round.
    if (initials.test(qualifier) || givenNames.has(qualifier.split(" ", 1)[0])) return [];
    return othersThan(phrase, [main, `${main} (${qualifier})`, `${qualifier} ${main}`]);
  },
});

function outOfBrackets(main: string, qualifier: string): string[] {
  if (/^\p{N}[\p{N}–-]*$/u.test(qualifier)) return [main];
  if (/^\p{Lu}+s?$/u.test(qualifier)) return [main];
  return [main, `${main}, ${qualifier}`, `${qualifier} ${main}`];
}
