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
