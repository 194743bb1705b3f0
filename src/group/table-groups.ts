/** Clusters and deduplicates table files. */
import { resolve } from "node:path";
import { ArgumentError } from "../errors.js";
import { groupBy } from "../match/group-by.js";
import { nameOfColumn, numberCell, type OutputColumn } from "../table/cell.js";
import { type RowsFormat, rowsFormatOfName } from "../table/format.js";
import type { TableOptions } from "../table/table.js";
import { batchesOf, readWholeTable } from "../table/whole-table.js";
import { standardOutput } from "../table/write/standard-output.js";
import { writeRows } from "../table/write/text-rows.js";
import { type Clustering, type ClusterOptions, cluster } from "./cluster.js";
import { type DedupeOptions, type Deduplication, dedupe } from "./dedupe.js";

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
 * @throws TableError, ArgumentError, InterruptedError
 */
export async function clusterTable(
  path: string,
  output: string | undefined,
  options: ClusterOptions & FileOptions = {},
): Promise<ClusterTableReport> {
  checkNames(path, [output], options.format);
  const { phrases, typed } = await readWholeTable(path, options.table, options.onNote);
  const found = await cluster(phrases, options);
  if (output !== undefined) {
    const { columns, cells } = typed;
    const added = addedColumns(columns, [
      { name: "group", type: "BIGINT" },
      "representative",
      { name: "similarity", type: "DOUBLE" },
    ]);
    const grouped = batchesOf(phrases.keys(), (row) => {
      const group = found.groupOf[row];
      const representative = phrases[found.groups[group].representative];
      return [...cells(row), numberCell(group + 1), representative, numberCell(found.similarity[row], 4)];
    });
    await writeRows(output, [...columns, ...added], grouped, options.format);
  }
  return { ...found, rows: phrases.length, phrases };
}

/**
 * Removes duplicates from a table. Of each group the row with the most filled cells is kept, or the first of several.
 *
 * @param outputs .csv, .tsv, .jsonl or .parquet: `kept` (or "-", standard output) for the rows without duplicates, `groups` for every row of each group with
 *   at least two rows, the kept row first, as `group`, `kept` (yes or no), `row` (from 1), `similarity` and its own columns
 * @throws TableError, ArgumentError, InterruptedError
 */
export async function dedupeTable(
  path: string,
  outputs: { readonly kept: string; readonly groups?: string },
  options: Omit<DedupeOptions, "completeness"> & FileOptions = {},
): Promise<Deduplication & { readonly rows: number }> {
  checkNames(path, [outputs.kept, outputs.groups], options.format);
  const { phrases, cells, typed } = await readWholeTable(path, options.table, options.onNote);
  const completeness = phrases.map((_, row) => cells(row).filter((cell) => cell.trim() !== "").length);
  const found = await dedupe(phrases, { ...options, completeness });
  await writeRows(outputs.kept, typed.columns, batchesOf(found.kept, typed.cells), options.format);
  if (outputs.groups !== undefined) {
    const groups = [...groupBy(found.removed, ({ keptRow }) => keptRow)].sort(([a], [b]) => a - b);
    const lines = groups.flatMap(([kept, removed], index) => [
      { row: kept, start: [numberCell(index + 1), "yes", numberCell(kept + 1), null] },
      ...removed.map(({ row, similarity }) => ({
        row,
        start: [numberCell(index + 1), "no", numberCell(row + 1), numberCell(similarity, 4)],
      })),
    ]);
    const added = addedColumns(typed.columns, [
      ...[{ name: "group", type: "BIGINT" }, "kept"],
      ...[
        { name: "row", type: "BIGINT" },
        { name: "similarity", type: "DOUBLE" },
      ],
    ]);
    const rows = batchesOf(lines, ({ row, start }) => [...start, ...typed.cells(row)]);
    await writeRows(outputs.groups, [...added, ...typed.columns], rows);
  }
  return { ...found, rows: phrases.length };
}

function checkNames(
  input: string,
  [main, groups]: readonly (string | undefined)[],
  format: RowsFormat | undefined,
): void {
  if (main !== undefined && format === undefined) rowsFormatOfName(main);
  if (groups !== undefined) rowsFormatOfName(groups);
  const names = [main, groups].filter((name) => name !== undefined);
  for (const name of names) {
    if (name !== standardOutput && resolve(name) === resolve(input))
      throw new ArgumentError(`${name} is the input table. Choose another output name.`);
  }
  if (names.length === 2 && resolve(names[0]) === resolve(names[1]))
    throw new ArgumentError(`Both outputs are named ${names[0]}. Choose two names.`);
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
