/** Reads the tables of the training data and writes new ones; a new table appears only when complete. */
import { createWriteStream, readFileSync, renameSync } from "node:fs";
import { finished } from "node:stream/promises";
import { gunzipSync } from "node:zlib";

/**
 * Rows of a compressed table without a header.
 * @param {string} path ends in .tsv.gz
 * @returns {Generator<string[]>}
 */
export const readRows = (path) => rowsOf(gunzipSync(readFileSync(path)).toString("utf8"));

/** Rows of a table, without its header. @param {string} path @returns {Generator<string[]>} */
export function* readRowsUnderHeader(path) {
  const rows = rowsOf(readFileSync(path, "utf8"));
  rows.next();
  yield* rows;
}

/** @param {string} text lines of tab-separated cells @returns {Generator<string[]>} */
function* rowsOf(text) {
  for (let start = 0; start < text.length; ) {
    const end = text.indexOf("\n", start);
    const line = text.slice(start, end < 0 ? text.length : end);
    yield (line.endsWith("\r") ? line.slice(0, -1) : line).split("\t");
    start = end < 0 ? text.length : end + 1;
  }
}

/** Replaces runs of white space and control characters with single spaces and trims. @param {string} text */
export const clean = (text) => text.replace(/[\s\p{Cc}]+/gu, " ").trim();

/**
 * Writes tab-separated rows without quoting: cells must not contain tabs.
 * @param {string} path
 * @param {AsyncIterable<readonly (string | number)[]> | Iterable<readonly (string | number)[]>} rows
 * @returns {Promise<number>} the number of rows
 */
export async function writeRows(path, rows) {
  const file = createWriteStream(`${path}.partial`);
  let count = 0;
  let buffer = "";
  for await (const cells of rows) {
    buffer += `${cells.join("\t")}\n`;
    count++;
    if (buffer.length < 1 << 20) continue;
    if (!file.write(buffer)) await new Promise((drained) => file.once("drain", () => drained(undefined)));
    buffer = "";
  }
  file.end(buffer);
  await finished(file);
  renameSync(`${path}.partial`, path);
  return count;
}
