/** Cuts a word short, as people shorten words without an abbreviation: "Acme Manufacturing" to "Acme Manu.". */
import { unitsOf } from "../../../pearl/augmentation/character/character-edit.js";
import { pick } from "../../../pearl/augmentation/rule.js";
import { editWords, placesOf } from "../name-parts.js";

export const shortenWord = editWords(2, (words, random) => {
  const able = placesOf(words, (word) => /^\p{L}{6,}$/u.test(word));
  if (able.length === 0) return false;
  const place = pick(able, random);
  const kept = random() < 0.5 ? 3 : 4;
  words[place] = `${unitsOf(words[place]).slice(0, kept).join("")}.`;
  return true;
});
