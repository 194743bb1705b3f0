/**
 * Finds the delimiter and the header of a text table from its first 64 KB, or more where its first record is longer:
 *
 * 1. Delimiter: of comma, tab, semicolon and pipe (tab first in .tsv files) the one that gives most records
 *    the same number of cells, two or more; among equals the one with more cells. If none does, the file
 *    has one column and a line is a phrase.
 * 2. Header, one column: present if the first line is a usual name for such a column ("phrase", "name" ...).
 * 3. Header, several columns: present if a cell of the first record is such a name; absent if a cell repeats
 *    another, is numeric, or occurs again below in its column; else present, but marked as not sure. Columns without any
 *    filled cell are passed over.
 * 4. Title: up to ten first records that have at most one filled cell, or another number of cells than most records. The
 *    record below them is a header if it is full and has a usual name, or a cell without digits above cells with digits.
 *    The title is no row.
 */
import { cellsOf, type Dialect, quotationMark, RecordScanner, type ScanStatus } from "./records.js";

export const sampleBytes = 65_536;

const candidates = [",", "\t", ";", "|"];

/** Names under which phrases are usually stored, best first; compared without case. */
export const phraseColumnNames = (
  "phrase text name title label term mention entity entity_name string surface surface_form keyword query word " +
  "concept product product_name description sentence value company organization"
).split(" ");

/** Further names of a one-column file's header. No rule looks for them among several columns. */
const oneColumnHeaders = new Set([
  ...phraseColumnNames,
  ...(
    "phrases texts names titles labels terms mentions entities strings keywords queries words concepts products " +
    "companies sentences values id key category"
  ).split(" "),
]);

export interface SniffOptions {
  readonly delimiter?: string;
  readonly header: "auto" | "present" | "absent";
  readonly quote: "double" | "none";
  readonly preferTab: boolean;
}

export interface Shape {
  readonly dialect: Dialect;
  /** Undefined where the table has one column. */
  readonly delimiter: string | undefined;
  readonly header: boolean;
  /** Whether the header was asked for or has a usual name in it. */
  readonly headerIsSure: boolean;
  /** The first record's cells, without a title: the column names where `header` is true. */
  readonly firstCells: string[];
  /** What is above the header, in bytes and in lines. */
  readonly title: Title;
  /** Whether the sample ends within the first record, by one of the delimiters: a longer one may show another shape. */
  readonly isCut: boolean;
}

interface Title {
  readonly bytes: number;
  readonly lines: number;
}

interface Sampled {
  readonly records: string[][];
  /** What is before each record. */
  readonly before: Title[];
  readonly isCut: boolean;
}

export const noTitle: Title = { bytes: 0, lines: 0 };
const mostTitleRecords = 10;

/** Decides delimiter and header. `isWhole` says that the sample is the whole file. */
export function sniff(sample: Buffer, options: SniffOptions, isWhole: boolean): Shape {
  const { quote, preferTab } = options;
  const dialectFor = (delimiter: string | undefined): Dialect => ({
    delimiter: delimiter === undefined ? -1 : delimiter.charCodeAt(0),
    quote: quote === "none" ? -1 : quotationMark,
    outputQuote: quotationMark,
  });
  const order = preferTab ? ["\t", ...candidates] : candidates;
  const tried = options.delimiter === undefined ? [...order, undefined] : [options.delimiter];
  const sampled = new Map(
    tried.map((delimiter) => [delimiter, sampleRecords(sample, dialectFor(delimiter), isWhole)]),
  );
  const delimiter = options.delimiter ?? bestDelimiter(sampled);
  const { records, before } = sampled.get(delimiter) as Sampled;
  const above = options.header === "auto" ? titleRecords(records) : 0;
  const { header, headerIsSure } =
    options.header === "auto"
      ? findHeader(records.slice(above))
      : { header: options.header === "present", headerIsSure: true };
  const isCut = [...sampled.values()].some((each) => each.isCut);
  const firstCells = records[above] ?? [];
  const title = above === 0 ? noTitle : before[above];
  return { dialect: dialectFor(delimiter), delimiter, header, headerIsSure, firstCells, title, isCut };
}

/** The number of records above the header. */
function titleRecords(records: readonly string[][]): number {
  const { cells: width } = mostCommonWidth(records);
  const isBlank = (cell: string): boolean => cell.trim() === "";
  const isLong = (record: readonly string[]): boolean => record.filter((cell) => !isBlank(cell)).length > 1;
  // A column of row names has no header.
  const isRowNamed = ([first, second]: readonly string[]): boolean => isBlank(first) && !isBlank(second);
  const above = records.findIndex(
    (record) => record.length === width && (isLong(record) || (width === 2 && isRowNamed(record))),
  );
  if (width < 2 || above < 1 || above > mostTitleRecords || above === records.length - 1) return 0;
  const below = records.slice(above);
  // A header that differs from its rows by delimiters at the end of either is refused with its line.
  const isHeader = (record: readonly string[]): boolean =>
    isLong(record) &&
    record.slice(width).every(isBlank) &&
    below.every((row) => row.slice(record.length).every(isBlank));
  // A list of phrases, some of which contain commas, has a header of its own, or spaces behind the commas.
  const isList = ([first, ...others]: readonly string[]): boolean =>
    others.length === 0 && oneColumnHeaders.has(first.trim().toLowerCase());
  const isPhrase = records[above].slice(1).some((cell) => cell.startsWith(" "));
  if (isPhrase || records.slice(0, above).some((record) => isHeader(record) || isList(record))) return 0;
  const { header, headerIsSure } = findHeader(below);
  const isFull = gapsOf(below) === 0 && differsFromRows(below);
  return header && isFull && (headerIsSure || isAboveDigits(below)) ? above : 0;
}

