/** Names of persons with initials, or with the surname first. */
import type { List } from "../../pearl/augmentation/rule.js";
import type { EntityType } from "../../pearl/phrase-types.js";

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
    return name === undefined ? [] : [...spellings(name)];
  };

/**
 * The parts of a person's name, or undefined for other phrases. Without an entity type, a phrase counts as a person's
 * name where it looks like one and starts with a known given name or an initial.
 */
export function personNameOf(
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

export const isInitial = (name: string): boolean => initial.test(name);

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

function* spellings({ given, family }: Name): Generator<string> {
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
export function initialOf(name: string): string {
  return name
    .split("-")
    .map((part) => `${part.charAt(0)}.`)
    .join("-");
}
