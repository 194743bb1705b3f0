/**
 * Finds the delimiter and the header of a text table from its first 64 KB, or more where its first record is longer:
 *
 * 1. Delimiter: of comma, tab, semicolon and pipe (tab first in .tsv files) the one that gives most records
 *    the same number of cells, two or more; among equals the one with more cells. If none does, the file
 *    has one column and a line is a phrase.
 * 2. Header: see header.ts.
 * 3. Title: up to ten first records that have at most one filled cell, or another number of cells than most records. The
 *    record below them is a header if it is full and has a usual name, or a cell without digits above cells with digits.
 *    The title is no row.
 */
import { findHeader, gapsOf, isAboveDigits, isListHeader, isUnlikeRows } from "./header.js";
import { cellsOf, type Dialect, quotationMark, RecordScanner, type ScanStatus } from "./records.js";

export const sampleBytes = 65_536;

const candidates = [",", "\t", ";", "|"];

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
  /** Whether it was asked for whether there is a header, or what the cells hold leaves no doubt. */
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

type Sampled = ReturnType<typeof sampleRecords>;

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
    others.length === 0 && isListHeader(first);
  const isPhrase = records[above].slice(1).some((cell) => cell.startsWith(" "));
  if (isPhrase || records.slice(0, above).some((record) => isHeader(record) || isList(record))) return 0;
  const { header, headerIsSure } = findHeader(below);
  const isFull = gapsOf(below) === 0 && isUnlikeRows(below);
  return header && isFull && (headerIsSure || isAboveDigits(below)) ? above : 0;
}

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
 * @returns `before`: what is before each record
 */
function sampleRecords(sample: Buffer, dialect: Dialect, isWhole: boolean) {
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
