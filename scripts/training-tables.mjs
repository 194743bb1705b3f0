/** Reads the tables of the training data, and writes new ones that appear only when complete. */
import { createWriteStream, readFileSync, renameSync } from "node:fs";
import { finished } from "node:stream/promises";
import { gunzipSync } from "node:zlib";

/** The rows of a packed table without a header. @param {string} path ends in .tsv.gz @returns {Generator<string[]>} */
export const readRows = (path) => rowsOf(gunzipSync(readFileSync(path)).toString("utf8"));

/** The rows of a table, the header left out. @param {string} path @returns {Generator<string[]>} */
export function* readRowsUnderHeader(path) {
  const rows = rowsOf(readFileSync(path, "utf8"));
  rows.next();
  yield* rows;
}

/** @param {string} text lines of cells with tabs between @returns {Generator<string[]>} */
function* rowsOf(text) {
  for (let start = 0; start < text.length; ) {
    const end = text.indexOf("\n", start);
    const line = text.slice(start, end < 0 ? text.length : end);
    yield (line.endsWith("\r") ? line.slice(0, -1) : line).split("\t");
    start = end < 0 ? text.length : end + 1;
  }
}

/** One space between words, none at the ends, no other control characters. @param {string} text */
export const clean = (text) => text.replace(/[\s\p{Cc}]+/gu, " ").trim();

/**
 * Lines of cells with tabs between, as they are: cells must hold no tab.
 * @param {string} path
 * @param {AsyncIterable<readonly (string | number)[]> | Iterable<readonly (string | number)[]>} rows
 * @returns {Promise<number>} how many rows
 */
export async function writeRows(path, rows) {
  const file = createWriteStream(`${path}.partial`);
  let count = 0;
  let gathered = "";
  for await (const cells of rows) {
    gathered += `${cells.join("\t")}\n`;
    count++;
    if (gathered.length < 1 << 20) continue;
    if (!file.write(gathered)) await new Promise((drained) => file.once("drain", () => drained(undefined)));
    gathered = "";
  }
  file.end(gathered);
  await finished(file);
  renameSync(`${path}.partial`, path);
  return count;
}
