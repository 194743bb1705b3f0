/** Removes duplicates from a table file, compared by all its columns or by one. */
import { rm } from "node:fs/promises";
import { UsageError } from "../../errors.js";
import { isObjectAddress, isPostgresAddress } from "../../files/place.js";
import { isFilled } from "../../match/cells/cell-words.js";
import { type AliasOptions, readAliases, withAliases } from "../../match/columns/aliases.js";
import { cellsOfColumn } from "../../match/columns/column-names.js";
import { comparedNames } from "../../match/columns/coordinates.js";
import { type ColumnOptions, planColumns } from "../../match/columns/fields.js";
import { profiler } from "../../match/columns/profile.js";
import { withComparisons } from "../../match/evidence/own-comparison.js";
import { type BoundedOptions, boundedReading, withinMemory } from "../../match/memory/memory-plan.js";
import type { LabelEffect } from "../../match/review/label-effect.js";
import type { ReviewedTables } from "../../match/review/read-decisions.js";
import { relatedForReview } from "../../match/review/related.js";
import {
  mostRelated,
  readKnown,
  refuseAnswered,
  reviewedPairs,
  writeReview,
} from "../../match/review/review-file.js";
import { type RuleOptions, readRules } from "../../match/rules.js";
import { refuseCategory, refuseLoss } from "../../match/unnamed-column.js";
import type { Cell } from "../../table/cell.js";
import {
  batchesOf,
  noteEmpty,
  readAllColumns,
  readWholeTable,
  type WholeTable,
} from "../../table/whole-table.js";
import { stateOf } from "../../table/write/output-names.js";
import { standardOutput } from "../../table/write/standard-output.js";
import { writeRows } from "../../table/write/text-rows.js";
import { isVisible, oneLine } from "../../text/visible.js";
import { refuseContradictions } from "../decided-groups.js";
import type { DedupeOptions } from "../dedupe.js";
import { type GoldenOptions, type GoldenRecords, goldenRecords } from "../golden-records.js";
import { type DuplicateRow, filledRows, removedRows, wholeGroups } from "../kept-rows.js";
import { type Duplicates, duplicatesByPlan, type FoundDuplicates, type RoadOptions } from "../roads.js";
import {
  checkNames,
  commandFor,
  type FileOptions,
  type GroupsToWrite,
  namedColumns,
  writeGroups,
  writeOrigins,
  writeRemoved,
} from "./group-files.js";
import { readStacked } from "./stacked.js";

/** Where {@link dedupeTable} writes: .csv, .tsv, .jsonl, .parquet or .xlsx. */
export interface DedupeOutputs {
  /** The rows without duplicates; "-" is standard output. */
  readonly kept: string;
  /** The other rows, as `row` (from 1), `kept_row`, `probability` and their own columns. */
  readonly removed?: string;
  /** All rows of each group, the kept one first, as `group`, `kept`, `row`, `probability` and their own columns. */
  readonly groups?: string;
  /** The same, written only where likely duplicates are not removed, or over such a list of an earlier run. */
  readonly likelyGroups?: string;
  /** One record for each thing, whether of several rows or one, in the order of the kept rows: see `survivors`. */
  readonly golden?: string;
  /** JSONL: the rows that each cell of these records comes from, as `record`, `rows`, `sources` and `cells`. */
  readonly goldenOrigins?: string;
  /** Pairs for a person to review, those most worth it first. */
  readonly review?: string;
  /** Pairs that look alike and are different things, in the form of a review file. */
  readonly related?: string;
}

