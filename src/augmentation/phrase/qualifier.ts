/**
 * Qualifiers are dropped or moved: "Mercury (planet)" becomes "Mercury", "Mercury, planet" or "planet Mercury";
 * "Springfield, Illinois" becomes "Springfield", "Springfield (Illinois)" or "Illinois Springfield". Years and acronyms
 * in brackets are only dropped; they have rules of their own.
 */
import type { List } from "../../pearl/augmentation/rule.js";
import { isDayBeforeYear } from "./year.js";

const bracketsAtEnd = /^([^()]+) \( ?([^()]*[^() ]) ?\)$/;
const initials = /^(?:\p{Lu}\.[ -]?)+$/u;
const afterComma = /^([^,()]*[^,() ]) ?, ([^,()]+)$/;
const list = / (?:and|or|&|et|und) /i;
/** Not qualifiers although they follow a comma: parts of a list, legal forms, degrees. */
const noQualifier = /^(?:and|or|but|who|which|that|et|inc|ltd|llc|co|corp|plc|gmbh|jr|sr|ph\.?d|m\.?d)\b/i;

export const moveQualifier =
  (givenNames: ReadonlySet<string>): List =>
  (phrase, { type }) => {
    if (phrase.endsWith(")")) {
      const match = bracketsAtEnd.exec(phrase);
      return match === null ? [] : outOfBrackets(match[1], match[2]);
    }
    const match = phrase.includes(", ") && type !== "PERSON" ? afterComma.exec(phrase) : null;
    if (match === null || noQualifier.test(match[2]) || list.test(match[2])) return [];
    const [, main, qualifier] = match;
    if (isDayBeforeYear(main, qualifier)) return [];
    // "Tolkien, J. R. R." and "Smith, John" are names, which the rule of initials reverses.
    if (initials.test(qualifier) || givenNames.has(qualifier.split(" ", 1)[0])) return [];
    return [main, `${main} (${qualifier})`, `${qualifier} ${main}`];
  };

function outOfBrackets(main: string, qualifier: string): string[] {
  const isYearOrAcronym = /^(?:\p{N}[\p{N}–-]*|\p{Lu}+s?)$/u.test(qualifier);
  return isYearOrAcronym ? [main] : [main, `${main}, ${qualifier}`, `${qualifier} ${main}`];
}
