/** English given names and their nicknames, which stand for each other. */
import { wordList } from "./word-lists.js";

/** The other forms of each given name and nickname, in the order of the list. */
export const otherForms = wordList("nicknames", (entries): ReadonlyMap<string, ReadonlySet<string>> => {
  const forms = new Map<string, Set<string>>();
  const add = (word: string, other: string): void => {
    forms.set(word, (forms.get(word) ?? new Set()).add(other));
  };
  for (const [name, ...nicknames] of entries)
    for (const nickname of nicknames) {
      add(name, nickname);
      add(nickname, name);
    }
  return forms;
});
