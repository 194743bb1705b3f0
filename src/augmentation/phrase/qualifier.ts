/**
 * A year at one end of a phrase is moved: "2012 Summer Olympics" becomes "Summer Olympics 2012" or "Summer Olympics
 * (2012)", and back. The year of a date ("3 May 2012", "May 2012", "since 2012") stays.
 */
import { capitalised, startsCapital } from "../../pearl/augmentation/letter-case.js";
import type { List } from "../../pearl/augmentation/rule.js";

/** 1000 to 2099, or a season such as 2001–02. */
const year = "(?:1\\d{3}|20\\d{2})(?:[–/-]\\d{2}(?:\\d{2})?)?";
const atStart = new RegExp(`^(${year}) (.+)$`);
const atEnd = new RegExp(`^(.+?),? (${year})$`);
const inBrackets = new RegExp(`^(.+) \\((${year})\\)$`);
const afterIn = new RegExp(`^(.+) (?:in|of) (?:the year )?(${year})$`);

export const moveYear: List = (phrase, { type }) => {
  if (type === "DATE" || !/\d{4}/.test(phrase)) return [];
  const found = takeOut(phrase);
  if (found === undefined || boundToYear.test(found.rest)) return [];
  const { when, rest } = found;
  if (!/\p{L}\p{L}.*[\p{L}.)]$/u.test(rest) || phrase.includes("_")) return [];
  const first = `${when} ${startsCapital(phrase) ? capitalised(rest) : rest}`;
  return [first, `${rest} ${when}`, `${rest} (${when})`];
};

/** "May 30" of "May 30, 1998 earthquake": what follows the comma is the year of a date, not a qualifier. */
export const isDayBeforeYear = (before: string, after: string): boolean =>
  dayAtEnd.test(before) && /^\d{4}/.test(after);

const month = "jan\\w*|feb\\w*|mar|march|apr|april|may|june?|july?|aug\\w*|sept?\\w*|oct\\w*|nov\\w*|dec\\w*";
const dayAtEnd = new RegExp(`(?:^|\\s)(?:${month})\\.? \\d{1,2}(?:st|nd|rd|th)?$`, "i");
const boundToYear = new RegExp(
  `(?:^|\\s)(?:\\d+(?:st|nd|rd|th)?|${month}|of|in|since|from|to|until|till|year|by|before|after|about|around|circa|early|late|mid|and|the|a)[.,]?$`,
  "i",
);

function takeOut(phrase: string): { when: string; rest: string } | undefined {
  const start = atStart.exec(phrase);
  if (start !== null)
    return /^(?:and|to|or|-|–)\b/.test(start[2]) ? undefined : { when: start[1], rest: start[2] };
  const end = inBrackets.exec(phrase) ?? afterIn.exec(phrase) ?? atEnd.exec(phrase);
  return end === null ? undefined : { when: end[2], rest: end[1] };
}

/**
 * Qualifiers are dropped or moved: "Mercury (planet)" becomes "Mercury", "Mercury, planet" or "planet Mercury";
 * "Springfield, Illinois" becomes "Springfield", "Springfield (Illinois)" or "Illinois Springfield". Years and acronyms
 * in brackets are only dropped; they have rules of their own.
 */
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
