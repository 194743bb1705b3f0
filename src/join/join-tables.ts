/** Joins two table files: writes the matched rows with all columns of both, a review file and training pairs. */
import { realpath } from "node:fs/promises";
import { TableError, UsageError } from "../errors.js";
import { findColumn } from "../table/columns.js";
import { Table, type TableOptions } from "../table/table.js";
import { writeRows } from "../table/write/text-rows.js";
import { explanationLine } from "./explain.js";
import { fuzzyJoin } from "./fuzzy-join.js";
import { type PairsReport, writePairs } from "./labels-file.js";
import type { JoinOn, JoinOptions, JoinResult } from "./options.js";
import { writeReview } from "./review.js";

export interface JoinTablesOptions extends Omit<JoinOptions, "on" | "block"> {
  /** Columns to compare, by name or number. Default: the detected phrase column of each table. */
  readonly on?: readonly JoinOn[];
  /** A column of both tables: only rows with equal cells are compared. */
  readonly block?: JoinOn;
  /** How the tables are read. */
  readonly table?: Omit<TableOptions, "column">;
  /** "keep" also writes right rows without a match, with empty left cells. Default "leave-out". */
  readonly unmatched?: "keep" | "leave-out";
  /** "column" adds a column "why" with the reasons for each match. Default "none". */
  readonly explain?: "column" | "none";
  /** Where to write the pairs for a person to review, the most doubtful first. */
  readonly reviewPath?: string;
  /** Where to write the labels as pairs for `pearl finetune`. */
  readonly pairsPath?: string;
  /** Called with notes on how each table was read, and with warnings. */
  readonly onNote?: (note: string) => void;
}

/** Receives the joined table: its columns, and its rows in batches. */
export type JoinSink = (
  columns: readonly string[],
  rows: Iterable<readonly (readonly string[])[]>,
) => Promise<void>;

export interface JoinTablesReport {
  readonly leftRows: number;
  readonly rightRows: number;
  readonly matches: number;
  /** Right rows with at least one match. */
  readonly matchedRows: number;
  readonly estimatedPrecision: number;
  readonly threshold: number;
  readonly warnings: readonly string[];
  /** Pairs in the review file. */
  readonly reviewed?: number;
  readonly pairs?: PairsReport;
  readonly seconds: number;
}

/** A table in memory. */
interface LoadedTable {
  readonly path: string;
  readonly names: readonly string[];
  /** The column detected as the one with the phrases. */
  readonly phraseColumn: string;
  readonly columns: Readonly<Record<string, readonly string[]>>;
  readonly rows: number;
}

/**
 * Joins the right table's rows to the left table's.
 * @param output a file (.csv, .tsv, .jsonl), or a function that takes the rows
 * @throws TableError, UsageError if both paths are the same file, ArgumentError, InterruptedError
 */
export async function joinTables(
  leftPath: string,
  rightPath: string,
  output: string | JoinSink,
  options: JoinTablesOptions = {},
): Promise<JoinTablesReport> {
  const started = performance.now();
  await refuseSameFile(leftPath, rightPath);
  const left = await loadTable(leftPath, options);
  const right = await loadTable(rightPath, options);
  const on = columnsToCompare(left, right, options.on);
  const result = await fuzzyJoin(left.columns, right.columns, {
    ...options,
    on,
    block: options.block && resolved(left, right, options.block),
  });
  for (const warning of result.warnings) options.onNote?.(`warning: ${warning}`);
  const sink: JoinSink =
    typeof output === "string"
      ? async (columns, rows) => {
          await writeRows(output, columns, rows);
        }
      : output;
  await sink(outputColumns(left, right, options), outputRows(left, right, result, options));
  const texts = { left: left.columns[on[0].left], right: right.columns[on[0].right ?? on[0].left] };
  const { reviewPath, pairsPath, labels = [] } = options;
  return {
    leftRows: left.rows,
    rightRows: right.rows,
    matches: result.matches.length,
    matchedRows: right.rows - result.unmatched.length,
    estimatedPrecision: result.estimatedPrecision,
    threshold: result.threshold,
    warnings: result.warnings,
    ...(reviewPath !== undefined && { reviewed: await writeReview(reviewPath, texts, result, labels) }),
    ...(pairsPath !== undefined && { pairs: await writePairs(pairsPath, texts, result, labels) }),
    seconds: (performance.now() - started) / 1000,
  };
}

