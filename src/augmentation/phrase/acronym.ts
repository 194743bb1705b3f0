/**
 * "World Health Organization (WHO)" becomes either half, or both in reverse. With a list of short and long forms, a
 * phrase that is one of them becomes the other, and an acronym within a phrase is spelled out.
 */
import type { Partners } from "../../pearl/augmentation/phrase/pair-table.js";
import { type List, oneReplaced } from "../../pearl/augmentation/rule.js";

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
