/** Rules for the names of persons: initials, the surname first or alone, middle names, nicknames. */

import type { EntityType } from "../pearl/phrase-types.js";
import { otherForms, wordList } from "../text/word-lists.js";
import { capitalised, type Draw, type List, likeCaseOf } from "./rule.js";

const givenName = /^\p{Lu}\p{Ll}+(?:-\p{Lu}\p{Ll}+)?$/u;
const surname = /^(?:\p{Lu}[\p{L}'’]*\p{Ll}|\p{Lu}\p{Ll}+-\p{Lu}\p{Ll}+)$/u;
const particle = /^(?:al|bin|da|de|del|den|der|di|dos|du|el|ibn|la|le|ten|ter|van|von|zu)$/;
const initial = /^\p{Lu}\.?$/u;
const joinedInitials = /^(?:\p{Lu}\.){2,}$/u;

/** "J. R. R." and "Tolkien", "Ludwig" and "van Beethoven". */
interface Name {
  readonly given: readonly string[];
  readonly family: string;
}

export const spellInitials =
  (givenNames: ReadonlySet<string>): List =>
  (phrase, { type }) => {
    const name = personNameOf(phrase, type, givenNames);
    return name === undefined ? [] : [...spellingsOf(name)];
  };

/**
 * The parts of a person's name, or undefined for other phrases. Without an entity type, a phrase counts as a person's
 * name where it looks like one and starts with a known given name or an initial.
 */
function personNameOf(
  phrase: string,
  type: EntityType | undefined,
  givenNames: ReadonlySet<string>,
): Name | undefined {
  if (type !== undefined && type !== "PERSON") return undefined;
  const name = readName(phrase);
  if (name === undefined || type === "PERSON") return name;
  const first = name.given[0];
  return /^\p{Lu}\.$/u.test(first) || givenNames.has(first) ? name : undefined;
}

const isInitial = (name: string): boolean => initial.test(name);

function readName(phrase: string): Name | undefined {
  if (!phrase.includes(" ") || phrase.length > 60) return undefined;
  const comma = phrase.indexOf(", ");
  const direct = comma < 0 ? phrase : `${phrase.slice(comma + 2)} ${phrase.slice(0, comma)}`;
  const words = direct
    .split(" ")
    .flatMap((word) => (joinedInitials.test(word) ? word.match(/\p{Lu}\./gu)! : word));
  if (words.length < 2 || words.length > 6 || !surname.test(words[words.length - 1])) return undefined;
  let family = words.length - 1;
  while (family > 1 && particle.test(words[family - 1])) family--;
  if (comma >= 0 && phrase.slice(0, comma).split(" ").length !== words.length - family) return undefined;
  const given = words.slice(0, family);
  if (!given.every((word) => givenName.test(word) || isInitial(word))) return undefined;
  return { given, family: words.slice(family).join(" ") };
}

function* spellingsOf({ given, family }: Name): Generator<string> {
  const initials = given.map(initialOf);
  const rest = given.slice(1);
  yield `${initials.join(" ")} ${family}`;
  yield `${family}, ${initials.join(" ")}`;
  yield `${family}, ${given.join(" ")}`;
  yield `${given.join(" ")} ${family}`;
  if (initials.length > 1) yield `${initials.join("")} ${family}`;
  if (rest.length === 0) return;
  if (!isInitial(given[0])) {
    yield `${given[0]} ${rest.map(initialOf).join(" ")} ${family}`;
    yield `${given[0]} ${family}`;
  }
  yield `${initials[0]} ${family}`;
}

/** "J." of "John", "J.-P." of "Jean-Pierre". */
function initialOf(name: string): string {
  return name
    .split("-")
    .map((part) => `${String.fromCodePoint(part.codePointAt(0) ?? 0)}.`)
    .join("-");
}

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
    return Array.from(others, (other) => phrase.slice(0, at) + likeCaseOf(first, other) + rest);
  };

/** A person by the surname alone: "Ludwig van Beethoven" to "Beethoven". */
export const surnameAlone =
  (givenNames: ReadonlySet<string>): List =>
  (phrase, { type }) => {
    const family = personNameOf(phrase, type, givenNames)?.family;
    return family === undefined ? [] : [family.slice(family.lastIndexOf(" ") + 1)];
  };