async function refuseSameFile(left: string, right: string): Promise<void> {
  if (left === "-" && right === "-") throw new UsageError("only one of the tables can be standard input");
  const [a, b] = await Promise.all([left, right].map((path) => realpath(path).catch(() => undefined)));
  if (a === undefined || a !== b) return;
  throw new UsageError(
    `${left} and ${right} are the same file: every row would match itself. ` +
      "`pearl dedupe` finds the rows of one table that mean the same.",
  );
}

async function loadTable(path: string, { table: reading, onNote }: JoinTablesOptions): Promise<LoadedTable> {
  const table = await Table.open(path, reading);
  try {
    const { columns: names, column, summary, rowCount } = table.description;
    if (rowCount === 0) throw new TableError(`${path}: the table has no rows.`);
    onNote?.(summary.replace(/; phrases from .*$/, ""));
    const columns: Record<string, string[]> = {};
    for (const name of names) {
      columns[name] = [];
      for await (const chunk of table.columnValues(name))
        for (const value of chunk) columns[name].push(value);
    }
    return { path, names, phraseColumn: column, columns, rows: rowCount };
  } finally {
    await table.close();
  }
}

function columnsToCompare(left: LoadedTable, right: LoadedTable, on: readonly JoinOn[] = []): JoinOn[] {
  if (on.length > 0) return on.map((column) => resolved(left, right, column));
  return [{ left: left.phraseColumn, right: right.phraseColumn }];
}

/** Replaces column numbers and differently cased names by the names in the tables. */
function resolved(
  left: LoadedTable,
  right: LoadedTable,
  { left: leftName, right: rightName, weight }: JoinOn,
) {
  return {
    left: left.names[findColumn(left.path, [...left.names], leftName)],
    right: right.names[findColumn(right.path, [...right.names], rightName ?? leftName)],
    weight,
  };
}

function outputColumns(left: LoadedTable, right: LoadedTable, { explain }: JoinTablesOptions): string[] {
  return [
    ...left.names.map((name) => `left_${name}`),
    ...right.names.map((name) => `right_${name}`),
    "score",
    "estimated_precision",
    ...(explain === "column" ? ["why"] : []),
  ];
}

const rowsInBatch = 4096;

function* outputRows(
  left: LoadedTable,
  right: LoadedTable,
  { matches, unmatched, explain }: JoinResult,
  options: JoinTablesOptions,
): Generator<string[][]> {
  const noLeft = left.names.map(() => "");
  const cells = (table: LoadedTable, row: number): string[] =>
    table.names.map((name) => table.columns[name][row]);
  const withReason = options.explain === "column";
  let batch: string[][] = [];
  const alone = options.unmatched === "keep" ? unmatched : [];
  let [match, next] = [0, 0];
  // Matches and unmatched rows are both in the order of the right table.
  while (match < matches.length || next < alone.length) {
    if (next >= alone.length || (match < matches.length && matches[match].right < alone[next])) {
      const pair = matches[match++];
      const numbers = [pair.score.toFixed(4), pair.estimatedPrecision.toFixed(4)];
      const why = withReason ? [explanationLine(explain(pair.left, pair.right))] : [];
      batch.push([...cells(left, pair.left), ...cells(right, pair.right), ...numbers, ...why]);
    } else {
      const row = alone[next++];
      batch.push([...noLeft, ...cells(right, row), "", "", ...(withReason ? [""] : [])]);
    }
    if (batch.length === rowsInBatch) {
      yield batch;
      batch = [];
    }
  }
  if (batch.length > 0) yield batch;
}
