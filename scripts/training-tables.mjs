/** Reads the tables of the training data and writes new files, which appear only when complete. */
import { createWriteStream, readFileSync, renameSync, writeFileSync } from "node:fs";
import { finished } from "node:stream/promises";
import { gunzipSync } from "node:zlib";

/** Rows of a table without a header, lines of tab-separated cells. @param path compressed if it ends in .gz */
export function* readRows(path) {
  const bytes = readFileSync(path);
  const text = (path.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString("utf8");
  for (let start = 0; start < text.length; ) {
    const end = text.indexOf("\n", start);
    const line = text.slice(start, end < 0 ? text.length : end);
    yield (line.endsWith("\r") ? line.slice(0, -1) : line).split("\t");
    start = end < 0 ? text.length : end + 1;
  }
}

/** Rows of a table, without its header. */
export function* readRowsUnderHeader(path) {
  const rows = readRows(path);
  rows.next();
  yield* rows;
}

/** Replaces runs of white space and control characters with single spaces and trims. */
export const clean = (text) => text.replace(/[\s\p{Cc}]+/gu, " ").trim();

/** Writes tab-separated rows without quoting: cells must not contain tabs. */
export async function writeRows(path, rows) {
  const file = createWriteStream(`${path}.partial`);
  let buffer = "";
  for await (const cells of rows) {
    buffer += `${cells.join("\t")}\n`;
    if (buffer.length < 1 << 20) continue;
    if (!file.write(buffer)) await new Promise((drained) => file.once("drain", () => drained(undefined)));
    buffer = "";
  }
  file.end(buffer);
  await finished(file);
  renameSync(`${path}.partial`, path);
}

export function writeWhole(path, text) {
  writeFileSync(`${path}.partial`, text);
  renameSync(`${path}.partial`, path);
}