/** Options of {@link dedupeTable}. `table.column` names the one column to compare. */
export interface DedupeTableOptions
  extends ColumnOptions,
    AliasOptions,
    RuleOptions,
    FileOptions,
    BoundedOptions,
    Pick<DedupeOptions, "encoder" | "precision" | "threshold" | "likely" | "sharing" | "signal"> {
  /**
   * Further tables, whose rows follow. Columns are aligned with the first table's, by header or by what they hold; a column
   * `source` in front names the table of each row.
   */
  readonly further?: readonly string[];
  /** Which rows may be the same; "between tables": no table has a thing twice. Default "all". */
  readonly pairs?: "all" | "between tables";
  /** Files of judged pairs: reviewed files, or tables with the columns left, right and decision. */
  readonly decisionPaths?: readonly string[];
  /** Called with the cells of the table before any are compared. */
  readonly onTables?: (tables: ReviewedTables) => Promise<void>;
  /** Whether empty cells of a kept row are filled from the removed rows of its group. Default "empty". */
  readonly fill?: "empty" | "none";
  /** Rules by which golden records take their cells, and their defaults: see {@link GoldenOptions}. */
  readonly survivors?: GoldenOptions["survivors"];
  /** "column" adds a column "why" to the groups. Default "none". */
  readonly explain?: "column" | "none";
  /** Called with the current stage, the items done and the total. */
  readonly onProgress?: (stage: string, done: number, total: number) => void;
}

/** What {@link dedupeTable} found and wrote. Rows are counted from 0. */
export interface DedupeTableReport extends FoundDuplicates {
  readonly rows: number;
  readonly kept: Int32Array;
  readonly removed: readonly DuplicateRow[];
  /** By column, how many empty cells of kept rows were filled from removed ones. */
  readonly filled: Readonly<Record<string, number>>;
  /** Kept rows with an empty cell that a removed row could have filled, but `fill` is "none". */
  readonly lacking: number;
  /** The rule of each column; undefined without golden records. */
  readonly survivors?: GoldenRecords["rules"];
  /** Rows of the groups that are likely duplicates, but were not removed. */
  readonly likely: number;
  /** What the judged pairs changed; undefined without any. */
  readonly labelEffect?: LabelEffect;
  /** Pairs in the review file. */
  readonly reviewed?: number;
  /** Pairs that look alike and are different things. */
  readonly related?: number;
  /** Rows as people recognise them: their different names, or their first cells if they have one name. */
  shown(rows: readonly number[]): string[];
}

/**
 * Removes duplicates from a table, compared by all columns that carry evidence, by those named, or by one. Of each group the
 * row with the most filled cells is kept, or the first of several; its empty cells are filled from the removed rows. If the promise is not established, only rows are removed
 * that equal the kept one in all compared cells, or that a person confirmed.
 *
 * @throws TableError, also if pearl chose one column of several and it holds categories or would remove more than a third of
 *   the rows, or a survivor rule does not fit its column; UsageError for a threshold with several columns; ArgumentError
 */
