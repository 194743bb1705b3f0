/** Clusters and deduplicates table files. */
import { resolve } from "node:path";
import { ArgumentError } from "../errors.js";
import { Table, type TableOptions } from "../table/table.js";
import { checkRowsName, writeRows } from "../table/write/text-rows.js";
import { type Clustering, type ClusterOptions, cluster } from "./cluster.js";
import { type DedupeOptions, type Deduplication, dedupe } from "./dedupe.js";

interface FileOptions {
  /** How the table is read. */
  readonly table?: TableOptions;
  /** Called with a note on how the table was read. */
  readonly onNote?: (line: string) => void;
}

export type ClusterTableOptions = ClusterOptions & FileOptions;

export interface ClusterTableReport extends Clustering {
  readonly rows: number;
  readonly phrases: readonly string[];
}

/**
 * Clusters the phrases of a table and writes its rows with three added columns: `group` (from 1, by first row),
 * `representative` (the phrase of the group) and `similarity` to it. Rows keep their order.
 *
 * @param output .csv, .tsv or .jsonl; undefined writes nothing
 * @throws TableError, ArgumentError, InterruptedError
 */
export async function clusterTable(
  path: string,
  output: string | undefined,
  options: ClusterTableOptions = {},
): Promise<ClusterTableReport> {
  checkNames(path, [output]);
  const table = await Table.open(path, options.table);
  try {
    options.onNote?.(table.description.summary);
    const phrases = await allPhrases(table);
    const found = await cluster(phrases, options);
    if (output !== undefined) {
      const added = addedNames(table, ["group", "representative", "similarity"]);
      const cells = (row: number): string[] => {
        const group = found.groupOf[row];
        const phrase = phrases[found.groups[group].representative];
        return [String(group + 1), phrase, found.similarity[row].toFixed(4)];
      };
      await writeRows(output, [...table.description.columns, ...added], extendedRows(table, cells));
    }
    return { ...found, rows: phrases.length, phrases };
  } finally {
    await table.close();
  }
}

export type DedupeTableOptions = Omit<DedupeOptions, "completeness"> & FileOptions;

export interface DedupeTableReport extends Deduplication {
  readonly rows: number;
}

/** Output files (.csv, .tsv or .jsonl). An undefined one is not written. */
export interface DedupeOutputs {
  /** The table's rows without duplicates. */
  readonly kept?: string;
  /** Every row of each group with at least two rows: `group`, `kept` (yes or no), `row` (from 1), `similarity`, then its own columns. */
  readonly groups?: string;
}

/**
 * Removes duplicates from a table. Of each group the row with the most filled cells is kept, or the first of several.
 * @throws TableError, ArgumentError, InterruptedError
 */
export async function dedupeTable(
  path: string,
  outputs: DedupeOutputs,
  options: DedupeTableOptions = {},
): Promise<DedupeTableReport> {
  checkNames(path, [outputs.kept, outputs.groups]);
  const table = await Table.open(path, options.table);
  try {
    options.onNote?.(table.description.summary);
    const phrases = await allPhrases(table);
    const completeness = new Int32Array(phrases.length);
    for await (const { first, rows } of rowBatches(table)) {
      rows.forEach((cells, index) => {
        completeness[first + index] = cells.filter((cell) => cell.trim() !== "").length;
      });
    }
    const found = await dedupe(phrases, { ...options, completeness });
    const { columns } = table.description;
    if (outputs.kept !== undefined) {
      const stays = new Uint8Array(phrases.length);
      for (const row of found.kept) stays[row] = 1;
      await writeRows(outputs.kept, columns, keptRows(table, stays));
    }
    if (outputs.groups !== undefined) {
      const added = addedNames(table, ["group", "kept", "row", "similarity"]);
      await writeRows(outputs.groups, [...added, ...columns], await duplicateRows(table, found));
    }
    return { ...found, rows: phrases.length };
  } finally {
    await table.close();
  }
}

function checkNames(input: string, outputs: readonly (string | undefined)[]): void {
  const names = outputs.filter((name) => name !== undefined);
  for (const name of names) {
    checkRowsName(name);
    if (resolve(name) === resolve(input))
      throw new ArgumentError(`${name} is the input table. Choose another output name.`);
  }
  if (names.length === 2 && resolve(names[0]) === resolve(names[1]))
    throw new ArgumentError(`${names[0]} is named for both outputs. Choose two names.`);
}

async function allPhrases(table: Table): Promise<string[]> {
  const phrases: string[] = [];
  for await (const chunk of table.phrases()) for (const phrase of chunk) phrases.push(phrase);
  return phrases;
}

/** Names of added columns, with an underscore appended if the table already has the name. */
function addedNames({ description }: Table, names: readonly string[]): string[] {
  const taken = new Set(description.columns.map((name) => name.toLowerCase()));
  return names.map((name) => {
    let free = name;
    while (taken.has(free)) free = `${free}_`;
    return free;
  });
}

/** Consecutive rows of a table. */
interface RowBatch {
  readonly first: number;
  readonly rows: string[][];
}

async function* rowBatches(table: Table): AsyncGenerator<RowBatch> {
  const columns = table.description.columns.map((name) => table.columnValues(name));
  for (let first = 0; ; ) {
    const chunks = await Promise.all(columns.map((column) => column.next()));
    if (chunks[0].done) return;
    const values = chunks.map((chunk) => chunk.value as string[]);
    const rows = values[0].map((_, row) => values.map((column) => column[row]));
    yield { first, rows };
    first += rows.length;
  }
}

async function* extendedRows(table: Table, added: (row: number) => string[]): AsyncGenerator<string[][]> {
  for await (const { first, rows } of rowBatches(table))
    yield rows.map((cells, index) => [...cells, ...added(first + index)]);
}

async function* keptRows(table: Table, stays: Uint8Array): AsyncGenerator<string[][]> {
  for await (const { first, rows } of rowBatches(table))
    yield rows.filter((_, index) => stays[first + index] === 1);
}

/** The rows of each group with duplicates, the kept row first. */
async function duplicateRows(table: Table, { removed }: Deduplication): Promise<string[][][]> {
  const groups = new Map<number, { row: number; similarity: number }[]>();
  for (const { row, keptRow, similarity } of removed) {
    const group = groups.get(keptRow);
    if (group === undefined) groups.set(keptRow, [{ row, similarity }]);
    else group.push({ row, similarity });
  }
  const wanted = new Map<number, string[]>();
  for (const [kept, gone] of groups)
    for (const row of [kept, ...gone.map((one) => one.row)]) wanted.set(row, []);
  for await (const { first, rows } of rowBatches(table)) {
    rows.forEach((cells, index) => {
      if (wanted.has(first + index)) wanted.set(first + index, cells);
    });
  }
  const cells = (row: number): string[] => wanted.get(row) as string[];
  return [...groups]
    .sort(([a], [b]) => a - b)
    .map(([kept, gone], index) => {
      const group = String(index + 1);
      return [
        [group, "yes", String(kept + 1), "", ...cells(kept)],
        ...gone.map(({ row, similarity }) => [
          group,
          "no",
          String(row + 1),
          similarity.toFixed(4),
          ...cells(row),
        ]),
      ];
    });
}
