/** Drops an article, a preposition or "and": "University of the West" to "University of West". */
import { pick } from "../../../pearl/augmentation/rule.js";
import { editWords, isShortWord, placesOf } from "../name-parts.js";

const article = /^(?:the|an?)$/i;

/** Of two words only an article is dropped: "The Beatles", but not "El Paso". */
export const dropShortWord = editWords(2, (words, random) => {
  const able = placesOf(words, words.length > 2 ? isShortWord : (word) => article.test(word));
  if (able.length === 0 || able.length === words.length) return false;
  words.splice(pick(able, random), 1);
  return true;
});
