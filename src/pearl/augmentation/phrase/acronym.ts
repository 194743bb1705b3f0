/** In place of the paper's paraphrases (Parrot): Acronyms and their expansions: where a phrase gives both, or from a list of the user's. */

import type { PairTable } from "../pair-table.js";
import { type ListedRule, othersThan } from "../rule.js";

/** "World Health Organization (WHO)", "WHO (World Health Organization)". */
const withBrackets = /^(.+?) [([]([^()[\]]+)[)\]]$/u;
/** Two to eight letters or digits, most of them capitals; points between are allowed: "U.N.". */
const acronym = /^(?=[^\s]{2,12}$)(?:\p{Lu}[\p{Lu}\p{N}&.-]*s?|\p{Lu}\p{Ll}?(?:\p{Lu}\p{Ll}?)+)$/u;

/**
 * The rule: "World Health Organization (WHO)" becomes either half or both the other way round. With a list of short
 * and long forms, a phrase that is one of them becomes the other, and an acronym inside a phrase is spelled out.
 */
export function acronymRule(list?: PairTable): ListedRule {
  return {
    name: "acronym",
    granularity: "phrase",
    list: (phrase) => {
      const texts = ownExpansion(phrase);
      if (list !== undefined) texts.push(...list.partners(phrase), ...spelledOut(phrase, list));
      return texts.length === 0 ? texts : othersThan(phrase, texts);
    },
  };
}

function ownExpansion(phrase: string): string[] {
  if (!phrase.endsWith(")") && !phrase.endsWith("]")) return [];
  const match = withBrackets.exec(phrase);
  if (match === null) return [];
  const [, before, inside] = match;
  const isPair =
    (acronym.test(inside) && stands(inside, before)) || (acronym.test(before) && stands(before, inside));
  return isPair ? [before, inside, `${inside} (${before})`] : [];
}

/**
 * Whether the letters of a short form stand for a long form: they occur in it in order, the first at its start
 * (after Schwartz and Hearst 2003), and the long form has more letters.
 */
export function stands(short: string, long: string): boolean {
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

function* spelledOut(phrase: string, list: PairTable): Generator<string> {
  const words = phrase.split(" ");
  if (words.length < 2) return;
  for (const [index, word] of words.entries()) {
    if (!acronym.test(word) || word !== word.toUpperCase()) continue;
    for (const long of list.partners(word)) {
      if (long.length > word.length)
        yield [...words.slice(0, index), long, ...words.slice(index + 1)].join(" ");
    }
  }
}
