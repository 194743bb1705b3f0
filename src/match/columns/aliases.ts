/** Other names of things, from a list of one's own: "Big Blue" is read as "IBM" before anything is compared. */
import { ArgumentError, TableError } from "../../errors.js";
import { mapped } from "../../like-array.js";
import { readWholeTable } from "../../table/whole-table.js";
import { isVisible } from "../../text/visible.js";
import { cellWords } from "../cells/cell-words.js";
import type { TableColumns } from "./align.js";

/** Reads a cell with the first name of each group in place of its others. */
export type AliasReader = (cell: string) => string;

interface Name {
  readonly words: readonly string[];
  /** The first name of its group, as it is written. */
  readonly first: string;
}

/**
 * Names are found as whole words, in any letter case, also within a cell; of several that begin at one word the longest counts.
 * @param groups names of one thing each
 * @throws ArgumentError for a group without two names, and for a name in two groups
 */
export function aliasReader(groups: readonly (readonly string[])[]): AliasReader {
  const groupOf = new Map<string, number>();
  const byWord = new Map<string, Name[]>();
  for (const [group, given] of groups.entries()) {
    const names = given.filter(isVisible);
    if (names.length < 2)
      throw new ArgumentError(
        `row ${group + 1}: a name and at least one alias are needed, each in its own cell`,
      );
    for (const name of names) {
      const words = cellWords(name);
      const key = words.join(" ");
      const other = groupOf.get(key) ?? group;
      if (other !== group)
        throw new ArgumentError(
          `rows ${other + 1} and ${group + 1} both have "${name}". Leave it in one of them.`,
        );
      if (groupOf.has(key) || words.length === 0) continue;
      groupOf.set(key, group);
      byWord.set(words[0], [...(byWord.get(words[0]) ?? []), { words, first: names[0] }]);
    }
  }
  for (const names of byWord.values()) names.sort((a, b) => b.words.length - a.words.length);
  return (cell) => {
    // An address is no name.
    if (/@|:\/\/|^www\./i.test(cell)) return cell;
    const words = cellWords(cell);
    const read: string[] = [];
    let isChanged = false;
    for (let at = 0; at < words.length; ) {
      const found = byWord
        .get(words[at])
        ?.find((name) => name.words.every((word, place) => words[at + place] === word));
      isChanged ||= found !== undefined;
      read.push(found?.first ?? words[at]);
      at += found?.words.length ?? 1;
    }
    return isChanged ? read.join(" ") : cell;
  };
}

/** What a matching compares besides the tables. */
export interface AliasOptions {
  /** A table with names of one thing in each row: they are compared as the first of them. */
  readonly aliases?: string;
}

/** The columns of a table as they are read with aliases. */
export const withAliases = (columns: TableColumns, read: AliasReader | undefined): TableColumns =>
  read === undefined
    ? columns
    : Object.fromEntries(Object.entries(columns).map(([name, cells]) => [name, mapped(cells, read)]));

/** Reads a table with names of one thing in each row, the one that stands for the others first. @throws TableError */
export async function readAliases(path: string | undefined): Promise<AliasReader | undefined> {
  if (path === undefined) return undefined;
  const { cells, phrases } = await readWholeTable(path, { column: "1" });
  try {
    return aliasReader(phrases.map((_, row) => cells(row)));
  } catch (error) {
    throw error instanceof ArgumentError
      ? new TableError(`${path}, ${error.message}`, { cause: error })
      : error;
  }
}
