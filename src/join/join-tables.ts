/** Joins two table files by all their columns, or by one. */
import { realpath } from "node:fs/promises";
import { UsageError } from "../errors.js";
import { scriptNote } from "../match/cells/one-script.js";
import { type AliasOptions, readAliases, withAliases } from "../match/columns/aliases.js";
import {
  cellsOfColumn,
  pairText,
  partSeparator,
  partsOfColumn,
  partsOfName,
  readPair,
  writtenParts,
} from "../match/columns/column-names.js";
import { comparedTables, composedTables } from "../match/columns/composed.js";
import { comparedNames } from "../match/columns/coordinates.js";
import { type ColumnOptions, planColumns } from "../match/columns/fields.js";
import { profiler } from "../match/columns/profile.js";
import type { RowNumbers } from "../match/compare-tables.js";
import { withComparisons } from "../match/evidence/own-comparison.js";
import { type BoundedOptions, boundedReading, withinMemory } from "../match/memory/memory-plan.js";
import type { LabelEffect } from "../match/review/label-effect.js";
import { type ReviewedTables, readKnown, refuseAnswered } from "../match/review/review-file.js";
import { type RuleOptions, readRules, sameBy } from "../match/rules.js";
import { commandWith, type NamedCommand, refuseCategory, refuseLoss } from "../match/unnamed-column.js";
import { findColumn, namedColumn } from "../table/columns.js";
import { withoutPassword } from "../table/postgres/address.js";
import type { TableOptions } from "../table/table.js";
import { noteEmpty, readAllColumns, type WholeTable } from "../table/whole-table.js";
import { refuseOverwriting } from "../table/write/output-names.js";
import { readCandidates } from "./database-candidates.js";
import {
  dividedMatches,
  type JoinedTables,
  type JoinOutputs,
  type WrittenFiles,
  writeJoin,
} from "./join-output.js";
import type { JoinKind, JoinOptions } from "./options.js";
import { type JoinFindings, joinColumns } from "./roads.js";

/** Options of {@link joinTables}: what is compared and promised, and how files are read and written. */
export interface JoinTablesOptions
  extends ColumnOptions,
    RuleOptions,
    AliasOptions,
    JoinOutputs,
    BoundedOptions,
    Pick<JoinOptions, "precision" | "top" | "encoder" | "candidates" | "sharing" | "signal"> {
  /** Default: found from the tables; many-to-one where one column is compared. */
  readonly kind?: JoinKind;
  /** Files of judged pairs: reviewed files, or tables with the columns left, right and decision. */
  readonly decisionPaths?: readonly string[];
  /**
   * "candidates": the left table is in PostgreSQL and has embeddings (`syncTable`); candidates are found there, and only these
   * rows, their neighbours and a sample are read. Default "whole".
   */
  readonly reading?: "whole" | "candidates";
  /** Called with the cells of both tables before any are compared. */
  readonly onTables?: (tables: ReviewedTables) => Promise<void>;
  /** How the tables are read. */
  readonly table?: Omit<TableOptions, "column">;
  /** Called with notes on how each table was read, and with warnings. */
  readonly onNote?: (note: string) => void;
  /** Called with the current stage, the items done and the total. */
  readonly onProgress?: (stage: string, done: number, total: number) => void;
}

/** What a join of two files found and wrote. */
export interface JoinTablesReport extends JoinFindings, WrittenFiles {
  readonly leftRows: number;
  /** Left rows that were read, where candidates were found in the database. */
  readonly leftRowsRead?: number;
  readonly rightRows: number;
  /** Right rows with at least one match in the joined table; fewer than `matches` where rows have several partners. */
  readonly matchedRows: number;
  /** Of a refused promise: the written matches that are least probable, by their names. */
  readonly leastSure: readonly {
    readonly left: string;
    readonly right: string;
    readonly probability: number;
    readonly why: string;
  }[];
  /** What the judged pairs changed; undefined without any. */
  readonly labelEffect?: LabelEffect;
  readonly seconds: number;
}

/** Matches of a refused promise in a report. */
const mostShown = 2;

