/** The first letters of a name's words: "The New York Times" to "NYT"; of three words or more besides articles. */
import { unitsOf } from "../../../pearl/augmentation/character/character-edit.js";
import type { List } from "../../../pearl/augmentation/rule.js";
import { isShortWord, namePartsOf } from "../name-parts.js";

export const firstLetters: List = (phrase) => {
  const { words, tail } = namePartsOf(phrase);
  const letters = words
    .filter((word) => /^\p{L}/u.test(word) && !isShortWord(word))
    .map((word) => unitsOf(word)[0]);
  return letters.length < 3 ? [] : [letters.join("").toUpperCase() + tail];
};
