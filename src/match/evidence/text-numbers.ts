/**
 * The numbers in texts: digits, and letters that stand alone, as in "Flat C, 31 Mill Lane", "31C Mill Lane" and "R. Smith". Things
 * of one family differ in them, and their words are the same.
 */
import { distance } from "fastest-levenshtein";
import { eachText } from "../columns/texts.js";
import type { ValueSet } from "../columns/value-set.js";
import { ListsBuilder } from "../columns/vocabulary.js";
import { type FieldComparison, haveSameLetters } from "./levels.js";

/** Digits, or one letter between what is no letter: not the O of O'Brien. */
const tokens = /\d+|(?<!\p{L})\p{L}(?![\p{L}'’])/gu;

/** Share of filled cells with a number from which a column has numbers. */
const leastShare = 0.15;

export function hasNumbers({ texts, counts, filled }: ValueSet): boolean {
  let [having, value] = [0, 0];
  for (const text of eachText(texts)) {
    having += text.search(tokens) < 0 ? 0 : counts[value];
    value++;
  }
  return having >= leastShare * Math.max(1, filled);
}

/** No number in common; each lacks one of the other's; one lacks what the other has; slips; the same numbers. */
const level = { different: 0, conflict: 1, oneSided: 2, near: 3, equal: 4 } as const;

/** Compares the numbers of two texts; -1 where one of them has none. */
export function numbersComparison({ texts }: ValueSet): FieldComparison {
  const { starts, items, written } = numberLists(texts);
  const isSlip = (a: number, b: number): boolean => {
    const [x, y] = [written[a], written[b]];
    if (Math.min(x.length, y.length) < 3) return false;
    if (x.length === y.length) return distance(x, y) === 2 && haveSameLetters(x, y);
    return Math.max(x.length, y.length) >= 4 && distance(x, y) === 1;
  };
  return {
    ...{ levels: 5, differs: level.oneSided, agrees: level.near },
    compare: (a, b) => {
      const [own, others] = [a, b].map((value) => [...items.subarray(starts[value], starts[value + 1])]);
      if (own.length === 0 || others.length === 0) return -1;
      /** Takes from both sides what has a partner. */
      const withoutPartners = (left: number[], isPartner: (a: number, b: number) => boolean): number[] =>
        left.filter((token) => {
          const at = others.findIndex((other) => isPartner(token, other));
          if (at >= 0) others.splice(at, 1);
          return at < 0;
        });
      const unequal = withoutPartners(own, (x, y) => x === y);
      if (unequal.length + others.length === 0) return level.equal;
      const open = withoutPartners(unequal, isSlip);
      if (open.length + others.length === 0) return level.near;
      if (open.length === own.length) return level.different;
      return open.length === 0 || others.length === 0 ? level.oneSided : level.conflict;
    },
  };
}

/** The numbers of each text, by number of what is written. */
function numberLists(texts: ValueSet["texts"]) {
  const lists = new ListsBuilder();
  const numbers = new Map<string, number>();
  for (const text of eachText(texts)) {
    const own = Array.from(text.matchAll(tokens), ([token]) => {
      const written = token.replace(/^0+(?=\d)/, "");
      const known = numbers.get(written) ?? numbers.size;
      numbers.set(written, known);
      return known;
    });
    lists.push(own);
  }
  return { ...lists.finish(), written: [...numbers.keys()] };
}