/** Filled cells from which a column shows what it holds, and the share of them that must have a digit. */
const fewestCells = 5;
const mostlyDigits = 0.9;

/** Whether the first record has a cell without digits above a column whose cells have some. */
function isAboveDigits([first, ...others]: readonly string[][]): boolean {
  return first.some((name, column) => {
    const cells = others.map((other) => other[column] ?? "").filter((cell) => cell.trim() !== "");
    const withDigits = cells.filter((cell) => /\d/.test(cell)).length;
    const isEnough = cells.length >= fewestCells && withDigits >= mostlyDigits * cells.length;
    return isEnough && name.trim() !== "" && !/\d/.test(name);
  });
}

/** The number of columns whose cell is empty in the first record, but not in all others. */
const gapsOf = ([first, ...others]: readonly string[][]): number =>
  first.filter((name, column) => name.trim() === "" && others.some((other) => other[column]?.trim())).length;

function bestDelimiter(sampled: ReadonlyMap<string | undefined, Sampled>): string | undefined {
  const [best] = [...sampled]
    .map(([delimiter, { records }]) => ({ delimiter, ...mostCommonWidth(records) }))
    .filter(({ cells }) => cells >= 2)
    .sort((left, right) => right.share - left.share || right.cells - left.cells);
  return best?.delimiter;
}

/** The most common number of cells, the larger one among equals, and the fraction of records that have it. */
function mostCommonWidth(records: readonly string[][]): { cells: number; share: number } {
  const occurrences = new Map<number, number>();
  for (const { length } of records) occurrences.set(length, (occurrences.get(length) ?? 0) + 1);
  const ranked = [...occurrences].sort((left, right) => right[1] - left[1] || right[0] - left[0]);
  const [cells, times] = ranked[0] ?? [0, 0];
  return { cells, share: times / records.length };
}

/**
 * The complete records up to the first trouble, which the full scan reports with its line. Blank lines are left
 * out, except a first one in a table of one column, where it is a row: such a table has no header.
 */
function sampleRecords(sample: Buffer, dialect: Dialect, isWhole: boolean): Sampled {
  const records: string[][] = [];
  const before: Title[] = [];
  const scanner = new RecordScanner(dialect);
  let isFirstBlank = false;
  let lines = 0;
  let status: ScanStatus = "record";
  for (let start = 0; start < sample.length; start = scanner.next) {
    status = scanner.scan(sample, start, isWhole);
    if (status !== "record") break;
    if (scanner.end > start) {
      records.push(cellsOf(sample.toString("utf8", start, scanner.end), dialect));
      before.push({ bytes: start, lines });
    } else if (start === 0) isFirstBlank = true;
    lines += scanner.lines;
  }
  const isCut = records.length === 0 && !isWhole && (status === "record" || status === "incomplete");
  const columns = records[0]?.length ?? 1;
  if (!isFirstBlank || columns > 1) return { records, before, isCut };
  return { records: [[""], ...records], before: [noTitle, ...before], isCut };
}

function findHeader(records: readonly string[][]): { header: boolean; headerIsSure: boolean } {
  const [first] = records;
  const absent = { header: false, headerIsSure: true };
  if (first === undefined) return absent;
  const names = first.map((cell) => cell.trim()).filter((name) => name !== "");
  const isUsual = names.some((name) => oneColumnHeaders.has(name.toLowerCase()));
  if (first.length === 1) return { header: isUsual, headerIsSure: true };
  if (isUsual && !isNumeric(first[0])) return { header: true, headerIsSure: true };
  // One unnamed column is typical of exports with a row number; more is a row with gaps.
  const hasGaps = first.length - names.length > 1 && (records.length === 1 || gapsOf(records) > 0);
  if (names.length === 0 || hasGaps) return absent;
  return differsFromRows(records) ? { header: true, headerIsSure: false } : absent;
}

/** Whether the cells of the first record differ from each other, from numbers, and from those below them. */
function differsFromRows([first, ...others]: readonly string[][]): boolean {
  const names = first.map((cell) => cell.trim()).filter((name) => name !== "");
  if (new Set(names).size < names.length || names.some(isNumeric)) return false;
  return !first.some((cell, column) => cell !== "" && others.some((other) => other[column] === cell));
}

/** Whether a cell holds only what a number may hold (digits, sign, separators, exponent, percent). */
export function isNumeric(cell: string): boolean {
  return /^[-+]?[\d.,'\u00a0 ]*\d[\d.,'\u00a0 ]*(e[-+]?\d+)?%?$/i.test(cell.trim());
}
