/** Rules for the names of persons: middle names, nicknames, the surname alone. */
import { capitalised, likeCaseOf } from "../../pearl/augmentation/letter-case.js";
import type { Draw, List } from "../../pearl/augmentation/rule.js";
import { wordList } from "../../text/word-lists.js";
import { initialOf, isInitial, personNameOf } from "../phrase/initials.js";

/** Drops or shortens middle names: "John Fitzgerald Kennedy" to "John Kennedy", "John F. Kennedy", "John F Kennedy". */
export const shortenMiddleName =
  (givenNames: ReadonlySet<string>): Draw =>
  (phrase, random, { type }) => {
    const name = personNameOf(phrase, type, givenNames);
    if (name === undefined || name.given.length < 2) return undefined;
    const [first, ...middle] = name.given;
    // "J. R. R. Tolkien" is never written with some of these only.
    if (isInitial(first)) return undefined;
    if (random() < 0.6) return `${first} ${name.family}`;
    const initials = middle.map(initialOf).join(" ");
    const text = `${first} ${random() < 0.5 ? initials : initials.replaceAll(".", "")} ${name.family}`;
    return text === phrase ? `${first} ${name.family}` : text;
  };

/** Each name's nicknames, and each nickname's names. */
const otherForms = wordList("nicknames", (entries) => {
  const forms = new Map<string, string[]>();
  for (const [name, ...nicknames] of entries)
    for (const nickname of nicknames) {
      forms.set(name, [...(forms.get(name) ?? []), nickname]);
      forms.set(nickname, [...(forms.get(nickname) ?? []), name]);
    }
  return forms;
});

/** The full given names of the list, with a capital, to recognise names of persons without WordNet. */
export const englishGivenNames = wordList(
  "nicknames",
  (entries): ReadonlySet<string> => new Set(entries.map(([name]) => capitalised(name))),
);

/** Nicknames of English given names and back: "William Shatner" to "Bill Shatner", "Bob Dylan" to "Robert Dylan". */
export const useNickname =
  (givenNames: ReadonlySet<string>): List =>
  (phrase, { type }) => {
    const first = personNameOf(phrase, type, givenNames)?.given[0];
    if (first === undefined) return [];
    const at = phrase.indexOf(", ") < 0 ? 0 : phrase.indexOf(", ") + 2;
    const rest = phrase.slice(at + first.length);
    const others = otherForms().get(first.toLowerCase()) ?? [];
    return others.map((other) => phrase.slice(0, at) + likeCaseOf(first, other) + rest);
  };

/** A person by the surname alone: "Ludwig van Beethoven" to "Beethoven". */
export const surnameAlone =
  (givenNames: ReadonlySet<string>): List =>
  (phrase, { type }) => {
    const family = personNameOf(phrase, type, givenNames)?.family;
    return family === undefined ? [] : [family.slice(family.lastIndexOf(" ") + 1)];
  };
