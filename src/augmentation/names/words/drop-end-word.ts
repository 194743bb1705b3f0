/** Drops the first word or, more often, the last, which says least. */
import { editWords } from "../name-parts.js";

export const dropEndWord = editWords(3, (words, random) => {
  words.splice(random() < 0.7 ? words.length - 1 : 0, 1);
  return true;
});
