/**
 * "University of Oxford" becomes "Oxford University", "the cost of living" "the living cost"; the other way only where
 * the last word is an institution or an office ("Cambridge University").
 */
import { capitalised, startsCapital } from "../../pearl/augmentation/letter-case.js";
import type { List } from "../../pearl/augmentation/rule.js";

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
