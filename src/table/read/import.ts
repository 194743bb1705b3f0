/** Brings a table of any format into a database, whole, with every column and row kept. */
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { TableError } from "../../errors.js";
import { fileFingerprint } from "../../files/checksums/fingerprint.js";
import { isObjectAddress } from "../../files/place.js";
import { isNested } from "../cell.js";
import { type ColumnInfo, unnamedColumn } from "../columns.js";
import type { LineStyle, TableFormat } from "../format.js";
import {
  type CleanCopy,
  type CleanOptions,
  cleanCopy,
  impossibleDelimiter,
  longestRecordBytes,
} from "./clean.js";
import { type Database, fileLiteral, identifier, literal, ownColumns, readParquet } from "./database.js";
import type { Encoding } from "./decode.js";
import { noTitle, type Shape, type SniffOptions, sniff } from "./sniff.js";
import {
  emptyFile,
  refuseNonText,
  refuseOtherThanParquet,
  type Source,
  shownPath,
  withLineFeeds,
  withLongerSample,
  withoutBytes,
  withoutDelimiterLine,
} from "./source.js";

export const rowsTable = "pearl_rows";

export interface ImportOptions extends Omit<SniffOptions, "preferTab"> {
  /** Whether messages may name options of commands, or only what to change in the file. */
  readonly cures: "options" | "file";
  readonly onStored?: OnStored;
}

/** Receives the share of the rows, 0 to 1, that the database has stored. */
type OnStored = (share: number) => void;

export interface ImportedColumn extends ColumnInfo {
  /** The SQL expression over `rowsTable` that gives its value. */
  readonly expression: string;
  /** The expression that gives its value as text: a nested value as JSON, NULL where there is none. */
  readonly text: string;
  /** Of a nested type: the expression that gives, where the text has lost something, JSON that DuckDB casts back; else ''. */
  readonly exact?: string;
  readonly type: string;
}

export interface Imported {
  readonly columns: ImportedColumn[];
  readonly rowCount: number;
  /** Changes whenever the content does. */
  readonly identity: string;
  readonly delimiter?: string;
  readonly header: boolean;
  /** False where it is a guess whether the first line is a header. */
  readonly headerIsSure: boolean;
  readonly blankLines: number;
  /** Lines above the header that are no rows. */
  readonly titleLines?: number;
  readonly lineEnd?: LineStyle["lineEnd"];
  readonly hasByteOrderMark?: boolean;
  readonly encoding?: Encoding;
  /** Of a database: its kind and the table, for a summary. */
  readonly layout?: string;
  /** The sheet of a workbook that was read. */
  readonly workbook?: Source["workbook"];
}

export async function importText(
  database: Database,
  path: string,
  format: Exclude<TableFormat, "parquet">,
  source: Source,
  options: ImportOptions,
): Promise<Imported> {
  refuseNonText(path, source.signature);
  const isJson = format === "jsonl";
  const { shape, firstLine, ...found } = await findShape(path, source, format, options);
  const chunks = withoutBytes(found.chunks, shape.title.bytes);
  const { cures, onStored } = options;
  const names = columnNames(path, shape, { cures, firstLine });
  const target = join(database.folder, "clean.txt");
  const { hasByteOrderMark, encoding, workbook } = source;
  const settings = { path, shape, columns: names.length, isJson, cures, firstLine };
  const copy = await cleanCopy(chunks, target, settings);
  await readCleanCopy(database, target, { ...settings, onStored }, copy);
  await rm(target);
  const types = names.map(() => "VARCHAR");
  const columns = isJson ? jsonColumns(copy) : await storedColumns(database, path, names, types);
  const { rows: rowCount, blankLines, hash } = copy;
  if (columns.length === 0 && rowCount === 0) {
    throw new TableError(`${shownPath(path)} contains no JSON line. Give at least one object.`);
  }
  const identity = `rows ${rowCount} sha256 ${hash}`;
  const { delimiter, header, headerIsSure } = shape;
  const titleLines = shape.title.lines;
  const breaks = source.sample.toString("latin1").match(/\r?\n/g) ?? [];
  const lineEnd = breaks.filter((end) => end === "\r\n").length * 2 > breaks.length ? "\r\n" : "\n";
  return {
    ...{ columns, rowCount, identity, delimiter, header, headerIsSure, blankLines, titleLines },
    ...{ lineEnd, hasByteOrderMark, encoding, workbook },
  };
}

/** Reads on where the sample ends within the first record, up to the longest record that is accepted. */
async function findShape(path: string, source: Source, format: TableFormat, options: ImportOptions) {
  for (let bytes = source.sample.length; ; ) {
    const { sample, chunks, firstLine, delimiter } = withoutDelimiterLine(withLineFeeds(source), format);
    if (sample.length === 0) throw emptyFile(path);
    const separated = { ...options, delimiter: options.delimiter ?? delimiter };
    const shape = shapeOf(sample, format, source.isWhole, separated);
    if (!shape.isCut || bytes > longestRecordBytes)
      return { shape, chunks, firstLine: firstLine + shape.title.lines };
    bytes *= 8;
    source = await withLongerSample(source, bytes);
  }
}