export async function dedupeTable(
  path: string,
  outputs: DedupeOutputs,
  options: DedupeTableOptions = {},
): Promise<DedupeTableReport> {
  const { kept, removed, groups, likelyGroups, review, related, golden, goldenOrigins } = outputs;
  const { further = [], aliases, decisionPaths = [] } = options;
  checkNames(
    [path, ...further, aliases, ...decisionPaths],
    [kept, removed, groups ?? likelyGroups, review, related, golden, goldenOrigins],
    options.format,
  );
  await refuseAnswered(review, related);
  const { table, known, found, records } = await openDuplicates(path, options);
  const { phrases } = table;
  const isTrusted = found.report.promise?.established !== false || options.likely === "remove";
  const chosen = removedRows(found.table, isTrusted ? "all" : "sure");
  if (found.unnamed !== undefined) {
    const loss = { lost: chosen.removed.length, rows: phrases.length, loss: "removed" };
    refuseLoss([{ table, column: found.unnamed }], loss, commandFor("dedupe", path));
  }
  const isGone = new Set(chosen.removed.map(({ row }) => row));
  const others = found.report.groups.flatMap((group) => group.others);
  const likely = others.filter(({ row }) => !isGone.has(row)).length;
  // a list of an earlier run must not look like one of this run
  const isListed = likely > 0 || (likelyGroups !== undefined && (await stateOf(likelyGroups)) !== undefined);
  const listed = {
    ...{ groups: found.report.groups, isKept: (row: number) => !isGone.has(row) },
    why: options.explain === "column" ? found.why : undefined,
  };
  const written = { ...outputs, groups: groups ?? (isListed ? likelyGroups : undefined) };
  const { columns, cells } = table.typed;
  const { rows, gained } = filledRows(chosen.removed, cells);
  const isFilling = options.fill !== "none";
  const cellsOf = (row: number): Cell[] => (isFilling && rows.get(row)) || cells(row);
  await writeOutputs(table, written, { ...chosen, ...listed, cellsOf, records }, options.format);
  const counts = Object.entries(gained).map(([place, count]) => [columns[Number(place)].name, count]);
  const filled = Object.fromEntries(isFilling ? counts : []);
  return {
    ...{ ...found.report, ...chosen, rows: phrases.length, likely, filled },
    lacking: isFilling ? 0 : rows.size,
    survivors: (golden ?? goldenOrigins) === undefined ? undefined : records.rules,
    labelEffect: known.length > 0 ? await found.labelEffect() : undefined,
    reviewed: review === undefined ? undefined : await writeDoubtful(review, table, found),
    related: related === undefined ? undefined : await writeRelated(related, table, found),
    shown: (rows) => shownRows(table, found, rows),
  };
}

/** The first half of {@link dedupeTable}: reads a table and groups its rows, without writing anything. */
export async function openDuplicates(path: string, options: DedupeTableOptions) {
  options.signal?.throwIfAborted();
  const { further = [], table: given } = options;
  const isBetween = options.pairs === "between tables";
  if (isBetween && further.length === 0)
    throw new UsageError(
      "--between matches rows of different tables, and there is only one. Name more tables, or leave --between out.",
    );
  const reading = await boundedReading(given, options);
  const read = given?.column === undefined ? readAllColumns : readWholeTable;
  const { table, source, ignored } =
    further.length > 0
      ? await readStacked([path, ...further], reading, options.onNote)
      : { table: await read(path, reading, options.onNote), source: undefined, ignored: [] };
  noteEmpty(table, options.onNote);
  const named = namedColumns(
    { description: { ...table.description, columns: comparedNames(table) } },
    options,
  );
  const isAsked = (name: string): boolean =>
    [...(named.on ?? []), ...Object.keys(named.kindOf ?? {})].includes(name);
  const ignore = [...(named.ignore ?? []), ...ignored.filter((name) => !isAsked(name))];
  const all = { ...options, ...named, ignore, profileOf: profiler() };
  const settings = await withComparisons([table.columns], all);
  const records = goldenRecords(table, settings);
  await options.onTables?.({ left: table.columns });
  const { cells, phrases } = table;
  // A table without rows has none of the rows that decisions are about.
  const decisions = phrases.length === 0 ? [] : (options.decisionPaths ?? []);
  const known = await readKnown(decisions, { left: table.columns });
  refuseContradictions(phrases.length, known);
  const completeness = Uint16Array.from(phrases, (_, row) => cells(row).filter(isFilled).length);
  const columns = withAliases(table.columns, await readAliases(options.aliases));
  const rules = readRules(columns, undefined, { ...settings, between: isBetween ? source : undefined });
  const compared = { ...table, columns };
  const found = await findDuplicates(compared, { ...settings, known, completeness, rules });
  return { table, known, records, found };
}

