/** Joins two table files: writes the matched rows with all columns of both, a review file and training pairs. */
import { realpath } from "node:fs/promises";
import { TableError, UsageError } from "../errors.js";
import { commandWith, type NamedCommand, refuseCategory, refuseLoss } from "../match/unnamed-column.js";
import { type Cell, numberCell, type OutputColumn } from "../table/cell.js";
import { findColumn } from "../table/columns.js";
import type { RowsFormat } from "../table/format.js";
import type { TableOptions } from "../table/table.js";
import { batchesOf, readWholeTable, type WholeTable } from "../table/whole-table.js";
import { writeRows, writeText } from "../table/write/text-rows.js";
import { explanationLine } from "./explanation-line.js";
import { fuzzyJoin } from "./fuzzy-join.js";
import { type PairsReport, writePairs, writeReview } from "./labels-file.js";
import type { JoinOn, JoinOptions, JoinResult } from "./options.js";

/** Options of {@link joinTables}: those of {@link fuzzyJoin}, and how files are read and written. */
export interface JoinTablesOptions extends Omit<JoinOptions, "on" | "block"> {
  /** Columns to compare, by name or number. Default: the detected phrase column of each table. */
  readonly on?: readonly JoinOn[];
  /** A column of both tables: only rows with equal cells are compared. */
  readonly block?: JoinOn;
  /** How the tables are read. */
  readonly table?: Omit<TableOptions, "column">;
  /** "keep" also writes right rows without a match, with empty left cells. Default "leave-out". */
  readonly unmatched?: "keep" | "leave-out";
  /** Format of the output; default by its name. */
  readonly format?: RowsFormat;
  /** "column" adds a column "why" with the reasons for each match. Default "none". */
  readonly explain?: "column" | "none";
  /** Where to write the explanation of each match for programs: JSON lines, a {@link PairExplanation} with its rows. */
  readonly explainPath?: string;
  /** Where to write the pairs for a person to review, the most doubtful first. */
  readonly reviewPath?: string;
  /** Where to write the labels as pairs for `pearl finetune`. */
  readonly pairsPath?: string;
  /** Called with notes on how each table was read, and with warnings. */
  readonly onNote?: (note: string) => void;
}

/** Counts of a join of two files. `matches` can exceed `matchedRows` with kind many-to-many. */
export interface JoinTablesReport
  extends Pick<JoinResult, "estimatedPrecision" | "threshold" | "promise" | "labelEffect" | "warnings"> {
  readonly leftRows: number;
  readonly rightRows: number;
  readonly matches: number;
  /** Right rows with at least one match. */
  readonly matchedRows: number;
  /** Pairs in the review file. */
  readonly reviewed?: number;
  /** What was written to `pairsPath`. */
  readonly pairs?: PairsReport;
  readonly seconds: number;
}

/**
 * Joins the right table's rows to the left table's.
 * @param output .csv, .tsv, .jsonl or .parquet; "-" is standard output
 * @throws TableError, also if `on` is not given and a detected column holds categories or would leave out more than a third
 *   of the right rows; UsageError if both paths are the same file, ArgumentError
 */
