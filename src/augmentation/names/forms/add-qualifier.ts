/** Adds a qualifier to a name: "Mercury" to "Mercury (planet)" or "Mercury, planet"; a name has at most one. */
import { inWholeCaseOf } from "../../../pearl/augmentation/letter-case.js";
import { type Draw, pick } from "../../../pearl/augmentation/rule.js";
import { additionsOf } from "../additions.js";
import { namePartsOf } from "../name-parts.js";

export const addQualifier: Draw = (phrase, random, { type }) => {
  if (phrase.trim() === "" || namePartsOf(phrase).tail !== "") return undefined;
  const year = 1900 + Math.floor(random() * 126);
  const drawn = random() < 0.15 ? String(year) : pick(additionsOf(type).qualifiers, random);
  const qualifier = inWholeCaseOf(phrase, drawn);
  return random() < 0.6 ? `${phrase} (${qualifier})` : `${phrase}, ${qualifier}`;
};
