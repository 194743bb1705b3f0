/** The rule: one word written as two; no rule of the paper. */
import { unitsOf } from "../../character/units.js";
import { type DrawnRule, pick } from "../../rule.js";
import { nameWordRule, placesOf } from "./name-parts.js";

const plainWord = /^\p{L}{6,}$/u;
const hyphenated = /^[\p{L}\p{N}]+(?:[-–][\p{L}\p{N}]+)+$/u;

/** "Saint-Denis" to "Saint Denis", "Battlefield" to "Battle field": parts of at least three letters. */
export const splitWordRule: DrawnRule = nameWordRule("split-word", 1, (words, random) => {
  const able = placesOf(words, (word) => hyphenated.test(word) || (word.length > 7 && plainWord.test(word)));
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
