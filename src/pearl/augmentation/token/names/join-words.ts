/** The rule: two words written as one; no rule of the paper. */
import type { DrawnRule } from "../../rule.js";
import { nameWordRule } from "./name-parts.js";

/** "Face Book" to "FaceBook" or "Face-Book". */
export const joinWordsRule: DrawnRule = nameWordRule("join-words", 2, (words, random) => {
  const place = Math.floor(random() * (words.length - 1));
  const between = random() < 0.25 ? "-" : "";
  words.splice(place, 2, words[place] + between + words[place + 1]);
  return true;
});
