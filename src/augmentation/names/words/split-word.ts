/** Splits a word into parts of at least three letters: "Saint-Denis" to "Saint Denis", "Battlefield" to "Battle field". */
import { unitsOf } from "../../../pearl/augmentation/character/character-edit.js";
import { pick } from "../../../pearl/augmentation/rule.js";
import { editWords, placesOf } from "../name-parts.js";

const hyphenated = /^[\p{L}\p{N}]+(?:[-–][\p{L}\p{N}]+)+$/u;

export const splitWord = editWords(1, (words, random) => {
  const able = placesOf(
    words,
    (word) => hyphenated.test(word) || (word.length > 7 && /^\p{L}{6,}$/u.test(word)),
  );
  if (able.length === 0) return false;
  const place = pick(able, random);
  const word = words[place];
  if (hyphenated.test(word)) {
    words.splice(place, 1, ...word.split(/[-–]/));
    return true;
  }
  const units = unitsOf(word);
  if (units.length < 6) return false;
  const cut = 3 + Math.floor(random() * (units.length - 5));
  words.splice(place, 1, units.slice(0, cut).join(""), units.slice(cut).join(""));
  return true;
});