export async function joinTables(
  leftPath: string,
  rightPath: string,
  output: string,
  options: JoinTablesOptions = {},
): Promise<JoinTablesReport> {
  options.signal?.throwIfAborted();
  const started = performance.now();
  await refuseSameFile(leftPath, rightPath);
  const left = await loadTable(leftPath, options);
  const right = await loadTable(rightPath, options);
  /** Replaces column numbers and differently cased names by the names in the tables. */
  const resolved = (column: JoinOn) => ({
    ...column,
    left: nameIn(left, column.left),
    right: nameIn(right, column.right ?? column.left),
  });
  const detected = { left: left.description.column, right: right.description.column };
  const on = options.on?.length ? options.on.map(resolved) : [detected];
  const block = options.block && resolved(options.block);
  const unnamed = options.on?.length
    ? []
    : [left, right].map((table) => ({ table, column: table.description.column }));
  const command: NamedCommand = ([a, b]) => commandWith(["join", leftPath, rightPath], ["--on", `${a}=${b}`]);
  refuseCategory(unnamed, command);
  const result = await fuzzyJoin(left.columns, right.columns, { ...options, on, block });
  const lost = options.unmatched === "keep" ? 0 : result.unmatched.length;
  refuseLoss(unnamed, { lost, rows: right.phrases.length, loss: "left out without a match" }, command);
  for (const warning of result.warnings) options.onNote?.(`warning: ${warning}`);
  const columns: OutputColumn[] = [
    ...left.typed.columns.map(({ name, type }) => ({ name: `left_${name}`, type })),
    ...right.typed.columns.map(({ name, type }) => ({ name: `right_${name}`, type })),
    ...["score", "estimated_precision"].map((name) => ({ name, type: "DOUBLE" })),
    ...(options.explain === "column" ? ["why"] : []),
  ];
  const rows = outputRows(left, right, result, options);
  await writeRows(output, columns, rows, options.format);
  const texts = { left: left.columns[on[0].left], right: right.columns[on[0].right] };
  const { reviewPath, pairsPath, explainPath, labels = [] } = options;
  if (explainPath !== undefined) await writeText(explainPath, explanationLines(result));
  const { estimatedPrecision, threshold, promise, labelEffect, warnings } = result;
  return {
    leftRows: left.phrases.length,
    rightRows: right.phrases.length,
    matches: result.matches.length,
    matchedRows: right.phrases.length - result.unmatched.length,
    ...{ estimatedPrecision, threshold, promise, warnings },
    ...(labelEffect && { labelEffect }),
    ...(reviewPath !== undefined && { reviewed: await writeReview(reviewPath, texts, result, labels) }),
    ...(pairsPath !== undefined && { pairs: await writePairs(pairsPath, texts, result, labels) }),
    seconds: (performance.now() - started) / 1000,
  };
}

async function* explanationLines({ matches, explain }: JoinResult): AsyncGenerator<string> {
  for (const { left, right, score, estimatedPrecision } of matches) {
    const explanation = explain(left, right);
    const rows = { left_row: left + 1, right_row: right + 1, score, estimated_precision: estimatedPrecision };
    yield `${JSON.stringify({ ...rows, why: explanationLine(explanation), ...explanation })}\n`;
  }
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

async function loadTable(path: string, { table, onNote }: JoinTablesOptions): Promise<WholeTable> {
  const read = await readWholeTable(path, table, (summary) =>
    onNote?.(summary.replace(/; phrases from .*$/, "")),
  );
  if (read.phrases.length === 0) throw new TableError(`${path}: the table has no rows.`);
  return read;
}

const nameIn = ({ description: { path, columns } }: WholeTable, wanted: string): string =>
  columns[findColumn(path, columns, wanted)];

/** The matches and, if they are kept, the unmatched rows, in the order of the right table. */
function outputRows(
  left: WholeTable,
  right: WholeTable,
  { matches, unmatched, explain }: JoinResult,
  options: JoinTablesOptions,
): Iterable<Cell[][]> {
  const noLeft = left.typed.columns.map(() => null);
  const withReason = options.explain === "column";
  const alone = options.unmatched === "keep" ? unmatched : [];
  const rows = [...matches, ...alone.map((row) => ({ right: row }))].sort((a, b) => a.right - b.right);
  return batchesOf(rows, (row) => {
    if (!("left" in row))
      return [...noLeft, ...right.typed.cells(row.right), null, null, ...(withReason ? [null] : [])];
    const numbers = [numberCell(row.score, 4), numberCell(row.estimatedPrecision, 4)];
    const why = withReason ? [explanationLine(explain(row.left, row.right))] : [];
    return [...left.typed.cells(row.left), ...right.typed.cells(row.right), ...numbers, ...why];
  });
}
