/**
 * Finds the delimiter and the header of a text table from its first 64 KB, by a rule short enough to say:
 *
 * 1. Delimiter: of comma, tab, semicolon and pipe (tab first in .tsv files) the one that gives most records
 *    the same number of cells, two or more; among equals the one with more cells. If none does, the file
 *    has one column and a line is a phrase.
 * 2. Header, one column: present if the first line is a usual name for such a column ("phrase", "name" ...).
 * 3. Header, several columns: present if a cell of the first record is such a name; absent if a cell repeats
 *    another, is numeric, or comes again below in its column; else present, but marked as not sure.
 */
import { cellsOf, type Dialect, isNumeric, RecordScanner, usesLoneCr } from "./records.js";

/** Bytes looked at before the shape of a table is decided. */
export const sampleBytes = 65_536;

const quotationMark = 0x22;
const candidates = [",", "\t", ";", "|"];

/** Names under which phrases are usually stored, best first; compared without case. */
export const phraseColumnNames = [
  "phrase",
  "text",
  "name",
  "title",
  "label",
  "term",
  "mention",
  "entity",
  "entity_name",
  "string",
  "surface",
  "surface_form",
  "keyword",
  "query",
  "word",
  "concept",
  "product",
  "product_name",
  "description",
  "sentence",
  "value",
  "company",
  "organization",
];

/** Plurals and the like that head a one-column file but that no rule should search among several columns. */
const oneColumnHeaders = new Set([
  ...phraseColumnNames,
  ...[
    "phrases",
    "texts",
    "names",
    "titles",
    "labels",
    "terms",
    "mentions",
    "entities",
    "strings",
    "keywords",
  ],
  ...[
    "queries",
    "words",
    "concepts",
    "products",
    "companies",
    "sentences",
    "values",
    "id",
    "key",
    "category",
  ],
]);

/** What a caller has decided already; the rest is found. */
export interface SniffOptions {
  delimiter?: string;
  header: "auto" | "present" | "absent";
  quote: "double" | "none";
  preferTab: boolean;
}

/** The shape of a text table. */
export interface Shape {
  dialect: Dialect;
  /** Undefined where the table has one column. */
  delimiter: string | undefined;
  header: boolean;
  /** Whether the header was asked for or has a usual name in it. */
  headerIsSure: boolean;
  /** The first record's cells: the column names where `header` is true. */
  firstCells: string[];
}

/** Decides delimiter and header. `isWhole` says that the sample is the whole file. */
export function sniff(sample: Buffer, options: SniffOptions, isWhole: boolean): Shape {
  const loneCrEndsLine = usesLoneCr(sample);
  const dialectFor = (delimiter: string | undefined): Dialect => ({
    delimiter: delimiter === undefined ? -1 : delimiter.charCodeAt(0),
    quote: options.quote === "none" ? -1 : quotationMark,
    outputQuote: quotationMark,
    loneCrEndsLine,
  });
  const delimiter = options.delimiter ?? findDelimiter(sample, dialectFor, options.preferTab, isWhole);
  const dialect = dialectFor(delimiter);
  const records = sampleRecords(sample, dialect, isWhole);
  const { header, headerIsSure } =
    options.header === "auto"
      ? findHeader(records)
      : { header: options.header === "present", headerIsSure: true };
  return { dialect, delimiter, header, headerIsSure, firstCells: records[0] ?? [] };
}

function findDelimiter(
  sample: Buffer,
  dialectFor: (delimiter: string) => Dialect,
  preferTab: boolean,
  isWhole: boolean,
): string | undefined {
  const order = preferTab ? ["\t", ...candidates.filter((candidate) => candidate !== "\t")] : candidates;
  let best: { delimiter: string; share: number; cells: number } | undefined;
  for (const delimiter of order) {
    const counts = cellCounts(sample, dialectFor(delimiter), isWhole);
    const { cells, share } = mostCommon(counts);
    if (cells < 2) continue;
    if (best === undefined || share > best.share || (share === best.share && cells > best.cells)) {
      best = { delimiter, share, cells };
    }
  }
  return best?.delimiter;
}

/** Cells of each complete record of the sample, blank lines left out. */
function cellCounts(sample: Buffer, dialect: Dialect, isWhole: boolean): number[] {
  const counts: number[] = [];
  forEachRecord(sample, dialect, isWhole, (scanner, start) => {
    if (scanner.end > start) counts.push(scanner.cells);
  });
  return counts;
}

function sampleRecords(sample: Buffer, dialect: Dialect, isWhole: boolean): string[][] {
  const records: string[][] = [];
  forEachRecord(sample, dialect, isWhole, (scanner, start) => {
    const isBlank = scanner.end === start;
    if (isBlank && (dialect.delimiter >= 0 || records.length > 0)) return;
    records.push(cellsOf(sample, start, scanner.end, dialect).map((cell) => cell.toString("utf8")));
  });
  return records;
}

/** Walks the records up to the first trouble; trouble is the full scan's to report, with its line. */
function forEachRecord(
  sample: Buffer,
  dialect: Dialect,
  isWhole: boolean,
  visit: (scanner: RecordScanner, start: number) => void,
): void {
  const scanner = new RecordScanner(dialect);
  let start = 0;
  while (start < sample.length) {
    if (scanner.scan(sample, start, sample.length, isWhole) !== "record") return;
    visit(scanner, start);
    start = scanner.next;
  }
}

function mostCommon(counts: number[]): { cells: number; share: number } {
  const occurrences = new Map<number, number>();
  for (const count of counts) occurrences.set(count, (occurrences.get(count) ?? 0) + 1);
  let cells = 0;
  let most = 0;
  for (const [count, times] of occurrences) {
    if (times > most || (times === most && count > cells)) {
      cells = count;
      most = times;
    }
  }
  return { cells, share: counts.length === 0 ? 0 : most / counts.length };
}

function findHeader(records: string[][]): { header: boolean; headerIsSure: boolean } {
  const [first, ...others] = records;
  const absent = { header: false, headerIsSure: true };
  if (first === undefined) return absent;
  const names = first.map((cell) => cell.trim()).filter((name) => name !== "");
  const isUsual = names.some((name) => oneColumnHeaders.has(name.toLowerCase()));
  if (first.length === 1) return { header: isUsual, headerIsSure: true };
  if (isUsual && !isNumeric(first[0])) return { header: true, headerIsSure: true };
  // One unnamed column is what exports with a row number look like; more is a row with gaps.
  if (names.length === 0 || first.length - names.length > 1) return absent;
  if (new Set(names).size < names.length || names.some(isNumeric)) return absent;
  if (first.some((cell, column) => recurs(cell, column, others))) return absent;
  return { header: true, headerIsSure: false };
}

function recurs(cell: string, column: number, records: string[][]): boolean {
  return cell !== "" && records.some((record) => record[column] === cell);
}
