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
