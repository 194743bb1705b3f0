/** Rules for a name as a whole: its first letters, and its qualifier. */
import { unitsOf } from "../../pearl/augmentation/character/character-edit.js";
import { inWholeCaseOf } from "../../pearl/augmentation/letter-case.js";
import { type Draw, type List, pick } from "../../pearl/augmentation/rule.js";
import { additionsOf } from "./additions.js";
import { isShortWord, namePartsOf } from "./name-parts.js";

/** The first letters of a name's words: "The New York Times" to "NYT"; of three words or more besides articles. */
export const firstLetters: List = (phrase) => {
  const { words, tail } = namePartsOf(phrase);
  const letters = words
    .filter((word) => /^\p{L}/u.test(word) && !isShortWord(word))
    .map((word) => unitsOf(word)[0]);
  return letters.length < 3 ? [] : [letters.join("").toUpperCase() + tail];
};

/** Adds a qualifier: "Mercury" to "Mercury (planet)" or "Mercury, planet"; a name has at most one. */
export const addQualifier: Draw = (phrase, random, { type }) => {
  if (phrase.trim() === "" || namePartsOf(phrase).tail !== "") return undefined;
  const year = 1900 + Math.floor(random() * 126);
  const drawn = random() < 0.15 ? String(year) : pick(additionsOf(type).qualifiers, random);
  const qualifier = inWholeCaseOf(phrase, drawn);
  return random() < 0.6 ? `${phrase} (${qualifier})` : `${phrase}, ${qualifier}`;
};

/** Drops any qualifier: "Mercury (planet)" to "Mercury". */
export const dropQualifier: List = (phrase, { type }) => {
  const { words, tail } = namePartsOf(phrase);
  // The rule of initials reverses "Smith, John"; here only Smith would be left.
  if (tail === "" || (type === "PERSON" && tail.startsWith(","))) return [];
  const name = words.join(" ");
  return name.length > 2 ? [name] : [];
};
