/** Tab-separated files with a fixed header: streamed in with line numbers, written whole or not at all. */
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { messageOf, PearlError, TableError } from "../errors.js";
import { replaceFile } from "../files/whole-file.js";

/** Rows to be written. */
export type TabLines = AsyncGenerator<readonly string[]>;

/** Rows that follow each other in a file. */
export interface TabBlock {
  /** The line of the first, counted from 1. */
  readonly line: number;
  readonly rows: string[][];
}

/** What was written. */
export interface WrittenLines {
  readonly rows: number;
  /** SHA-256 of the file, hexadecimal. */
  readonly hash: string;
}

/**
 * The rows under the header, in blocks of about a megabyte.
 * @param presence "may be absent": a file that does not exist has no rows
 * @throws TableError with file and line
 */
export async function* readTabLines(
  path: string,
  columns: readonly string[],
  presence: "must exist" | "may be absent" = "must exist",
): AsyncGenerator<TabBlock> {
  let line = 1;
  for await (const lines of lineBlocks(path, presence)) {
    if (line === 1) {
      const header = (lines.shift() as string).replace(/^\uFEFF/, "").replace(/\r$/, "");
      if (header !== columns.join("\t"))
        throw new TableError(
          `${path} line 1: expected the header ${columns.join(", ")} (tab-separated), found "${header.slice(0, 80)}".`,
        );
      line = 2;
    }
    const rows = lines.map((text, index) => {
      const cells = (text.endsWith("\r") ? text.slice(0, -1) : text).split("\t");
      if (cells.length === columns.length) return cells;
      throw new TableError(
        `${path} line ${line + index}: expected ${columns.length} columns (${columns.join(", ")}), found ${cells.length}.`,
      );
    });
    yield { line, rows };
    line += rows.length;
  }
  if (line === 1 && presence === "must exist")
    throw new TableError(`${path} is empty: expected the header ${columns.join(", ")}.`);
}

async function* lineBlocks(path: string, presence: "must exist" | "may be absent"): AsyncGenerator<string[]> {
  let rest = "";
  try {
    for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20, encoding: "utf8" })) {
      const end = (chunk as string).lastIndexOf("\n");
      if (end < 0) {
        rest += chunk;
        continue;
      }
      const lines = (rest + chunk.slice(0, end)).split("\n");
      rest = chunk.slice(end + 1);
      yield lines;
    }
  } catch (error) {
    if (error instanceof PearlError) throw error;
    const isAbsent = (error as NodeJS.ErrnoException).code === "ENOENT";
    if (isAbsent && presence === "may be absent") return;
    throw new TableError(`${path} cannot be read (${messageOf(error)}).`, { cause: error });
  }
  if (rest !== "") yield [rest];
}

/**
 * Writes a header and rows; the file appears under its name when it is complete.
 * @throws TableError for a cell with a tab or a line break, or where it cannot be written
 */
export async function writeTabLines(
  path: string,
  columns: readonly string[],
  rows: Iterable<readonly string[]> | AsyncIterable<readonly string[]>,
): Promise<WrittenLines> {
  const hash = createHash("sha256");
  let count = 0;
  try {
    await replaceFile(path, async (temporary) => {
      const file = await open(temporary, "w");
      let gathered = `${columns.join("\t")}\n`;
      const flush = async (): Promise<void> => {
        hash.update(gathered);
        await file.writeFile(gathered);
        gathered = "";
      };
      try {
        for await (const row of rows) {
          gathered += `${tabLine(row, path)}\n`;
          count++;
          if (gathered.length > 1 << 20) await flush();
        }
        await flush();
      } finally {
        await file.close();
      }
    });
  } catch (error) {
    if (error instanceof PearlError) throw error;
    throw new TableError(`${path}: cannot be written (${messageOf(error)}).`, { cause: error });
  }
  return { rows: count, hash: hash.digest("hex") };
}

function tabLine(row: readonly string[], path: string): string {
  for (const cell of row) {
    if (/[\t\n\r]/.test(cell))
      throw new TableError(`${path}: ${JSON.stringify(cell)} has a tab or a line break. Take it out first.`);
  }
  return row.join("\t");
}
