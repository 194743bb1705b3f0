/** Writes rows as CSV, TSV, JSONL or Parquet; the file appears under its name when it is complete. */
import { writeFile } from "node:fs/promises";
import { isSystemError, replaceFile } from "../../files/whole-file.js";
import { type Cell, jsonLine, nameOfColumn, type OutputColumn, textOfCell } from "../cell.js";
import { type RowsFormat, rowsFormatOfName } from "../format.js";
import { isPostgresAddress } from "../postgres/address.js";
import { writeTrouble } from "../trouble.js";
import { standardOutput, writeToStandardOutput } from "./standard-output.js";

type RowBatches = AsyncIterable<readonly (readonly Cell[])[]> | Iterable<readonly (readonly Cell[])[]>;

type LineOf = (cells: readonly Cell[], names: readonly string[]) => string;

const lineFormats: Readonly<Record<Exclude<RowsFormat, "parquet">, LineOf>> = {
  csv: (cells) => cells.map((cell) => quoted(textOfCell(cell), /[",\n\r]/)).join(","),
  tsv: (cells) => cells.map((cell) => quoted(textOfCell(cell), /["\t\n\r]/)).join("\t"),
  jsonl: (cells, names) => jsonLine(names, cells),
};

/** Quotes a cell that would be read back differently without; an empty cell alone would be a blank line. */
function quoted(cell: string, special: RegExp): string {
  return special.test(cell) || cell === "" ? `"${cell.replaceAll('"', '""')}"` : cell;
}

/** How the lines of a text file begin and end. */
export interface LineStyle {
  /** What the file begins with, such as a byte order mark. */
  readonly beginning: string;
  readonly lineEnd: string;
}

const plainLines: LineStyle = { beginning: "", lineEnd: "\n" };

/** The line of column names that CSV and TSV begin with. */
export const headerLine = (format: "csv" | "tsv", names: readonly string[]): string =>
  lineFormats[format](names, names);

/**
 * @param path "-" is standard output, postgres://...?table=NAME a table in PostgreSQL
 * @param batches rows of one cell for each column, some at a time
 * @param format default: by the file's name, and CSV on standard output
 * @param style of CSV, TSV and JSONL
 * @returns the number of rows
 * @throws TableError
 */
export async function writeRows(
  path: string,
  columns: readonly OutputColumn[],
  batches: RowBatches,
  format: RowsFormat = rowsFormatOfName(path),
  { beginning, lineEnd }: LineStyle = plainLines,
): Promise<number> {
  let rows = 0;
  async function* counted(): AsyncGenerator<readonly (readonly Cell[])[]> {
    for await (const batch of batches) {
      yield batch;
      rows += batch.length;
    }
  }
  if (isPostgresAddress(path)) {
    const { writePostgresRows } = await import("../postgres/write.js");
    await writePostgresRows(path, columns, counted());
    return rows;
  }
  if (format === "parquet") {
    const { writeParquetRows } = await import("./parquet-rows.js");
    await writeParquetRows(path, columns, counted());
    return rows;
  }
  const names = columns.map(nameOfColumn);
  async function* parts(lineOf: LineOf): AsyncGenerator<string> {
    yield format === "jsonl" ? beginning : beginning + lineOf(names, names) + lineEnd;
    for await (const batch of counted()) yield batch.map((cells) => lineOf(cells, names) + lineEnd).join("");
  }
  await writeText(path, parts(lineFormats[format]));
  return rows;
}

/**
 * Writes parts of text one after the other; a file appears under its name when it is complete.
 * @param path "-" is standard output
 * @throws TableError where it cannot be written; whatever `parts` throws
 */
export async function writeText(
  path: string,
  parts: AsyncIterable<string> | Iterable<string>,
): Promise<void> {
  try {
    if (path === standardOutput) await writeToStandardOutput(parts);
    else await replaceFile(path, (temporary) => writeFile(temporary, parts));
  } catch (error) {
    throw isSystemError(error) ? writeTrouble(error, path) : error;
  }
}