function shapeOf(sample: Buffer, format: TableFormat, isWhole: boolean, options: ImportOptions): Shape {
  if (format !== "jsonl" && format !== "text") {
    return sniff(sample, { ...options, preferTab: format === "tsv" }, isWhole);
  }
  // A control character is not legal inside JSON text, so no JSON line needs quoting.
  const dialect = { delimiter: -1, quote: -1, outputQuote: format === "jsonl" ? 0x1d : 0x22 };
  const header = format === "text" && options.header === "present";
  const firstCells = sample.toString("utf8").split(/\r?\n/, 1);
  return {
    dialect,
    delimiter: undefined,
    header,
    headerIsSure: true,
    firstCells,
    title: noTitle,
    isCut: false,
  };
}

/** Names from the header, or `column1` ... where there is none; one column without a header is "phrase". */
function columnNames(
  path: string,
  { firstCells, header }: Shape,
  { cures, firstLine }: Pick<CleanOptions, "cures" | "firstLine">,
): string[] {
  if (!header && firstCells.length === 1) return [unnamedColumn];
  const names = firstCells.map((cell, index) => (header && cell.trim()) || `column${index + 1}`);
  const second = names.findIndex((name, index) => names.indexOf(name) < index);
  if (second < 0) return names;
  const name = names[second];
  throw new TableError(
    `${shownPath(path)}, line ${firstLine}: columns ${names.indexOf(name) + 1} and ${second + 1} are both called "${name}". ` +
      (cures === "file" ? "Rename one." : "Rename one, or use --no-header if the first line is data."),
  );
}

async function readCleanCopy(
  database: Database,
  file: string,
  { path, shape, columns, onStored }: CleanOptions & { readonly onStored?: OnStored },
  { rows, longest, heaviest }: CleanCopy,
): Promise<void> {
  const { dialect, delimiter } = shape;
  const subject = shownPath(path);
  const fields = Array.from({ length: columns }, (_, index) => `'c${index}': 'VARCHAR'`).join(", ");
  const quote = literal(String.fromCharCode(dialect.outputQuote));
  // Twice the longest line, since quotes are doubled, and at least DuckDB's usual sizes.
  const longestLine = Math.max(2_000_000, longest * 2 + 1024);
  const settings = [
    "auto_detect = false",
    ownColumns,
    "header = false",
    "strict_mode = true",
    `delim = ${literal(delimiter ?? impossibleDelimiter)}`,
    `quote = ${quote}`,
    `escape = ${quote}`,
    // An empty cell is an empty string; NULL is spelt in a way that no text is.
    "nullstr = E'\\x02\\x03\\x02'",
    "new_line = '\\n'",
    "parallel = false",
    `max_line_size = ${longestLine}`,
    `buffer_size = ${longestLine * 4}`,
    `columns = {${fields}}`,
  ];
  await database.allowMemory(2e8 + 6 * heaviest, subject);
  const from = `read_csv(${fileLiteral(file)}, ${settings.join(", ")})`;
  await database.createTable(rowsTable, `SELECT * FROM ${from}`, subject, onStored);
  const count = await rowCountOf(database, subject);
  if (count !== rows) {
    throw new TableError(
      `${subject}: ${rows} rows were read but ${count} stored. Please report this table's shape.`,
    );
  }
}

async function rowCountOf(database: Database, subject: string): Promise<number> {
  const [[count]] = await database.run(`SELECT count(*) FROM ${rowsTable}`, subject);
  return Number(count);
}

/** The columns as they are stored, with the first values as samples. */
async function storedColumns(
  database: Database,
  path: string,
  names: readonly string[],
  types: readonly string[],
): Promise<ImportedColumn[]> {
  const texts = names.map((_, index) => textExpression(`c${index}`, types[index]));
  const values = texts.map((text) => `coalesce(${text}, '')`);
  const top = await database.run(`SELECT ${values.join(", ")} FROM ${rowsTable} LIMIT 100`, shownPath(path));
  return names.map((name, index) => ({
    name,
    isText: /^(VARCHAR|ENUM)/.test(types[index]) && !isNested(types[index]),
    sample: top.map((row) => String(row[index])),
    expression: `c${index}`,
    text: texts[index],
    exact: exactExpression(`c${index}`, types[index]),
    type: types[index],
  }));
}

function jsonColumns({ keys }: CleanCopy): ImportedColumn[] {
  return keys.columns().map(({ name, type, sample }) => {
    const pointer = literal(`/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`);
    const text = `json_extract_string(c0, ${pointer})`;
    const cast = type === "VARCHAR" ? text : `CAST(${text} AS ${type})`;
    const json = `CAST(nullif(CAST(json_extract(c0, ${pointer}) AS VARCHAR), 'null') AS JSON)`;
    const expression = type === "JSON" ? json : cast;
    return { name, isText: type === "VARCHAR" && sample.length > 0, sample, expression, text, type };
  });
}

interface ParquetOptions {
  readonly onStored?: OnStored;
  /** Receives the bytes of an object that have been fetched. */
  readonly onBytes?: (bytes: number) => void;
  readonly signal?: AbortSignal;
}

