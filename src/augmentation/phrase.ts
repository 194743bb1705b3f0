/**
 * "University of Oxford" becomes "Oxford University", "the cost of living" "the living cost"; the other way only where
 * the last word is an institution or an office ("Cambridge University").
 */
import { madeFor } from "../by-key.js";
import { readColumns } from "../table/whole-table.js";
import { oneLine } from "../text/visible.js";
import { wordList } from "../text/word-lists.js";
import { capitalised, inWholeCaseOf, type List, likeCaseOf, oneReplaced, startsCapital } from "./rule.js";

const ofPhrase = /^(.+?) of (?:the )?(.+)$/i;
const determiner = /^(?:the|a|an|this|that|its|their|his|her|our|my|your) /i;
/** Words before "of" that are not the head of what follows: amounts, idioms, objects of verbs. */
const noHead =
  /(?:^|\s)(?:\d+|all|any|because|both|bunch|couple|dozens?|each|few|first|form|half|hundreds?|instead|kinds?|last|least|lots?|lot|many|members?|millions?|more|most|much|none|number|one|ones|out|pair|parts?|plenty|portion|rest|same|second|series|set|several|some|sort|sorts|state|thousands?|tons|top|two|three|four|five|types?|up|variety|way|ways|well|years?|days?|months?|age|ahead|aware|full|think|tired|capable|speaking|west|east|north|south|inside|outside|front|thought)$/i;
const preposition =
  /(?:^|\s)(?:about|after|against|among|and|as|at|before|between|by|during|for|from|in|into|of|on|or|over|to|under|upon|with|without|is|are|was|were|that|which|who)(?:\s|$)/i;
const pronoun = /^(?:it|them|us|him|her|me|you|which|whom|this|these|those|mine|yours)$/i;
/** "Western Michigan University" is not the University of Western Michigan. */
const modifiesHead =
  /^(?:north|south|east|west|central|upper|lower|new|old|grand|great|royal|national|international)/i;

/** Heads that take a name after "of" as well as before them. */
const institutions =
  /^(?:academy|archbishop|archdiocese|bank|bishop|borough|city|college|county|department|diocese|district|duchy|duke|governor|institute|journal|king|mayor|ministry|museum|parliament|port|prefecture|prime minister|province|queen|republic|river|state|university)$/i;

export const turnOfPhrase: List = (phrase, { type }) => {
  if (type === "PERSON" || type === "WORK_OF_ART") return [];
  const text = phrase.includes(" of ") ? withoutOf(phrase) : withOf(phrase);
  return text === undefined ? [] : [text];
};

function withoutOf(phrase: string): string | undefined {
  const match = ofPhrase.exec(phrase);
  if (match === null) return undefined;
  const article = determiner.exec(match[1])?.[0] ?? "";
  const head = match[1].slice(article.length);
  const modifier = match[2].replace(determiner, "");
  if (head === "" || noHead.test(head) || preposition.test(head)) return undefined;
  if (preposition.test(modifier) || pronoun.test(modifier)) return undefined;
  if (/[,;()]/.test(phrase) || modifier.split(" ").length > 3 || head.split(" ").length > 2) return undefined;
  const isTitle = startsCapital(head) && startsCapital(modifier);
  // "Bank of the river": the first word takes the capital; the head loses one that it had as the first word only.
  const lead = startsCapital(head) && article === "" ? capitalised(modifier) : modifier;
  const rest = isTitle || !/^\p{Lu}\p{Ll}+$/u.test(head) ? head : head.toLowerCase();
  return `${article}${lead} ${rest}`;
}

function withOf(phrase: string): string | undefined {
  const words = phrase.split(" ");
  if (words.length < 2 || words.length > 4) return undefined;
  const head = words[words.length - 1];
  const modifier = words.slice(0, -1).join(" ");
  if (modifiesHead.test(modifier) || !institutions.test(head)) return undefined;
  if (determiner.test(phrase) || preposition.test(modifier)) return undefined;
  const isName = /^[\p{Lu}][\p{L}'-]+( [\p{Lu}][\p{L}'-]+)*$/u.test(modifier);
  return isName && startsCapital(head) ? `${head} of ${modifier}` : undefined;
}

