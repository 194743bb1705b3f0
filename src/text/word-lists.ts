/** The word lists in data/words: one entry a line, its parts separated by tabs, after a line that says what they are. */
import { dataFile } from "../files/data-file.js";

/** A list that is read when it is first used, so that a bundle of pearl loads without the files beside it. */
export function wordList<List>(name: string, arrange: (entries: string[][]) => List): () => List {
  let list: List | undefined;
  return () => (list ??= arrange(readEntries(name)));
}

/** A list of single words. */
export const wordSet = (name: string): (() => ReadonlySet<string>) =>
  wordList(name, (entries) => new Set(entries.flat()));

function readEntries(name: string): string[][] {
  const [, ...lines] = dataFile(`data/words/${name}.tsv`).text.trimEnd().split(/\r?\n/);
  return lines.map((line) => line.split("\t"));
}

/** English given names and their nicknames: the other forms of each, in the order of the list. */
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
