/** The tables of the training data are read, and new ones written whole or not at all. */
import { createReadStream, createWriteStream, renameSync } from "node:fs";
import { createInterface } from "node:readline";
import { finished } from "node:stream/promises";
import { createGunzip } from "node:zlib";

/** The rows of a packed table without a header. @param {string} path ends in .tsv.gz @returns {AsyncGenerator<string[]>} */
export async function* readRows(path) {
  const input = createReadStream(path).pipe(createGunzip());
  for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY }))
    yield line.split("\t");
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