/**
 * Legal forms of companies are dropped or changed: "Acme, Inc." becomes "Acme", "Acme Inc.", "Acme Incorporated"; "NV
 * Philips" becomes "Philips NV".
 */
const afterComma = /^(?:Inc|Ltd|LLC|LLP|LP|Co\., Ltd)/;

/** Forms that also come before the name: "NV Philips", "AB Volvo", "PT Astra". */
const atFront = ["NV", "AB", "BV", "SA", "AG", "PT", "OAO", "OOO", "PJSC", "JSC"];

/** All spellings of each spelling's form; the first two are written, the others only recognised. */
const formOf = wordList(
  "legal-forms",
  (forms) =>
    new Map(forms.flatMap((form) => form.map((spelling) => [spelling.toLowerCase(), form] as const))),
);
const mostWords = 4;
const lastWord = (text: string): string => text.slice(text.lastIndexOf(" ") + 1).toLowerCase();
const lastWords = wordList("legal-forms", (forms) => new Set(forms.flat().map(lastWord)));

export const changeLegalForm: List = (phrase, { type }) => {
  if (!phrase.includes(" ") || (type !== undefined && type !== "ORG" && type !== "OTHER")) return [];
  const front = atFront.find((form) => phrase.startsWith(`${form} `));
  if (front !== undefined) {
    const name = phrase.slice(front.length + 1);
    return [name, `${name} ${front}`];
  }
  if (!lastWords().has(lastWord(phrase))) return [];
  const words = phrase.split(" ");
  for (let count = Math.min(mostWords, words.length - 1); count > 0; count--) {
    const spelling = words.slice(-count).join(" ");
    const form = formOf().get(spelling.toLowerCase());
    // Capitals are optional, but a small "co" or "as" is a word.
    if (form !== undefined && (spelling.length > 2 || form.includes(spelling)))
      return [...rewritten(phrase, words.slice(0, -count).join(" ").replace(/,$/, ""), form)];
  }
  return [];
};

function* rewritten(phrase: string, name: string, form: readonly string[]): Generator<string> {
  // What is left of "The Company" or "a Limited" does not name a company.
  if (/^(?:the|a|an|and|of|our|this)$/i.test(name)) return;
  const cased = (text: string): string => inWholeCaseOf(phrase, text);
  // Without its form, "The Hershey Company" is "Hershey".
  yield name.replace(/^the /i, "");
  for (const other of form.slice(0, 2)) yield `${name} ${cased(other)}`;
  if (afterComma.test(form[0])) yield `${name}, ${cased(form[0])}`;
  const bare = form[0].replace(/[.,]/g, "");
  yield `${name} ${cased(bare)}`;
  if (atFront.includes(bare)) yield `${bare} ${name}`;
}

// A year at one end of a phrase is moved: "2012 Summer Olympics" becomes "Summer Olympics 2012" or "Summer Olympics
// (2012)", and back. The year of a date ("3 May 2012", "May 2012", "since 2012") stays.

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
const qualifierAfterComma = /^([^,()]*[^,() ]) ?, ([^,()]+)$/;
const listing = / (?:and|or|&|et|und) /i;
/** Not qualifiers although they follow a comma: parts of a listing, legal forms, degrees. */
const noQualifier = /^(?:and|or|but|who|which|that|et|inc|ltd|llc|co|corp|plc|gmbh|jr|sr|ph\.?d|m\.?d)\b/i;

