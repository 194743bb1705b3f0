/** The word lists in data/words: one entry a line, its parts separated by tabs, after a line that says what they are. */
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { MissingDataError } from "../errors.js";

/** A list that is read when it is first used, so that a bundle of pearl loads without the files beside it. */
export function wordList<List>(name: string, arrange: (entries: string[][]) => List): () => List {
  let list: List | undefined;
  return () => {
    list ??= arrange(readEntries(name));
    return list;
  };
}

/** A list of single words. */
export const wordSet = (name: string): (() => ReadonlySet<string>) =>
  wordList(name, (entries) => new Set(entries.flat()));

function readEntries(name: string): string[][] {
  const file = fileURLToPath(new URL(`../../data/words/${name}.tsv`, import.meta.url));
  if (!existsSync(file))
    throw new MissingDataError(`${file} is missing. Install pearl-embeddings again, outside of any bundle.`);
  const text = readFileSync(file, "utf8");
  const [, ...lines] = text.trimEnd().split(/\r?\n/);
  return lines.map((line) => line.split("\t"));
}
