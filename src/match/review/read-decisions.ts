/** Reads what people decided: review files, which name pairs by their rows, and label files, which name them by texts. */
import { existsSync, statSync } from "node:fs";
import { basename } from "node:path";
import { groupBy } from "../../by-key.js";
import { ArgumentError, TableError } from "../../errors.js";
import { formatCount } from "../../files/count-text.js";
import { readWholeTable } from "../../table/whole-table.js";
import { isVisible, oneLine } from "../../text/visible.js";
import type { AlignedNames, TableColumns } from "../columns/align.js";
import { rowsOf } from "../columns/fields.js";
import type { KnownPair } from "../compare-tables.js";
import { rowsInOrder } from "../weights/pair-table.js";

/** The tables of a review: two, or one that is compared with itself. */
export interface ReviewedTables {
  readonly left: TableColumns;
  readonly right?: TableColumns;
  /** Columns that belong together: shown first, side by side. Default: those of one name. */
  readonly columns?: readonly AlignedNames[];
}

export const sides = ["left", "right"] as const;
export type Side = (typeof sides)[number];

/** Header of a table's cells in the file. "left_row" is the number of the row. */
export const cellHeader = (side: Side, name: string): string =>
  name.trim().toLowerCase() === "row" ? `${side}_${name} (cell)` : `${side}_${name}`;

export const rowHeader = (side: Side): string => `${side}_row`;

/** "?" is looked at and left open. */
export type Answer = "yes" | "no" | "?" | "";

const answers: ReadonlyMap<string, Answer> = new Map([
  ...["yes", "y", "1", "true", "match"].map((word) => [word, "yes"] as const),
  ...["no", "n", "0", "false", "non-match"].map((word) => [word, "no"] as const),
  ["?", "?"],
]);

/** What a cell of decisions says; undefined for anything else. */
export const answerOf = (cell: string): Answer | undefined =>
  isVisible(cell) ? answers.get(cell.trim().toLowerCase()) : "";

/** The name among `columns` that is one of those wanted, however it is spelt. */
export const columnNamed = (columns: readonly string[], ...wanted: readonly string[]): string | undefined =>
  columns.find((name) => wanted.includes(name.trim().toLowerCase()));

/** The columns of a review or label file that hold the numbers of the rows, and the decision; undefined where it has none. */
export const reviewColumns = (names: readonly string[]) => ({
  left: columnNamed(names, rowHeader("left")),
  right: columnNamed(names, rowHeader("right")),
  decision: columnNamed(names, "decision", "match", "label", "is_match"),
});

/** A label of texts stands for no more pairs of rows. */
const mostPairs = 10_000;

/** A judged row of the file, counted from 1. */
interface Decision {
  readonly row: number;
  readonly match: boolean;
}

/** A file that is being read. */
interface DecisionFile {
  readonly name: string;
  readonly columns: TableColumns;
  readonly tables: Record<Side, TableColumns>;
}

/**
 * Reads judged pairs of rows, counted from 0. A review file (left_row, right_row) is checked against the cells of the
 * tables. Without row numbers the columns left, right and decision (or match, label, is_match), or else the first three,
 * hold texts of the tables: a pair counts for every row with these texts. Without a column of decisions every pair is a
 * match. Rows without a decision are skipped.
 * @throws TableError for an unknown decision, a changed table, an unknown text, contradicting decisions; and without any
 */
export const readDecisions = (path: string, tables: ReviewedTables): Promise<KnownPair[]> =>
  readKnown([path], tables);

/** The decisions of several files, each pair once. @throws TableError also where two files contradict each other */
export async function readKnown(paths: readonly string[], tables: ReviewedTables): Promise<KnownPair[]> {
  const judged: JudgedPair[] = [];
  for (const path of paths) for (const pair of await judgedPairs(path, tables)) judged.push(pair);
  return withoutContradictions(judged, tables.right === undefined);
}

/**
 * Compares every pair of a review file with the cells of the tables, also those without a decision.
 * @throws TableError for other tables than those of the review
 */
export async function checkReview(path: string, tables: ReviewedTables): Promise<void> {
  const { file, rows } = await openDecisions(path, tables);
  if (rows !== undefined) reviewedPairs(file, rows, decisionsOf(file, undefined));
}

/**
 * Keeps answers from being written over by a new review.
 * @throws ArgumentError for a review file that has some
 */
export async function refuseAnswered(...paths: readonly (string | undefined)[]): Promise<void> {
  for (const path of paths) {
    if (path === undefined || !existsSync(path) || !statSync(path).isFile()) continue;
    const found = await readWholeTable(path, { column: "1" }).catch(() => undefined);
    const { left, decision } = reviewColumns(found?.description.columns ?? []);
    if (found === undefined || left === undefined || decision === undefined) continue;
    const answers = found.columns[decision].filter(isVisible).length;
    if (answers > 0)
      throw new ArgumentError(
        `${path} has ${formatCount(answers)} ${answers === 1 ? "answer" : "answers"}. Apply it (--review), and give the new review another name.`,
      );
  }
}