/** @returns `unnamed`: the column that was compared alone without being named */
async function findDuplicates(
  table: WholeTable,
  options: DedupeTableOptions & Pick<RoadOptions, "known" | "completeness" | "rules">,
): Promise<Duplicates & { readonly unnamed?: string }> {
  const { columns, description } = table;
  const on = options.table?.column === undefined ? options.on : [description.column];
  const choice = { ...options, on };
  const plan = planColumns(columns, undefined, choice);
  const { pairs } = plan;
  if (pairs.length > 1 && options.threshold !== undefined)
    throw new UsageError(
      `a threshold needs one column, but ${pairs.length} are compared. Name one with -c, or leave --threshold out.`,
    );
  if (options.threshold !== undefined && options.comparisons !== undefined)
    throw new UsageError("--threshold is a similarity as pearl compares phrases: leave --compare out.");
  const unnamed = pairs.length === 1 && choice.on === undefined ? pairs[0][0] : undefined;
  if (unnamed !== undefined)
    refuseCategory([{ table, column: unnamed }], commandFor("dedupe", description.path));
  const within = await withinMemory([columns], plan, choice);
  return { ...(await duplicatesByPlan(columns, plan, { ...choice, ...within })), unnamed };
}

/** Cells that stand for a row, and the length to which texts are cut. */
const [shownCells, shownLength] = [4, 60];

function shownRows({ cells, columns }: WholeTable, { shown }: Duplicates, rows: readonly number[]): string[] {
  const cut = (text: string): string =>
    text.length > shownLength ? `${text.slice(0, shownLength - 1).trimEnd()}…` : text;
  const filled = (texts: readonly string[]): string[] => texts.map(oneLine).filter(isVisible);
  const names = new Set(
    rows.map((row) => cut(filled(shown.map((name) => cellsOfColumn(columns, name)[row])).join(", "))),
  );
  names.delete("");
  if (names.size > 1) return [...names];
  return [...new Set(rows.map((row) => cut(filled(cells(row)).slice(0, shownCells).join(", "))))];
}

interface RowsToWrite extends ReturnType<typeof removedRows>, GroupsToWrite {
  /** The cells of a kept row. */
  cellsOf(row: number): Cell[];
  readonly records: GoldenRecords;
}

async function writeOutputs(
  table: WholeTable,
  outputs: DedupeOutputs,
  { kept, removed, cellsOf, records, ...groups }: RowsToWrite,
  format: FileOptions["format"],
): Promise<void> {
  const { typed, description } = table;
  const { golden, goldenOrigins } = outputs;
  const things = () => wholeGroups(kept, removed);
  const lines = () => batchesOf(things(), (rows) => records.recordOf(rows).map(({ cell }) => cell));
  // The kept rows last: no row is ever missing from all files.
  const written: [path: string | undefined, write: (path: string) => Promise<unknown>][] = [
    [outputs.removed, (path) => writeRemoved(path, table, removed)],
    [outputs.groups, (path) => writeGroups(path, table, groups)],
    [golden, (path) => writeRows(path, records.columns, lines(), undefined, description)],
    [goldenOrigins, (path) => writeOrigins(path, table, records, things())],
    [outputs.kept, (path) => writeRows(path, typed.columns, batchesOf(kept, cellsOf), format, description)],
  ];
  const beside: string[] = [];
  try {
    for (const [path, write] of written) {
      if (path === undefined) continue;
      await write(path);
      beside.push(path);
    }
  } catch (error) {
    // What went elsewhere stays, and nothing may hide why the run failed.
    for (const name of beside.filter(isFile)) await rm(name, { force: true }).catch(() => undefined);
    throw error;
  }
}

const isFile = (name: string): boolean =>
  name !== standardOutput && !isPostgresAddress(name) && !isObjectAddress(name);

function writeDoubtful(
  path: string,
  { columns, description }: WholeTable,
  { doubtful, why }: Duplicates,
): Promise<number> {
  const pairs = doubtful(reviewedPairs).map((pair) => {
    const { left: keptRow, right: row, probability } = pair;
    return { ...pair, why: why({ row, keptRow, probability }) };
  });
  return writeReview(path, { left: columns }, pairs, description);
}

const writeRelated = (
  path: string,
  { columns, description }: WholeTable,
  found: Duplicates,
): Promise<number> =>
  writeReview(path, { left: columns }, found.related(mostRelated).map(relatedForReview), description);
