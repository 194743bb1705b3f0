/** Pairs of phrases from users' files: paraphrases, synonyms, short and long forms, found from either side. */
import { madeFor } from "../../../by-key.js";
import { readColumns } from "../../../table/whole-table.js";
import { likeCaseOf } from "../letter-case.js";

/** The partners of a phrase as the files write it, else of the phrase in other letter case; empty if unknown. */
export type Partners = (phrase: string) => readonly string[];

/**
 * Reads the first two columns of tables; a header line is recognised by its looks.
 * @returns undefined where there are no files
 * @throws TableError with file and cure where there are not two columns
 */
export async function readPairs(paths: readonly string[]): Promise<Partners | undefined> {
  if (paths.length === 0) return undefined;
  const pairs: (readonly [string, string])[] = [];
  for (const path of paths) {
    const [lefts, rights] = await readColumns(path, ["1", "2"]);
    for (const [row, left] of lefts.entries()) pairs.push([left, rights[row]]);
  }
  return partnersIn(pairs);
}

/**
 * Keeps direct partners only, so that a circle of pairs (a-b, b-c, c-a) never leads back to the phrase itself. Pairs of
 * equal phrases, or with an empty side, are skipped.
 */
export function partnersIn(pairs: Iterable<readonly [string, string]>): Partners {
  const exact = new Map<string, Set<string>>();
  const add = (table: typeof exact, phrase: string, partners: Iterable<string>): void => {
    const known = madeFor(table, phrase, () => new Set<string>());
    for (const partner of partners) known.add(partner);
  };
  for (const pair of pairs) {
    const [left, right] = pair.map(oneLine);
    if (left === "" || right === "" || left.toLowerCase() === right.toLowerCase()) continue;
    add(exact, left, [right]);
    add(exact, right, [left]);
  }
  const inLowerCase: typeof exact = new Map();
  for (const [from, texts] of exact) add(inLowerCase, from.toLowerCase(), texts);
  return (phrase) => {
    const own = exact.get(phrase);
    if (own !== undefined) return [...own];
    return Array.from(inLowerCase.get(phrase.toLowerCase()) ?? [], (text) => likeCaseOf(phrase, text, ""));
  };
}

export const oneLine = (text: string): string => text.trim().replace(/\s+/g, " ");