/** @returns rows: the columns of row numbers, in a review file; decision: that of decisions */
async function openDecisions(path: string, { left, right = left }: ReviewedTables) {
  const { description, columns } = await readWholeTable(path, { column: "1" });
  const file: DecisionFile = { name: basename(path), columns, tables: { left, right } };
  const { left: lefts, right: rights, decision } = reviewColumns(description.columns);
  const rows = lefts === undefined || rights === undefined ? undefined : ([lefts, rights] as const);
  return { file, names: description.columns, rows, decision };
}

async function judgedPairs(path: string, tables: ReviewedTables): Promise<JudgedPair[]> {
  const { file, names, rows, decision } = await openDecisions(path, tables);
  const found =
    rows === undefined
      ? labelledPairs(file, labelColumns(file.name, names, decision), tables)
      : reviewedPairs(file, rows, decisionsOf(file, decision));
  if (found.length === 0)
    throw new TableError(`${file.name}: no row has a decision. Write yes or no beside some pairs.`);
  return found;
}

interface JudgedPair extends KnownPair {
  /** The file, and its row from 1. */
  readonly file: string;
  readonly row: number;
}

function decisionsOf({ name, columns }: DecisionFile, column: string | undefined): Decision[] {
  if (column === undefined)
    return Array.from({ length: rowsOf(columns) }, (_, row) => ({ row: row + 1, match: true }));
  return columns[column].flatMap((cell, row): Decision[] => {
    const answer = answerOf(cell);
    if (answer === undefined)
      throw new TableError(
        `${name}, row ${row + 1}: "${cell}" is not a decision. Write yes or no, or leave it empty.`,
      );
    return answer === "yes" || answer === "no" ? [{ row: row + 1, match: answer === "yes" }] : [];
  });
}

function reviewedPairs(
  file: DecisionFile,
  rowColumns: readonly [string, string],
  decisions: readonly Decision[],
): JudgedPair[] {
  const shown = sides.map((side) => shownColumns(file, side));
  return decisions.map(({ row, match }) => {
    const [left, right] = sides.map((side, index) => {
      const number = rowNumber(file, side, file.columns[rowColumns[index]][row - 1], row);
      checkRow(file, { side, names: shown[index], number, row });
      return number - 1;
    });
    return { file: file.name, row, left, right, match };
  });
}

/** The columns of a table that the file shows. @throws TableError where it shows those of another table alone */
function shownColumns({ name: file, columns, tables }: DecisionFile, side: Side): string[] {
  const shown = Object.keys(tables[side]).filter((name) => Object.hasOwn(columns, cellHeader(side, name)));
  const headers = Object.keys(columns).filter((name) => name.startsWith(`${side}_`));
  const others = headers.filter((name) => columnNamed([name], rowHeader(side)) === undefined);
  if (shown.length > 0 || others.length === 0) return shown;
  throw new TableError(
    `${file}: it has the columns ${others.join(", ")}, and the ${side} table has none of them. ` +
      "Give the tables in the order in which the review was written.",
  );
}

function rowNumber({ name, tables }: DecisionFile, side: Side, cell: string, row: number): number {
  // A spreadsheet may have added decimals; three digits more may be thousands.
  const number = Number(/^(\d+)(?:[.,]00?)?$/.exec(cell.trim())?.[1] ?? 0);
  const rows = rowsOf(tables[side]);
  if (number >= 1 && number <= rows) return number;
  const expected = `expected the number of a row, 1 to ${rows}`;
  throw new TableError(
    `${name}, row ${row}: ${rowHeader(side)} is "${cell}", ${expected}. Write the review again for this table.`,
  );
}

/** Refuses a row of the file whose cells are not those of the table: the row number is then another row's. */
function checkRow(
  { name: file, columns, tables }: DecisionFile,
  { side, names, number, row }: { side: Side; names: readonly string[]; number: number; row: number },
): void {
  const cells = names.map((name) => {
    const header = cellHeader(side, name);
    const [written, own] = [columns[header][row - 1], tables[side][name][number - 1]];
    return { header, written, own, likeness: compareCells(written, own) };
  });
  const isSure = cells.some(({ written, likeness }) => likeness === "same" && isVisible(written));
  const changed = cells.find(({ likeness }) => likeness === "other" || (likeness === "rewritten" && !isSure));
  if (changed === undefined) return;
  const { header, written, own } = changed;
  throw new TableError(
    `${file}, row ${row}: ${header} is "${written}", but row ${number} of the ${side} table has "${own}". The table ` +
      "or the cell has changed since the review was written. Use the table as it was, or write the review again.",
  );
}

