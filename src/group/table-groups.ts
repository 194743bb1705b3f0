/** Clusters and deduplicates table files. */
import { rm } from "node:fs/promises";
import { resolve } from "node:path";
import { ArgumentError } from "../errors.js";
import { groupBy } from "../match/group-by.js";
import { commandWith, type NamedCommand, refuseCategory, refuseLoss } from "../match/unnamed-column.js";
import { nameOfColumn, numberCell, type OutputColumn } from "../table/cell.js";
import { type RowsFormat, rowsFormatOfName } from "../table/format.js";
import type { TableOptions } from "../table/table.js";
import { batchesOf, readWholeTable, type WholeTable } from "../table/whole-table.js";
import { standardOutput } from "../table/write/standard-output.js";
import { writeRows } from "../table/write/text-rows.js";
import { type Clustering, type ClusterOptions, cluster } from "./cluster.js";
import { type DedupeOptions, type Deduplication, type DuplicateRow, dedupe } from "./dedupe.js";

interface FileOptions {
  readonly table?: TableOptions;
  /** Format of the output; default by its name. */
  readonly format?: RowsFormat;
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
 * @param output .csv, .tsv, .jsonl or .parquet; "-" is standard output; undefined writes nothing
 * @throws TableError, also if `table.column` is not given and the chosen column holds categories; ArgumentError
 */
export async function clusterTable(
  path: string,
  output: string | undefined,
  options: ClusterOptions & FileOptions = {},
): Promise<ClusterTableReport> {
  checkNames(path, [output], options.format);
  options.signal?.throwIfAborted();
  const table = await readWholeTable(path, options.table, options.onNote);
  const { phrases, typed } = table;
  refuseCategory(unnamedColumns(table, options), commandFor("cluster", path));
  const found = await cluster(phrases, options);
  if (output !== undefined) {
    const { columns, cells } = typed;
    const added = addedColumns(columns, [rowNumber("group"), "representative", similarityColumn]);
    const grouped = batchesOf(phrases.keys(), (row) => {
      const group = found.groupOf[row];
      const representative = phrases[found.groups[group].representative];
      return [...cells(row), numberCell(group + 1), representative, numberCell(found.similarity[row], 4)];
    });
    await writeRows(output, [...columns, ...added], grouped, options.format);
  }
  return { ...found, rows: phrases.length, phrases };
}

/** A row that was kept and the rows removed in its favour. */
export interface DuplicateGroup {
  readonly kept: number;
  readonly removed: readonly DuplicateRow[];
}

/** What {@link dedupeTable} found. Rows are counted from 0. */
export interface DedupeTableReport extends Deduplication {
  readonly rows: number;
  readonly phrases: readonly string[];
  /** The kept rows that have duplicates, ascending. */
  readonly groups: readonly DuplicateGroup[];
}

/**
 * Removes duplicates from a table. Of each group the row with the most filled cells is kept, or the first of several.
 *
 * @param outputs .csv, .tsv, .jsonl or .parquet: `kept` (or "-", standard output) for the rows without duplicates, `removed`
 *   for the others as `row` (from 1), `kept_row`, `similarity` and their own columns, `groups` for every row of each group
 *   with at least two rows, the kept row first, as `group`, `kept` (yes or no), `row`, `similarity` and its own columns
 * @throws TableError, also if `table.column` is not given and the chosen column holds categories or would remove more than
 *   a third of the rows; ArgumentError
 */
export async function dedupeTable(
  path: string,
  outputs: { readonly kept: string; readonly removed?: string; readonly groups?: string },
  options: Omit<DedupeOptions, "completeness"> & FileOptions = {},
): Promise<DedupeTableReport> {
  checkNames(path, [outputs.kept, outputs.removed, outputs.groups], options.format);
  options.signal?.throwIfAborted();
  const table = await readWholeTable(path, options.table, options.onNote);
  const { phrases, cells, typed } = table;
  const unnamed = unnamedColumns(table, options);
  refuseCategory(unnamed, commandFor("dedupe", path));
  const completeness = phrases.map((_, row) => cells(row).filter((cell) => cell.trim() !== "").length);
  const found = await dedupe(phrases, { ...options, completeness });
  const loss = { lost: found.removed.length, rows: phrases.length, loss: "removed" };
  refuseLoss(unnamed, loss, commandFor("dedupe", path));
  const groups = Array.from(
    groupBy(found.removed, ({ keptRow }) => keptRow),
    ([kept, removed]) => ({ kept, removed }),
  ).sort((a, b) => a.kept - b.kept);
  // The removed rows first: no row is ever missing from all files.
  if (outputs.removed !== undefined) await writeRemoved(outputs.removed, table, found.removed);
  try {
    await writeRows(outputs.kept, typed.columns, batchesOf(found.kept, typed.cells), options.format);
  } catch (error) {
    if (outputs.removed !== undefined) await rm(outputs.removed);
    throw error;
  }
  if (outputs.groups !== undefined) await writeGroups(outputs.groups, table, groups);
  return { ...found, rows: phrases.length, phrases, groups };
}

const rowNumber = (name: string): OutputColumn => ({ name, type: "BIGINT" });
const similarityColumn: OutputColumn = { name: "similarity", type: "DOUBLE" };

async function writeRemoved(
  output: string,
  { typed: { columns, cells } }: WholeTable,
  removed: readonly DuplicateRow[],
): Promise<void> {
  const added = addedColumns(columns, [rowNumber("row"), rowNumber("kept_row"), similarityColumn]);
  const rows = batchesOf(removed, ({ row, keptRow, similarity }) => [
    ...[numberCell(row + 1), numberCell(keptRow + 1), numberCell(similarity, 4)],
    ...cells(row),
  ]);
  await writeRows(output, [...added, ...columns], rows);
}

async function writeGroups(
  output: string,
  { typed: { columns, cells } }: WholeTable,
  groups: readonly DuplicateGroup[],
): Promise<void> {
  const lines = groups.flatMap(({ kept, removed }, index) => [
    { row: kept, start: [numberCell(index + 1), "yes", numberCell(kept + 1), null] },
    ...removed.map(({ row, similarity }) => ({
      row,
      start: [numberCell(index + 1), "no", numberCell(row + 1), numberCell(similarity, 4)],
    })),
  ]);
  const added = addedColumns(columns, [rowNumber("group"), "kept", rowNumber("row"), similarityColumn]);
  const rows = batchesOf(lines, ({ row, start }) => [...start, ...cells(row)]);
  await writeRows(output, [...added, ...columns], rows);
}

/** The chosen column, unless the user named it. */
const unnamedColumns = (table: WholeTable, options: FileOptions) =>
  options.table?.column === undefined ? [{ table, column: table.description.column }] : [];

const commandFor =
  (name: string, path: string): NamedCommand =>
  ([column]) =>
    commandWith([name, path], ["-c", column]);

function checkNames(
  input: string,
  [main, ...others]: readonly (string | undefined)[],
  format: RowsFormat | undefined,
): void {
  if (main !== undefined && format === undefined) rowsFormatOfName(main);
  for (const name of others) if (name !== undefined) rowsFormatOfName(name);
  const names = [main, ...others].filter((name) => name !== undefined);
  for (const name of names) {
    if (name !== standardOutput && resolve(name) === resolve(input))
      throw new ArgumentError(`${name} is the input table. Choose another output name.`);
  }
  const repeated = names.find(
    (name, index) => names.findIndex((other) => resolve(other) === resolve(name)) < index,
  );
  if (repeated !== undefined)
    throw new ArgumentError(`Two outputs are named ${repeated}. Choose different names.`);
}

/** Added columns, with an underscore appended to a name that the table already has. */
function addedColumns(columns: readonly OutputColumn[], added: readonly OutputColumn[]): OutputColumn[] {
  const taken = new Set(columns.map((column) => nameOfColumn(column).toLowerCase()));
  return added.map((column) => {
    let free = nameOfColumn(column);
    while (taken.has(free)) free = `${free}_`;
    return typeof column === "string" ? free : { ...column, name: free };
  });
}
