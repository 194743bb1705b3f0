/** Rules that edit the words of a name before its qualifier. */
import { unitsOf } from "../../pearl/augmentation/character/character-edit.js";
import { capitalised, inWholeCaseOf } from "../../pearl/augmentation/letter-case.js";
import { pick } from "../../pearl/augmentation/rule.js";
import { additionsOf } from "./additions.js";
import { editWords, isShortWord, placesOf } from "./name-parts.js";

/** Drops the first word or, more often, the last, which says least. */
export const dropEndWord = editWords(3, (words, random) => {
  words.splice(random() < 0.7 ? words.length - 1 : 0, 1);
  return true;
});

const article = /^(?:the|an?)$/i;

/**
 * Drops an article, a preposition or "and": "University of the West" to "University of West". Of two words only an
 * article is dropped: "The Beatles", but not "El Paso".
 */
export const dropShortWord = editWords(2, (words, random) => {
  const able = placesOf(words, words.length > 2 ? isShortWord : (word) => article.test(word));
  if (able.length === 0 || able.length === words.length) return false;
  words.splice(pick(able, random), 1);
  return true;
});

const common = "the new of and national old great first royal international american united city".split(" ");

/** Inserts a word that many names contain; long words, and the first one, get a capital unless the name has none. */
export const insertWord = editWords(2, (words, random) => {
  const place = Math.floor(random() * (words.length + 1));
  const word = pick(common, random);
  const isTitle = word.length > 3 || place === 0;
  words.splice(place, 0, inWholeCaseOf(words.join(" "), isTitle ? capitalised(word) : word));
  return true;
});

/** Adds a suffix: "Acme" to "Acme Ltd", "Springfield" to "Springfield County". */
export const addSuffix = editWords(1, (words, random, { type }) => {
  const suffix = pick(additionsOf(type).suffixes, random);
  if (words[words.length - 1].toLowerCase() === suffix.toLowerCase()) return false;
  words.push(inWholeCaseOf(words.join(" "), suffix));
  return true;
});

/** Joins two words: "Face Book" to "FaceBook" or "Face-Book". */
export const joinWords = editWords(2, (words, random) => {
  const place = Math.floor(random() * (words.length - 1));
  const between = random() < 0.25 ? "-" : "";
  words.splice(place, 2, words[place] + between + words[place + 1]);
  return true;
});

const hyphenated = /^[\p{L}\p{N}]+(?:[-–][\p{L}\p{N}]+)+$/u;

/** Splits a word into parts of at least three letters: "Saint-Denis" to "Saint Denis", "Battlefield" to "Battle field". */
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

/** Cuts a word short, as people shorten words without an abbreviation: "Acme Manufacturing" to "Acme Manu.". */
export const shortenWord = editWords(2, (words, random) => {
  const able = placesOf(words, (word) => /^\p{L}{6,}$/u.test(word));
  if (able.length === 0) return false;
  const place = pick(able, random);
  const kept = random() < 0.5 ? 3 : 4;
  words[place] = `${unitsOf(words[place]).slice(0, kept).join("")}.`;
  return true;
});

/** Puts the words into another order (Fisher and Yates' shuffle). */
export const shuffleWords = editWords(3, (words, random) => {
  for (let last = words.length - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1));
    [words[last], words[other]] = [words[other], words[last]];
  }
  return true;
});
