/** Puts the words of a name into another order (Fisher and Yates' shuffle). */
import { editWords } from "../name-parts.js";

export const shuffleWords = editWords(3, (words, random) => {
  for (let last = words.length - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1));
    [words[last], words[other]] = [words[other], words[last]];
  }
  return true;
});
