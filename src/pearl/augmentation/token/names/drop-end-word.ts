/** The rule: the first or the last word left out; no rule of the paper. */
import type { DrawnRule } from "../../rule.js";
import { nameWordRule } from "./name-parts.js";

/** The last word, which says least, more often than the first. */
export const dropEndWordRule: DrawnRule = nameWordRule("drop-end-word", 3, (words, random) => {
  words.splice(random() < 0.7 ? words.length - 1 : 0, 1);
  return true;
});