/** Imports Parquet, with every column's type as it is. */
export async function importParquet(
  database: Database,
  path: string,
  { onStored, onBytes, signal }: ParquetOptions,
): Promise<Imported> {
  const damaged = `${path} is not a readable Parquet file (damaged, cut off or still being written). Write or fetch it again`;
  const file = isObjectAddress(path) ? join(database.folder, "object.parquet") : path;
  if (file !== path)
    await (await import("../../files/object-storage/read.js")).fetchObject(path, file, { onBytes, signal });
  await refuseOtherThanParquet(path, file);
  const from = `FROM ${readParquet(file)}`;
  const described = await database.run(`DESCRIBE SELECT * ${from}`, damaged);
  const renamed = described.map(([name]) => String(name));
  const types = described.map(([, type]) => String(type));
  const names = ownNames(renamed, await database.run(schemaOf(file), damaged));
  const stored = renamed.map((name, index) => `${identifier(name)} AS c${index}`);
  const [hash] = await Promise.all([
    fileFingerprint(file),
    database.createTable(rowsTable, `SELECT ${stored.join(", ")} ${from}`, damaged, onStored),
  ]);
  if (file !== path) await rm(file);
  return typedTable(database, path, names, types, `sha256 ${hash}`);
}

const schemaOf = (file: string): string =>
  `SELECT name, coalesce(num_children, 0) FROM parquet_schema(${fileLiteral(file)})`;

/**
 * The columns' names as the file has them: of names that differ only in case DuckDB renames all but the first.
 * @param renamed as DuckDB calls them
 * @param schema name and number of children of each element, each before its children
 */
function ownNames(renamed: readonly string[], [root, ...elements]: readonly unknown[][]): string[] {
  const names: string[] = [];
  // Elements to pass before the next column.
  let within = 0;
  for (const [name, children] of elements) {
    if (within === 0) names.push(String(name));
    else within--;
    within += Number(children);
  }
  const isWhole = names.length === renamed.length && names.length === Number(root[1]);
  return isWhole && new Set(names).size === names.length ? names : [...renamed];
}

/** A table that names its columns and gives them types. */
export const typedTable = async (
  database: Database,
  path: string,
  names: readonly string[],
  types: readonly string[],
  identity: string,
): Promise<Imported> => ({
  columns: await storedColumns(database, path, names, types),
  rowCount: await rowCountOf(database, path),
  identity,
  header: true,
  headerIsSure: true,
  blankLines: 0,
});

/** Numbers for which JSON has no text of its own, or which its readers round; names and values in quotes stay. */
const roundedTypes = /"(?:[^"]|"")*"|'(?:[^']|'')*'|\b(?:DECIMAL\(\d+,\d+\)|U?HUGEINT|FLOAT|DOUBLE)/g;

/** A nested value becomes JSON, with null for numbers that are not finite; NULL where there is no value. */
function textExpression(value: string, type: string): string {
  const text = `CAST(${value} AS VARCHAR)`;
  // Lists of floats, as DuckDB prints them, are JSON with fewer digits than `to_json` gives.
  if (/^(FLOAT|DOUBLE)(\[\d*\])+$/.test(type))
    return `regexp_replace(${text}, 'NULL|nan|-?inf', 'null', 'g')`;
  if (!isNested(type)) return text;
  const json = `CAST(to_json(${value}) AS VARCHAR)`;
  return /FLOAT|DOUBLE/.test(type) ? finiteJson(json) : json;
}

/** JSON with null in place of NaN and Infinity, except within strings. */
function finiteJson(json: string): string {
  const number = "regexp_replace(part, '-?(NaN|Infinity)', 'null', 'g')";
  const part = `CASE WHEN starts_with(part, '"') THEN part ELSE ${number} END`;
  const parts = `regexp_extract_all(${json}, '"(?:[^"\\\\]|\\\\.)*"|[^"]+')`;
  return `CASE WHEN regexp_matches(${json}, 'NaN|Infinity') THEN array_to_string([${part} FOR part IN ${parts}], '') ELSE ${json} END`;
}

/**
 * JSON that DuckDB casts back to the very value of a nested column, with numbers as strings: for values whose text has
 * lost something, '' for others. Undefined where no value of the type loses anything.
 */
function exactExpression(value: string, type: string): string | undefined {
  const asStrings = type.replaceAll(roundedTypes, (found) => (/^["']/.test(found) ? found : "VARCHAR"));
  if (!isNested(type) || asStrings === type) return undefined;
  // Lists of floats may be long vectors in many rows: they are not made text once more.
  const differs = /^(FLOAT|DOUBLE)\[\d*\]$/.test(type)
    ? `NOT (isfinite(list_min(${value})) AND isfinite(list_max(${value})))`
    : `regexp_matches(CAST(${value} AS VARCHAR), '[0-9.]{16}|nan|inf')`;
  return `CASE WHEN ${differs} THEN CAST(to_json(CAST(${value} AS ${asStrings})) AS VARCHAR) ELSE '' END`;
}
