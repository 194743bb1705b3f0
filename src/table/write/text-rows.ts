/** Writes rows of text as CSV, TSV or JSONL; the file appears under its name when it is complete. */
import { open } from "node:fs/promises";
import { extname } from "node:path";
import { PearlError, TableError } from "../../errors.js";
import { replaceFile } from "../../files/whole-file.js";
import { writeTrouble } from "./partial.js";

/** How a row is written, by the file's ending. */
type LineFormat = (cells: readonly string[], columns: readonly string[]) => string;

const formats: Readonly<Record<string, LineFormat>> = {
  ".csv": (cells) => cells.map((cell) => quoted(cell, /[",\n\r]/)).join(","),
  ".tsv": (cells) => cells.map((cell) => quoted(cell, /["\t\n\r]/)).join("\t"),
  ".jsonl": (cells, columns) =>
    JSON.stringify(Object.fromEntries(columns.map((name, index) => [name, cells[index]]))),
};

/** One line of CSV, without its end. */
export function csvLine(cells: readonly string[]): string {
  return formats[".csv"](cells, []);
}

const formatOf = (path: string): LineFormat | undefined => formats[extname(path).toLowerCase()];

/**
 * Checks before any work that rows can be written under this name.
 * @throws TableError for another ending
 */
export function checkRowsName(path: string): void {
  if (formatOf(path) === undefined) {
    throw new TableError(`${path}: rows are written as .csv, .tsv or .jsonl. End the name in one of these.`);
  }
}

/**
 * Writes a table of text.
 *
 * @param batches rows of one cell for each column, some at a time
 * @returns how many rows were written
 * @throws TableError
 */
export async function writeRows(
  path: string,
  columns: readonly string[],
  batches: AsyncIterable<readonly (readonly string[])[]> | Iterable<readonly (readonly string[])[]>,
): Promise<number> {
  checkRowsName(path);
  const format = formatOf(path)!;
  let rows = 0;
  try {
    await replaceFile(path, async (temporary) => {
      const file = await open(temporary, "w");
      try {
        if (format !== formats[".jsonl"]) await file.writeFile(`${format(columns, columns)}\n`);
        for await (const batch of batches) {
          await file.writeFile(batch.map((cells) => `${format(cells, columns)}\n`).join(""));
          rows += batch.length;
        }
      } finally {
        await file.close();
      }
    });
    return rows;
  } catch (error) {
    throw error instanceof PearlError ? error : writeTrouble(error, path);
  }
}

/** Quotes a cell that would otherwise be read back differently; an empty cell alone would make a blank line. */
function quoted(cell: string, special: RegExp): string {
  return special.test(cell) || cell === "" ? `"${cell.replaceAll('"', '""')}"` : cell;
}