export const moveQualifier =
  (givenNames: ReadonlySet<string>): List =>
  (phrase, { type }) => {
    if (phrase.endsWith(")")) {
      const match = bracketsAtEnd.exec(phrase);
      return match === null ? [] : outOfBrackets(match[1], match[2]);
    }
    const match = phrase.includes(", ") && type !== "PERSON" ? qualifierAfterComma.exec(phrase) : null;
    if (match === null || noQualifier.test(match[2]) || listing.test(match[2])) return [];
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

// "World Health Organization (WHO)" becomes either half, or both in reverse. With a list of short and long forms, a
// phrase that is one of them becomes the other, and an acronym within a phrase is spelled out.

/** "World Health Organization (WHO)", "WHO (World Health Organization)". */
const withBrackets = /^(.+?) [([]([^()[\]]+)[)\]]$/u;
/** Two to eight letters or digits, most of them capitals; points between are allowed: "U.N.". */
const acronym = /^(?=[^\s]{2,12}$)(?:\p{Lu}[\p{Lu}\p{N}&.-]*s?|\p{Lu}\p{Ll}?(?:\p{Lu}\p{Ll}?)+)$/u;

export const spellAcronym =
  (list?: Partners): List =>
  (phrase) => {
    const own = ownExpansion(phrase);
    return list === undefined ? own : [...own, ...list(phrase), ...spelledOut(phrase, list)];
  };

function ownExpansion(phrase: string): string[] {
  if (!phrase.endsWith(")") && !phrase.endsWith("]")) return [];
  const match = withBrackets.exec(phrase);
  if (match === null) return [];
  const [, before, inside] = match;
  const isPair =
    (acronym.test(inside) && standsFor(inside, before)) ||
    (acronym.test(before) && standsFor(before, inside));
  return isPair ? [before, inside, `${inside} (${before})`] : [];
}

/**
 * Whether the letters of a short form stand for a long form: they occur in it in order, the first at its start
 * (after Schwartz and Hearst 2003), and the long form has more letters.
 */
export function standsFor(short: string, long: string): boolean {
  const letters = short
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, "")
    .replace(/s$/, "");
  const text = long.toLowerCase().replace(/^the /, "");
  if (letters.length < 2 || text.length <= letters.length || !text.startsWith(letters[0])) return false;
  let at = 0;
  for (const letter of letters) {
    at = text.indexOf(letter, at) + 1;
    if (at === 0) return false;
  }
  return true;
}

function spelledOut(phrase: string, list: Partners): string[] {
  const isAcronym = (word: string): boolean => acronym.test(word) && word === word.toUpperCase();
  return oneReplaced(phrase.split(" "), (word) =>
    isAcronym(word) ? list(word).filter((long) => long.length > word.length) : [],
  );
}

// Pairs of phrases from users' files: paraphrases, synonyms, short and long forms, found from either side.

/** The partners of a phrase as the files write it, else of the phrase in other letter case; empty if unknown. */
type Partners = (phrase: string) => readonly string[];

/**
 * Reads the first two columns of tables; a header line is recognised by its looks.
 * @returns undefined where there are no files
 * @throws TableError with file and cure where there are not two columns
 */
export async function readPairs(paths: readonly string[]): Promise<Partners | undefined> {
  if (paths.length === 0) return undefined;
  const pairs: (readonly [string, string])[] = [];
  for (const path of paths) {
    const [lefts, rights] = await readColumns(path, ["1", "2"]);
    for (const [row, left] of lefts.entries()) pairs.push([left, rights[row]]);
  }
  return partnersIn(pairs);
}

/**
 * Keeps direct partners only, so that a circle of pairs (a-b, b-c, c-a) never leads back to the phrase itself. Pairs of
 * equal phrases, or with an empty side, are skipped.
 */
export function partnersIn(pairs: Iterable<readonly [string, string]>): Partners {
  const exact = new Map<string, Set<string>>();
  const add = (table: typeof exact, phrase: string, partners: Iterable<string>): void => {
    const known = madeFor(table, phrase, () => new Set<string>());
    for (const partner of partners) known.add(partner);
  };
  for (const pair of pairs) {
    const [left, right] = pair.map(oneLine);
    if (left === "" || right === "" || left.toLowerCase() === right.toLowerCase()) continue;
    add(exact, left, [right]);
    add(exact, right, [left]);
  }
  const inLowerCase: typeof exact = new Map();
  for (const [from, texts] of exact) add(inLowerCase, from.toLowerCase(), texts);
  return (phrase) => {
    const own = exact.get(phrase);
    if (own !== undefined) return [...own];
    return Array.from(inLowerCase.get(phrase.toLowerCase()) ?? [], (text) => likeCaseOf(phrase, text, ""));
  };
}