/**
 * Joins the right table's rows to the left table's by all columns that carry evidence, or by those named. If the promised
 * precision is not established, the likely pairs are written: those whose precision is established highest to `output`, and the
 * others to `likelyPath`; all of them to `output` where no part of them is.
 * @param output .csv, .tsv, .jsonl, .parquet or .xlsx; "-" is standard output
 * @throws TableError, also if pearl chose one column of several and it holds categories or would leave out more than a third
 *   of the right rows; UsageError if both paths are the same file, ArgumentError
 */
export async function joinTables(
  leftPath: string,
  rightPath: string,
  output: string,
  options: JoinTablesOptions = {},
): Promise<JoinTablesReport> {
  const started = performance.now();
  const { reviewPath, relatedPath, pairsPath, explainPath, likelyPath, decisionPaths = [] } = options;
  const outputs = [output, reviewPath, relatedPath, pairsPath, explainPath, likelyPath];
  refuseOverwriting([leftPath, rightPath, options.aliases, ...decisionPaths], outputs);
  await refuseAnswered(reviewPath, relatedPath);
  const { tables, total, texts, known, rules, joined, unnamed, command } = await openJoin(
    leftPath,
    rightPath,
    options,
  );
  const rowsOf = (matches: readonly RowNumbers[]): number => new Set(matches.map(({ right }) => right)).size;
  const rightRows = tables.right.phrases.length;
  const lost = options.unmatched === "keep" ? 0 : rightRows - rowsOf(joined.matches);
  refuseLoss(unnamed, { lost, rows: rightRows, loss: "left out without a match" }, command);
  for (const warning of joined.findings.warnings) options.onNote?.(`warning: ${warning}`);
  const files = await writeJoin(output, tables, joined, { ...options, known });
  const { findings, naming } = joined;
  const { kept } = dividedMatches(joined);
  const learned = kept.filter(({ left, right }) => sameBy(rules, left, right) === undefined);
  const unsure = findings.promise.established ? [] : learned.sort((a, b) => a.probability - b.probability);
  const leastSure = unsure.slice(0, mostShown).map((pair) => ({
    left: cellsOfColumn(texts.left, naming.left)[pair.left],
    right: cellsOfColumn(texts.right, naming.right)[pair.right],
    ...{ probability: pair.probability, why: joined.why(pair) },
  }));
  const labelEffect = known.length > 0 ? await joined.labelEffect() : undefined;
  return {
    ...{ ...findings, ...files, leastSure, labelEffect, matchedRows: rowsOf(kept) },
    leftRows: total ?? tables.left.phrases.length,
    ...(total !== undefined && { leftRowsRead: tables.left.phrases.length }),
    ...{ rightRows, seconds: (performance.now() - started) / 1000 },
  };
}

/** The first half of {@link joinTables}: reads two tables and matches their rows, without writing anything. */
export async function openJoin(leftGiven: string, rightGiven: string, options: JoinTablesOptions) {
  options.signal?.throwIfAborted();
  const [leftPath, rightPath] = [leftGiven, rightGiven].map(withoutPassword);
  await refuseSameFile(leftPath, rightPath);
  const table = await boundedReading(options.table, options);
  const { tables, total } = await loadTables(leftPath, rightPath, { ...options, table });
  const { left, right } = tables;
  const texts = { left: left.columns, right: right.columns };
  const named = { ...resolvedColumns(tables, options), profileOf: profiler() };
  const columns = await withComparisons([texts.left, texts.right], named);
  await options.onTables?.(texts);
  const compared = await comparedTables(texts, columns);
  const plan = planColumns(compared.left, compared.right, columns);
  const [only, ...others] = plan.pairs;
  const unnamed =
    only === undefined || others.length > 0 || columns.on
      ? []
      : [left, right].map((table, side) => ({ table, column: only[side] }));
  const command: NamedCommand = ([a, b]) =>
    commandWith(["join", leftPath, rightPath], ["--on", pairText(a, b)]);
  refuseCategory(unnamed, command);
  const isEmpty = left.phrases.length === 0 || right.phrases.length === 0;
  const written = (side: "left" | "right", name: string) =>
    [cellsOfColumn(texts[side], name), compared[side][name]] as const;
  const note = scriptNote(
    plan.pairs.flatMap(([name, other]) => [written("left", name), written("right", other)]),
  );
  if (!isEmpty && note !== undefined) options.onNote?.(note);
  // A table without rows has none of the rows that decisions are about.
  const known = isEmpty ? [] : await readKnown(options.decisionPaths ?? [], texts);
  const aliases = await readAliases(options.aliases);
  const [read, whole] = [compared, texts].map(({ left, right }) => ({
    left: withAliases(left, aliases),
    right: withAliases(right, aliases),
  }));
  const rules = readRules(whole.left, whole.right, columns);
  const within = await withinMemory([read.left, read.right], plan, { ...options, ...columns });
  const joined = await joinColumns(read, plan, { ...options, ...columns, ...within, known, rules });
  return { tables, total, texts, known, rules, joined, unnamed, command };
}

