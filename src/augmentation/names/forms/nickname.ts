/** Nicknames of English given names and back: "William Shatner" to "Bill Shatner", "Bob Dylan" to "Robert Dylan". */
import { capitalised, likeCaseOf } from "../../../pearl/augmentation/letter-case.js";
import type { List } from "../../../pearl/augmentation/rule.js";
import { wordList } from "../../../text/word-lists.js";
import { personNameOf } from "../../phrase/initials.js";

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
