/** Writes rows of text as CSV, TSV or JSONL; the file appears under its name when it is complete. */
import { writeFile } from "node:fs/promises";
import { extname } from "node:path";
import { TableError } from "../../errors.js";
import { isSystemError, replaceFile } from "../../files/whole-file.js";
import { writeTrouble } from "../trouble.js";

type LineFormat = (cells: readonly string[], columns: readonly string[]) => string;

const formats: Readonly<Record<string, LineFormat>> = {
  ".csv": (cells) => cells.map((cell) => quoted(cell, /[",\n\r]/)).join(","),
  ".tsv": (cells) => cells.map((cell) => quoted(cell, /["\t\n\r]/)).join("\t"),
  ".jsonl": (cells, columns) =>
    JSON.stringify(Object.fromEntries(columns.map((name, index) => [name, cells[index]]))),
};

/** Quotes a cell that would be read back differently without; an empty cell alone would be a blank line. */
function quoted(cell: string, special: RegExp): string {
  return special.test(cell) || cell === "" ? `"${cell.replaceAll('"', '""')}"` : cell;
}

export const csvLine = (cells: readonly string[]): string => formats[".csv"](cells, []);

/** The format of rows by the file's extension. @throws TableError for another extension */
export function checkRowsName(path: string): LineFormat {
  const format = formats[extname(path).toLowerCase()];
  if (format !== undefined) return format;
  throw new TableError(`${path}: rows are written as .csv, .tsv or .jsonl. End the name in one of these.`);
}

/**
 * @param batches rows of one cell for each column, some at a time
 * @returns the number of rows
 * @throws TableError
 */
export async function writeRows(
  path: string,
  columns: readonly string[],
  batches: AsyncIterable<readonly (readonly string[])[]> | Iterable<readonly (readonly string[])[]>,
): Promise<number> {
  const format = checkRowsName(path);
  let rows = 0;
  async function* parts(): AsyncGenerator<string> {
    if (format !== formats[".jsonl"]) yield `${format(columns, columns)}\n`;
    for await (const batch of batches) {
      yield batch.map((cells) => `${format(cells, columns)}\n`).join("");
      rows += batch.length;
    }
  }
  await writeText(path, parts());
  return rows;
}

/**
 * Writes parts of text one after the other; the file appears under its name when it is complete.
 * @throws TableError where it cannot be written; whatever `parts` throws
 */
export async function writeText(path: string, parts: AsyncIterable<string>): Promise<void> {
  try {
    await replaceFile(path, (temporary) => writeFile(temporary, parts));
  } catch (error) {
    throw isSystemError(error) ? writeTrouble(error, path) : error;
  }
}
