/** The rule: a word cut short; no rule of the paper. */
import { unitsOf } from "../../character/units.js";
import { type DrawnRule, pick } from "../../rule.js";
import { nameWordRule, placesOf } from "./name-parts.js";

const plainWord = /^\p{L}{6,}$/u;

/** "Acme Manufacturing" to "Acme Manu.", as people shorten what has no abbreviation. */
export const shortenWordRule: DrawnRule = nameWordRule("shorten-word", 2, (words, random) => {
  const able = placesOf(words, (word) => plainWord.test(word));
  if (able.length === 0) return false;
  const place = pick(able, random);
  const kept = random() < 0.5 ? 3 : 4;
  words[place] = `${unitsOf(words[place]).slice(0, kept).join("")}.`;
  return true;
});
