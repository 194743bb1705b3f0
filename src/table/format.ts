/** The table formats that pearl reads and writes, and their detection by a file's name and first bytes. */
import { extname } from "node:path";
import { TableError, UsageError } from "../errors.js";
import { isPostgresAddress, tablePlace } from "../files/place.js";
import { parseAddress } from "./postgres/address.js";

/** A format that can be read. `text` is one phrase a line. */
export type TableFormat = "csv" | "tsv" | "jsonl" | "parquet" | "text";

/** How the lines of a table are written, so that an output in the same format looks as its input does. */
export interface LineStyle {
  readonly format?: string;
  readonly delimiter?: string;
  readonly lineEnd?: "\n" | "\r\n";
  /** Whether the file begins with such a mark, by which spreadsheet programs know UTF-8. */
  readonly hasByteOrderMark?: boolean;
}

/** The formats that embeddings can be written in. */
export const embeddingFormats = ["csv", "tsv", "jsonl", "parquet", "npy"] as const;
/** A format that embeddings can be written in. */
export type EmbeddingFormat = (typeof embeddingFormats)[number];

/** A format that rows can be written in. */
export const rowsFormats = ["csv", "tsv", "jsonl", "parquet", "xlsx"] as const;
export type RowsFormat = (typeof rowsFormats)[number];

const bothByExtension = {
  ".csv": "csv",
  ".tsv": "tsv",
  ".jsonl": "jsonl",
  ".ndjson": "jsonl",
  ".parquet": "parquet",
  ".pq": "parquet",
} as const;

const rowsByExtension: Record<string, RowsFormat> = { ...bothByExtension, ".xlsx": "xlsx" };

const readableByExtension: Record<string, TableFormat> = {
  ...bothByExtension,
  ".tab": "tsv",
  ".json": "jsonl",
  ".txt": "text",
};

const writableByExtension: Record<string, EmbeddingFormat> = { ...bothByExtension, ".npy": "npy" };

/** The format that a file's name indicates, without a final `.gz`; undefined for other names. */
export function formatOfName(path: string): TableFormat | undefined {
  return readableByExtension[extname(tablePlace(path).file.replace(/\.gz$/i, "")).toLowerCase()];
}

/** `names` for `data/names.csv.gz` and `postgres://...?table=names`, `shop.names` for `shop.db?table=names` and `shop.xlsx?sheet=names`: the beginning of default names. */
export function stemOf(path: string): string {
  const plainName = (table: string): string => table.replaceAll(/[^\p{L}\p{N}_.-]/gu, "");
  if (isPostgresAddress(path)) return plainName(parseAddress(path).table ?? "table");
  const { file, table, sheet } = tablePlace(path);
  const part = table ?? sheet;
  if (part) return `${stemOf(file)}.${plainName(part)}`;
  const plain = (path === "-" ? "stdin" : path).replace(/^.*[/\\]/, "").replace(/\.gz$/, "");
  return plain.replace(/(?<=.)\.[^.]*$/, "");
}

/** The ending of a file's name by which rows are written, such as `.csv`; "" for another one. */
export const rowsEndingOf = (path: string): string =>
  Object.hasOwn(rowsByExtension, extname(path).toLowerCase()) ? extname(path) : "";

/** The format to write rows in, by the file's name; CSV for "-" and for tables in PostgreSQL. @throws UsageError for another extension */
export function rowsFormatOfName(path: string, otherCure = ", or add --format csv (for -o)"): RowsFormat {
  const extension = extname(path).toLowerCase();
  const format = path === "-" || isPostgresAddress(path) ? "csv" : rowsByExtension[extension];
  if (format !== undefined) return format;
  throw new UsageError(
    `${path || "The name is empty"}: rows are written as .csv, .tsv, .jsonl, .parquet or .xlsx. End the name in one of these${otherCure}.`,
  );
}

/** The format to write a file in, from its extension. Throws UsageError where the extension is unknown. */
export function outputFormatOfName(path: string): EmbeddingFormat {
  const format = writableByExtension[extname(path).toLowerCase()];
  if (format !== undefined) return format;
  throw new UsageError(
    `${path}: no output format is known for "${extname(path) || "no extension"}". ` +
      "End the name in .parquet, .csv, .tsv, .jsonl or .npy.",
  );
}

