/** The rule: the words in another order; no rule of the paper. */
import type { DrawnRule } from "../../rule.js";
import { nameWordRule } from "./name-parts.js";

export const shuffleWordsRule: DrawnRule = nameWordRule("shuffle-words", 3, (words, random) => {
  for (let last = words.length - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1));
    [words[last], words[other]] = [words[other], words[last]];
  }
  return true;
});
