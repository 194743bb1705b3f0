/** The rule: an article, a preposition or "and" left out; no rule of the paper. */
import { type DrawnRule, pick } from "../../rule.js";
import { isShortWord, nameWordRule, placesOf } from "./name-parts.js";

const article = /^(?:the|an?)$/i;

/** "University of the West" to "University of West"; of two words only an article goes ("The Beatles", not "El Paso"). */
export const dropShortWordRule: DrawnRule = nameWordRule("drop-short-word", 2, (words, random) => {
  const able = placesOf(words, words.length > 2 ? isShortWord : (word) => article.test(word));
  if (able.length === 0 || able.length === words.length) return false;
  words.splice(pick(able, random), 1);
  return true;
});