/** First bytes, in Latin-1; the longer ones of a kind first. */
const marks = [
  ["PAR1", "parquet"],
  ["SQLite format 3\0", "sqlite"],
  ["\x1f\x8b", "gzip"],
  ["PK\x03\x04", "zip"],
  ["\x28\xb5\x2f\xfd", "other-archive"], // Zstandard
  ["BZh", "other-archive"],
  ["\xd0\xcf\x11\xe0", "old-workbook"],
  ["\xfd7zXZ", "other-archive"],
  ["\xff\xfe\0\0", "utf-32"],
  ["\0\0\xfe\xff", "utf-32"],
  ["\xff\xfe", "utf-16"],
  ["\xfe\xff", "utf-16"],
  ["\x89PNG", "binary"],
  ["\xff\xd8\xff", "binary"], // JPEG
  ["%PDF", "binary"],
] as const;

/** What a file's first bytes show, whatever its name says. */
export type Signature = (typeof marks)[number][1] | "duckdb" | "utf-16le" | "utf-16be" | "plain";

export function signatureOf(start: Buffer): Signature {
  const top = start.subarray(0, 4096);
  const text = top.toString("latin1");
  const mark = marks.find(([bytes]) => text.startsWith(bytes));
  // A first cell may begin as a file of Parquet or bzip2 does: PAR1, BZh.
  if (text.startsWith("DUCK", 8) && hasControl.test(text)) return "duckdb";
  const isText = mark !== undefined && /^\w+$/.test(mark[0]) && !hasControl.test(text);
  if (mark !== undefined && !isText) return mark[1];
  return unmarkedUtf16(top) ?? (isMostlyControl(text) ? "binary" : "plain");
}

/** UTF-16 without a mark: most of every second byte is NUL in Latin text, and few of the others are. */
function unmarkedUtf16(bytes: Buffer): "utf-16le" | "utf-16be" | undefined {
  if (bytes.length < 8) return undefined;
  const half = bytes.length / 2;
  const nuls = (parity: number) => bytes.filter((byte, index) => byte === 0 && index % 2 === parity).length;
  const [first, second] = [nuls(0), nuls(1)];
  if (Math.max(first, second) <= half * 0.6 || Math.min(first, second) >= half * 0.05) return undefined;
  return first > second ? "utf-16be" : "utf-16le";
}

/** A control character that no text file contains. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const hasControl = /[\0-\x08\x0b\x0e-\x1a\x1c-\x1f]/;

/** More than one byte in 20 is such a character. */
function isMostlyControl(text: string): boolean {
  const control = text.match(new RegExp(hasControl, "g"))?.length ?? 0;
  return control * 20 > text.length && control > 1;
}

const delimiters = new Map([
  ["comma", ","],
  ["tab", "\t"],
  ["semicolon", ";"],
  ["pipe", "|"],
  ["space", " "],
]);

/** The delimiter for `,`, `;`, `|`, `\t`, `tab`, `comma` ...; throws TableError for what cannot be one. */
export function parseDelimiter(given: string): string {
  const delimiter = given === "\\t" ? "\t" : (delimiters.get(given.toLowerCase()) ?? given);
  if (delimiter.length !== 1 || delimiter.charCodeAt(0) > 126 || /["\r\n\0]/.test(delimiter)) {
    throw new TableError(
      `"${given}" cannot be a delimiter. Give one plain character, or comma, tab, semicolon or pipe.`,
    );
  }
  return delimiter;
}

/** The standard's name of an encoding, for one of its labels such as latin1; throws TableError for an unknown one. */
export function parseEncoding(label: string): string {
  try {
    return new TextDecoder(label).encoding;
  } catch (cause) {
    throw new TableError(
      `"${label}" is not a known encoding. Give one such as windows-1252, utf-16le or shift_jis.`,
      { cause },
    );
  }
}

export function nameOfDelimiter(delimiter: string): string {
  return [...delimiters].find(([, one]) => one === delimiter)?.[0] ?? `"${delimiter}"`;
}
