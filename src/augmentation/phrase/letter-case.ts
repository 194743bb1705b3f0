/** Lower case, capitals or title case, as tables write names. */
import { titleCase } from "../../pearl/augmentation/letter-case.js";
import { type Draw, pick } from "../../pearl/augmentation/rule.js";

export const changeLetterCase: Draw = (phrase, random) => {
  const inLowerCase = phrase.toLowerCase();
  const others = [inLowerCase, phrase.toUpperCase(), titleCase(inLowerCase)].filter(
    (text) => text !== phrase,
  );
  return others.length === 0 ? undefined : pick(others, random);
};
