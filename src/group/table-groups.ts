/** Clusters and deduplicates table files. */
import { resolve } from "node:path";
import { ArgumentError } from "../errors.js";
import { groupBy } from "../match/group-by.js";
import type { TableOptions } from "../table/table.js";
import { batchesOf, readWholeTable } from "../table/whole-table.js";
import { checkRowsName, writeRows } from "../table/write/text-rows.js";
import { type Clustering, type ClusterOptions, cluster } from "./cluster.js";
import { type DedupeOptions, type Deduplication, dedupe } from "./dedupe.js";

interface FileOptions {
  readonly table?: TableOptions;
  readonly onNote?: (line: string) => void;
}

export interface ClusterTableReport extends Clustering {
  readonly rows: number;
  readonly phrases: readonly string[];
}

/**
 * Clusters the phrases of a table and writes its rows with three added columns: `group` (from 1, by first row),
 * `representative` (the phrase of the group) and `similarity` to it. Rows keep their order.
 *
 * @param output .csv, .tsv or .jsonl; undefined writes nothing
 * @throws TableError, ArgumentError
 */
export async function clusterTable(
  path: string,
  output: string | undefined,
  options: ClusterOptions & FileOptions = {},
): Promise<ClusterTableReport> {
  checkNames(path, [output]);
  options.signal?.throwIfAborted();
  const { description, phrases, cells } = await readWholeTable(path, options.table, options.onNote);
  const found = await cluster(phrases, options);
  if (output !== undefined) {
    const { columns } = description;
    const added = addedNames(columns, ["group", "representative", "similarity"]);
    const grouped = batchesOf(phrases.keys(), (row) => {
      const group = found.groupOf[row];
      const representative = phrases[found.groups[group].representative];
      return [...cells(row), String(group + 1), representative, found.similarity[row].toFixed(4)];
    });
    await writeRows(output, [...columns, ...added], grouped);
  }
  return { ...found, rows: phrases.length, phrases };
}

/**
 * Removes duplicates from a table. Of each group the row with the most filled cells is kept, or the first of several.
 *
 * @param outputs .csv, .tsv or .jsonl: `kept` for the rows without duplicates, `groups` for every row of each group with
 *   at least two rows, the kept row first, as `group`, `kept` (yes or no), `row` (from 1), `similarity` and its own columns
 * @throws TableError, ArgumentError
 */
export async function dedupeTable(
  path: string,
  outputs: { readonly kept: string; readonly groups?: string },
  options: Omit<DedupeOptions, "completeness"> & FileOptions = {},
): Promise<Deduplication & { readonly rows: number }> {
  checkNames(path, [outputs.kept, outputs.groups]);
  options.signal?.throwIfAborted();
  const { description, phrases, cells } = await readWholeTable(path, options.table, options.onNote);
  const { columns } = description;
  const completeness = phrases.map((_, row) => cells(row).filter((cell) => cell.trim() !== "").length);
  const found = await dedupe(phrases, { ...options, completeness });
  await writeRows(outputs.kept, columns, batchesOf(found.kept, cells));
  if (outputs.groups !== undefined) {
    const groups = [...groupBy(found.removed, ({ keptRow }) => keptRow)].sort(([a], [b]) => a - b);
    const lines = groups.flatMap(([kept, removed], index) => [
      { row: kept, start: [String(index + 1), "yes", String(kept + 1), ""] },
      ...removed.map(({ row, similarity }) => ({
        row,
        start: [String(index + 1), "no", String(row + 1), similarity.toFixed(4)],
      })),
    ]);
    const added = addedNames(columns, ["group", "kept", "row", "similarity"]);
    const rows = batchesOf(lines, ({ row, start }) => [...start, ...cells(row)]);
    await writeRows(outputs.groups, [...added, ...columns], rows);
  }
  return { ...found, rows: phrases.length };
}

function checkNames(input: string, outputs: readonly (string | undefined)[]): void {
  const names = outputs.filter((name) => name !== undefined);
  for (const name of names) {
    checkRowsName(name);
    if (resolve(name) === resolve(input))
      throw new ArgumentError(`${name} is the input table. Choose another output name.`);
  }
  if (names.length === 2 && resolve(names[0]) === resolve(names[1]))
    throw new ArgumentError(`Both outputs are named ${names[0]}. Choose two names.`);
}

/** Names of added columns, with an underscore appended if the table already has the name. */
function addedNames(columns: readonly string[], names: readonly string[]): string[] {
  const taken = new Set(columns.map((name) => name.toLowerCase()));
  return names.map((name) => {
    let free = name;
    while (taken.has(free)) free = `${free}_`;
    return free;
  });
}
