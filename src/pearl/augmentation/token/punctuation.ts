/** The rule: punctuation marks between words (AEDA; no rule of the paper). */
import { type DrawnRule, pick } from "../rule.js";

/** The six marks of AEDA (Karimi et al. 2021), which EdaCSE takes over. */
const marks = [".", ";", "?", ":", "!", ","];

/** Puts one mark, or up to a third as many as there are words, before words or at the end, as words of their own. */
export const punctuationRule: DrawnRule = {
  name: "punctuation",
  granularity: "token",
  draw: (phrase, random) => {
    if (phrase.trim() === "") return undefined;
    const words = phrase.split(" ");
    const most = Math.max(1, Math.floor(words.length / 3));
    const count = 1 + Math.floor(random() * most);
    for (let put = 0; put < count; put++) {
      words.splice(Math.floor(random() * (words.length + 1)), 0, pick(marks, random));
    }
    return words.join(" ");
  },
};
