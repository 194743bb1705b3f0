/** The rule: a name as the first letters of its words; no rule of the paper. */
import { unitsOf } from "../../character/units.js";
import { type ListedRule, othersThan } from "../../rule.js";
import { isShortWord, namePartsOf } from "../../token/names/name-parts.js";

/** The rule: "The New York Times" becomes "NYT"; of three words or more beside articles and prepositions. */
export const firstLettersRule: ListedRule = {
  name: "first-letters",
  granularity: "phrase",
  list: (phrase) => {
    const { words, tail } = namePartsOf(phrase);
    const letters = words
      .filter((word) => /^\p{L}/u.test(word) && !isShortWord(word))
      .map((word) => unitsOf(word)[0]);
    return letters.length < 3 ? [] : othersThan(phrase, [letters.join("").toUpperCase() + tail]);
  },
};
