/** Adds a suffix to a name: "Acme" to "Acme Ltd", "Springfield" to "Springfield County". */
import { inWholeCaseOf } from "../../../pearl/augmentation/letter-case.js";
import { pick } from "../../../pearl/augmentation/rule.js";
import { additionsOf } from "../additions.js";
import { editWords } from "../name-parts.js";

export const addSuffix = editWords(1, (words, random, { type }) => {
  const suffix = pick(additionsOf(type).suffixes, random);
  if (words[words.length - 1].toLowerCase() === suffix.toLowerCase()) return false;
  words.push(inWholeCaseOf(words.join(" "), suffix));
  return true;
});
