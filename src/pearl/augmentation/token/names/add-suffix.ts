/** The rule: a suffix put behind a name; no rule of the paper. */
import { inWholeCaseOf } from "../../phrase/letter-case.js";
import { type DrawnRule, pick } from "../../rule.js";
import { additionsOf } from "./additions.js";
import { nameWordRule } from "./name-parts.js";

/** "Acme" to "Acme Ltd", "Springfield" to "Springfield County": by the entity type where it is known. */
export const addSuffixRule: DrawnRule = nameWordRule("add-suffix", 1, (words, random, { type }) => {
  const suffix = pick(additionsOf(type).suffixes, random);
  if (words[words.length - 1].toLowerCase() === suffix.toLowerCase()) return false;
  words.push(inWholeCaseOf(words.join(" "), suffix));
  return true;
});
