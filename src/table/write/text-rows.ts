/** Writes rows as CSV, TSV, JSONL, Parquet or an Excel workbook; the file appears under its name when it is complete. */
import { writeFile } from "node:fs/promises";
import { isPostgresAddress } from "../../files/place.js";
import { isSystemError, replaceFile } from "../../files/whole-file.js";
import { type Cell, jsonLine, nameOfColumn, type OutputColumn, textOfCell } from "../cell.js";
import { type LineStyle, type RowsFormat, rowsFormatOfName } from "../format.js";
import { writeTrouble } from "../trouble.js";
import { standardOutput, writeToStandardOutput } from "./standard-output.js";

type RowBatches = AsyncIterable<readonly (readonly Cell[])[]> | Iterable<readonly (readonly Cell[])[]>;

/** A line of CSV or TSV, without its end. */
function lineOf(cells: readonly Cell[], delimiter: string): string {
  const quoted = cells.map((value) => {
    const cell = textOfCell(value);
    return /["\n\r]/.test(cell) || cell.includes(delimiter) ? `"${cell.replaceAll('"', '""')}"` : cell;
  });
  // one empty cell would be a blank line, which readers skip
  return quoted.length === 1 && quoted[0] === "" ? '""' : quoted.join(delimiter);
}

/** How an output in `format` is written: as the input, if that has the same format. */
export function styleOf(format: string, input: LineStyle = {}) {
  const usual = format === "tsv" ? "\t" : ",";
  const {
    delimiter = usual,
    lineEnd = "\n",
    hasByteOrderMark = false,
  } = input.format === format ? input : {};
  return { delimiter, lineEnd, beginning: hasByteOrderMark ? "\uFEFF" : "" };
}

/**
 * @param path "-" is standard output, postgres://...?table=NAME a table in PostgreSQL
 * @param batches rows of one cell for each column, some at a time
 * @param format default: by the file's name, and CSV on standard output
 * @param input whose delimiter, line ends and byte order mark an output in the same format keeps
 * @returns the number of rows
 * @throws TableError
 */
export async function writeRows(
  path: string,
  columns: readonly OutputColumn[],
  batches: RowBatches,
  format: RowsFormat = rowsFormatOfName(path),
  input?: LineStyle,
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
    const { writeParquetRows } = await import("./parquet-vectors.js");
    await writeParquetRows(path, columns, counted());
    return rows;
  }
  if (format === "xlsx") {
    const { workbookOf } = await import("../spreadsheet.js");
    await writeText(path, [await workbookOf(path, columns, counted())]);
    return rows;
  }
  const names = columns.map(nameOfColumn);
  const { delimiter, lineEnd, beginning } = styleOf(format, input);
  const textOf = (cells: readonly Cell[]): string =>
    (format === "jsonl" ? jsonLine(names, cells) : lineOf(cells, delimiter)) + lineEnd;
  async function* parts(): AsyncGenerator<string> {
    yield format === "jsonl" ? beginning : beginning + textOf(names);
    for await (const batch of counted()) yield batch.map(textOf).join("");
  }
  await writeText(path, parts());
  return rows;
}

/**
 * Writes parts of a file one after the other; a file appears under its name when it is complete.
 * @param path "-" is standard output
 * @throws TableError where it cannot be written; whatever `parts` throws
 */
export async function writeText(
  path: string,
  parts: AsyncIterable<string> | Iterable<string | Buffer>,
): Promise<void> {
  try {
    if (path === standardOutput) await writeToStandardOutput(parts);
    else await replaceFile(path, (temporary) => writeFile(temporary, parts));
  } catch (error) {
    throw isSystemError(error) ? writeTrouble(error, path) : error;
  }
}
