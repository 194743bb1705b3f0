/** Tab-separated files with a fixed header, read with line numbers and written whole. */
import { createReadStream } from "node:fs";
import { messageOf, TableError } from "../errors.js";
import { openFingerprint } from "../files/checksums/fingerprint.js";
import { writeText } from "./write/text-rows.js";

/**
 * The rows under the header, in blocks of about a megabyte.
 * @returns `line`: the number of the first row's line, counted from 1
 * @param presence "may be absent": a file that does not exist has no rows
 * @throws TableError with file and line
 */
export async function* readTabLines(
  path: string,
  columns: readonly string[],
  presence: "must exist" | "may be absent" = "must exist",
): AsyncGenerator<{ line: number; rows: string[][] }> {
  const expected = `the header ${columns.join(", ")} (tab-separated)`;
  let line = 1;
  for await (const lines of lineBlocks(path, presence)) {
    if (line === 1) {
      const header = (lines.shift() as string).replace(/^\uFEFF/, "").replace(/\r$/, "");
      if (header !== columns.join("\t"))
        throw new TableError(
          `${path}, line 1: expected ${expected}, found "${header.slice(0, 80)}". Put the header in the first line.`,
        );
      line = 2;
    }
    const rows = lines.map((text, index) => {
      const cells = (text.endsWith("\r") ? text.slice(0, -1) : text).split("\t");
      if (cells.length === columns.length) return cells;
      throw new TableError(
        `${path}, line ${line + index}: ${cells.length} columns, expected ${columns.length} (${columns.join(", ")}). ` +
          "Separate them with single tabs.",
      );
    });
    yield { line, rows };
    line += rows.length;
  }
  if (line === 1 && presence === "must exist") {
    throw new TableError(`${path} is empty: expected ${expected}. Put the header in the first line.`);
  }
}

async function* lineBlocks(path: string, presence: "must exist" | "may be absent"): AsyncGenerator<string[]> {
  let rest = "";
  try {
    for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20, encoding: "utf8" })) {
      const lines = (rest + chunk).split("\n");
      rest = lines.pop() as string;
      if (lines.length > 0) yield lines;
    }
  } catch (error) {
    if (presence === "may be absent" && (error as NodeJS.ErrnoException).code === "ENOENT") return;
    throw new TableError(`${path} cannot be read (${messageOf(error)}).`, { cause: error });
  }
  if (rest !== "") yield [rest];
}

/**
 * Writes a header and rows; the file appears under its name when it is complete.
 * @returns the number of rows, and SHA-256 of the file, hexadecimal
 * @throws TableError for a cell with a tab or a line break, or where the file cannot be written
 */
export async function writeTabLines(
  path: string,
  columns: readonly string[],
  rows: Iterable<readonly string[]> | AsyncIterable<readonly string[]>,
) {
  const hash = openFingerprint();
  let count = 0;
  async function* parts(): AsyncGenerator<string> {
    let gathered = `${columns.join("\t")}\n`;
    for await (const row of rows) {
      gathered += `${tabLine(row, path)}\n`;
      count++;
      if (gathered.length <= 1 << 20) continue;
      hash.add(gathered);
      yield gathered;
      gathered = "";
    }
    hash.add(gathered);
    yield gathered;
  }
  await writeText(path, parts());
  return { rows: count, hash: hash.end(64) };
}

function tabLine(row: readonly string[], path: string): string {
  for (const cell of row) {
    if (/[\t\n\r]/.test(cell))
      throw new TableError(`${path}: ${JSON.stringify(cell)} has a tab or a line break. Remove it first.`);
  }
  return row.join("\t");
}