/** @returns total: the rows of a left table of which only a part is read */
async function loadTables(leftPath: string, rightPath: string, options: JoinTablesOptions) {
  if (options.reading !== "candidates")
    return {
      tables: { left: await loadTable(leftPath, options), right: await loadTable(rightPath, options) },
    };
  const { sharing, reviewPath, explainPath, decisionPaths = [] } = options;
  if (decisionPaths.length > 0 || (sharing ?? reviewPath ?? explainPath) !== undefined)
    throw new UsageError(
      "--in-database reads a part of the left table, in which rows have other numbers: leave --shard, --learn, " +
        "--review-out, --review, --labels and --explain-out out",
    );
  const right = await loadTable(rightPath, options);
  const partnerOf = (left: WholeTable, column: string): string | undefined => {
    const columns = resolvedColumns({ left, right }, options);
    const tables = composedTables({ left: left.columns, right: right.columns }, columns);
    const { pairs } = planColumns(tables.left, tables.right, columns);
    return pairs.find(([name]) => partsOfColumn(left.columns, name).includes(column))?.[1];
  };
  const { left, total } = await readCandidates(leftPath, right, partnerOf, options);
  return { tables: { left, right }, total };
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
  const read = await readAllColumns(path, table, onNote);
  noteEmpty(read, onNote);
  return read;
}

/** Replaces column numbers and differently cased names by the names in the tables. */
function resolvedColumns(
  { left, right }: JoinedTables,
  { on = [], ignore, kindOf, compare, same, never }: ColumnOptions & RuleOptions,
) {
  const isIn = (columns: readonly string[], wanted: string): boolean => namedColumn(columns, wanted) >= 0;
  const partsIn = (columns: readonly string[], wanted: string): readonly string[] =>
    writtenParts(wanted, (name) => isIn(columns, name));
  const nameIn = ({ description: { path, columns } }: WholeTable, wanted: string): string =>
    partsIn(columns, wanted)
      .map((part) => columns[findColumn(path, columns, part)])
      .join(partSeparator);
  const has = ({ description: { columns } }: WholeTable, wanted: string): boolean =>
    partsIn(columns, wanted).every((part) => isIn(columns, part));
  const pairOf = (text: string): string => {
    const [name, other] = readPair(
      text,
      (header) => has(left, header),
      (header) => has(right, header),
    );
    return pairText(nameIn(left, name), nameIn(right, other));
  };
  /** The names of a column that one of the tables has at least. */
  const named = (wanted: string): string[] => {
    const holders = [left, right].filter((table) => has(table, wanted));
    if (holders.length > 0) return holders.map((table) => nameIn(table, wanted));
    if (/^\d+$/.test(wanted)) return [nameIn(left, wanted)];
    const [path, other] = [left, right].map(({ description }) => description.path);
    const names = [...new Set([left, right].flatMap(comparedNames))];
    return [names[findColumn(`${path} and ${other}`, names, wanted)]];
  };
  const byName = <Value>(said: Readonly<Record<string, Value>>): Readonly<Record<string, Value>> =>
    Object.fromEntries(
      Object.entries(said).flatMap(([name, value]) => named(name).map((found) => [found, value])),
    );
  return {
    ...{ on: on.length > 0 ? on.map(pairOf) : undefined, same: same?.map(pairOf), never: never?.map(pairOf) },
    ignore: ignore
      ?.flatMap(named)
      .flatMap((name) => partsOfName(name, [...left.description.columns, ...right.description.columns])),
    ...{ kindOf: kindOf && byName(kindOf), compare: compare && byName(compare) },
  };
}
