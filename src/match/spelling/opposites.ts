/** Words of which two contradict each other in names: "Jr" and "Sr", "north" and "south". */
import { wordList } from "../../text/word-lists.js";

/** By word its sides: each the number of its set and its place there, as one number, 16 sides at most. */
const sides = wordList("opposites", (sets) => {
  const found = new Map<string, number[]>();
  sets.forEach((ofSet, set) => {
    ofSet.forEach((words, side) => {
      for (const word of words.split(" ")) found.set(word, [...(found.get(word) ?? []), (set << 4) | side]);
    });
  });
  return found;
});
const none: readonly number[] = [];

/** What a folded word says, if it has opposites. */
export const sidesOf = (word: string): readonly number[] => sides().get(word) ?? none;

/** Whether two names say opposites: of one set each has a side that the other lacks. */
export const areOpposed = (left: readonly number[], right: readonly number[]): boolean =>
  left.some((a) => !right.includes(a) && right.some((b) => isOpposite(a, b) && !left.includes(b)));

const isOpposite = (a: number, b: number): boolean => a >> 4 === b >> 4;
