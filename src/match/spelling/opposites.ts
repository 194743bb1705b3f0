/** Words of which two contradict each other in names: "Jr" and "Sr", "north" and "south". */
import { wordList } from "../../text/word-lists.js";

/** Sides of a set at most. */
const mostSides = 16;

/** By word what it says: the number of its set and its side there, as one number. A word may be in several sets. */
const sides = wordList("opposites", (sets) => {
  const found = new Map<string, number[]>();
  for (const [set, ofSet] of sets.entries())
    for (const [side, words] of ofSet.entries())
      for (const word of words.split(" "))
        found.set(word, [...(found.get(word) ?? []), mostSides * set + side]);
  return found;
});

/** What some words say, of those that have opposites. @param words folded */
export const sidesOf = (words: Iterable<string>): number[] =>
  [...words].flatMap((word) => sides().get(word) ?? []);

/** Whether two names say opposites: of one set each has a side that the other lacks. */
export const areOpposed = (left: readonly number[], right: readonly number[]): boolean =>
  left.length > 0 &&
  left.some((a) => !right.includes(a) && right.some((b) => isOpposite(a, b) && !left.includes(b)));

const isOpposite = (a: number, b: number): boolean => Math.floor(a / mostSides) === Math.floor(b / mostSides);