function labelColumns(path: string, names: readonly string[], decision: string | undefined): string[] {
  const [left, right] = sides.map((side) => names.find((name) => name.trim().toLowerCase() === side));
  if (left !== undefined && right !== undefined)
    return decision === undefined ? [left, right] : [left, right, decision];
  if (names.length < 2)
    throw new TableError(
      `${path}: found one column (${names[0]}), expected left, right and, if some pairs do not match, decision.`,
    );
  return names.slice(0, 3);
}

function labelledPairs(
  file: DecisionFile,
  [left, right, decision]: readonly string[],
  tables: ReviewedTables,
): JudgedPair[] {
  const decisions = decisionsOf(file, decision);
  const texts = [left, right].map((column) =>
    decisions.map(({ row }) => file.columns[column][row - 1].trim()),
  );
  decisions.forEach(({ row }, place) => {
    if (!texts.every((column) => isVisible(column[place])))
      throw new TableError(`${file.name}, row ${row}: left or right is empty. Fill in both.`);
  });
  const rows = sides.map((side, index) => rowsByText(file.tables[side], texts[index]));
  return decisions.flatMap(({ row, match }, place) => {
    const [lefts, rights] = sides.map((side, index) => {
      const text = texts[index][place];
      const found = rows[index].rows.get(text);
      if (found !== undefined) return found;
      throw new TableError(
        `${file.name}, row ${row}: ${rows[index].name} of the ${side} table has no cell "${text}". ` +
          "Labels must match values in the tables exactly.",
      );
    });
    if (lefts.length * rights.length > mostPairs)
      throw new TableError(
        `${file.name}, row ${row}: "${texts[0][place]}" and "${texts[1][place]}" are in ${lefts.length} and ` +
          `${rights.length} rows. Name single pairs by left_row and right_row.`,
      );
    const isOneTable = tables.right === undefined;
    const pairs = lefts.flatMap((left) =>
      rights.flatMap((right) => (isOneTable && left === right ? [] : [{ left, right }])),
    );
    const count = new Set(pairs.map((pair) => rowsInOrder({ isOneTable }, pair).join())).size;
    const answer = { file: file.name, row, match, ...(count > 1 && { share: 1 / count }) };
    return pairs.map((pair) => ({ ...answer, ...pair }));
  });
}

/** The column that holds most of the texts, and its rows by text. */
function rowsByText(table: TableColumns, texts: readonly string[]) {
  const wanted = new Set(texts);
  const columns = Object.keys(table).map((name) => {
    const cells = table[name];
    const rows = [...cells.keys()].filter((row) => wanted.has(cells[row].trim()));
    return { name, rows: groupBy(rows, (row) => cells[row].trim()) };
  });
  return columns.reduce((best, column) => (column.rows.size > best.rows.size ? column : best));
}

/** Each pair once, with its greatest share of an answer. @throws TableError */
function withoutContradictions(pairs: readonly JudgedPair[], isOneTable: boolean): KnownPair[] {
  const known = new Map<string, JudgedPair>();
  for (const pair of pairs) {
    const { file, row, left, right, match, share = 1 } = pair;
    if (isOneTable && left === right)
      throw new TableError(`${file}, row ${row}: left_row and right_row are the same row. Name two rows.`);
    const key = rowsInOrder({ isOneTable }, pair).join();
    const earlier = known.get(key);
    if (earlier !== undefined && earlier.match !== match) {
      const rows =
        earlier.file === file
          ? `${file}: rows ${earlier.row} and ${row}`
          : `row ${earlier.row} of ${earlier.file} and row ${row} of ${file}`;
      throw new TableError(`${rows} judge the same pair, one as a match, one as a non-match. Keep one.`);
    }
    if (earlier === undefined || share > (earlier.share ?? 1)) known.set(key, pair);
  }
  return Array.from(known.values(), ({ file, row, ...pair }) => pair);
}

/** Numbers, dates and times, also with an exponent; no words. */
const rewritable = /^[\s.,:/+\-()]*\d[\d\s.,:/+\-()]*(E[+-]?\d+)?$/i;
const numberOf = (cell: string): number => Number(cell.replace(",", "."));

/**
 * Spreadsheets rewrite numbers and dates ("007" as 7, "2020-01-31" as 31.01.20), but no words. "rewritten" says that the
 * two may be the same.
 */
function compareCells(written: string, own: string): "same" | "rewritten" | "other" {
  const [a, b] = [oneLine(written), oneLine(own)];
  if (a === b) return "same";
  if (!rewritable.test(a) || !rewritable.test(b)) return "other";
  return numberOf(a) === numberOf(b) ? "same" : "rewritten";
}
