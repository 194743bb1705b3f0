/** Inserts a word that many names contain. */
import { capitalised, inWholeCaseOf } from "../../../pearl/augmentation/letter-case.js";
import { pick } from "../../../pearl/augmentation/rule.js";
import { editWords } from "../name-parts.js";

const common = "the new of and national old great first royal international american united city".split(" ");

/** Anywhere in the name; long words, and the first one, get a capital unless the name has none. */
export const insertWord = editWords(2, (words, random) => {
  const place = Math.floor(random() * (words.length + 1));
  const word = pick(common, random);
  const isTitle = word.length > 3 || place === 0;
  words.splice(place, 0, inWholeCaseOf(words.join(" "), isTitle ? capitalised(word) : word));
  return true;
});
