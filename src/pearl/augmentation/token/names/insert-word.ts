/** The rule: a word that many names have, put into this one; no rule of the paper. */
import { inWholeCaseOf } from "../../phrase/letter-case.js";
import { type DrawnRule, pick } from "../../rule.js";
import { nameWordRule } from "./name-parts.js";

const inserted = "the new of and national old great first royal international american united city".split(
  " ",
);

/** A word that many names have, anywhere in this one; small before the first word only where all is small. */
export const insertWordRule: DrawnRule = nameWordRule("insert-word", 2, (words, random) => {
  const place = Math.floor(random() * (words.length + 1));
  const word = pick(inserted, random);
  const name = words.join(" ");
  const isTitle = word.length > 3 || place === 0;
  words.splice(place, 0, inWholeCaseOf(name, isTitle ? word[0].toUpperCase() + word.slice(1) : word));
  return true;
});
