/** Counts of phrases on disk: one sorted file a block of text, merged without holding them in memory. */
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { LEXICAL_CLASSES } from "../../pearl/phrase-types.js";
import { readTabLines, type TabLines, writeTabLines } from "../../table/tab-lines.js";

/** A phrase with its count in each class, in the order of LEXICAL_CLASSES. */
export interface CountedPhrase {
  readonly phrase: string;
  readonly counts: readonly number[];
}

const columns = ["phrase", ...LEXICAL_CLASSES];
/** So many files are open at once. */
const widestMerge = 64;

/** Writes counts sorted by phrase (UTF-16 order), whole or not at all. */
export async function writeRun(path: string, counts: ReadonlyMap<string, readonly number[]>): Promise<void> {
  function* rows(): Generator<string[]> {
    for (const phrase of [...counts.keys()].sort())
      yield [phrase, ...(counts.get(phrase) as number[]).map(String)];
  }
  await writeTabLines(path, columns, rows());
}

/**
 * Merges sorted files into one stream sorted by phrase, equal phrases summed. Where there are many, they are
 * first merged by groups into files in `folder`.
 */
export async function* mergeRuns(paths: readonly string[], folder: string): AsyncGenerator<CountedPhrase> {
  let level = 0;
  let files = [...paths];
  while (files.length > widestMerge) {
    const merged: string[] = [];
    for (let start = 0; start < files.length; start += widestMerge) {
      const path = join(folder, `merged-${level}-${merged.length}.tsv`);
      await writeTabLines(path, columns, tabRows(mergeFew(files.slice(start, start + widestMerge))));
      merged.push(path);
    }
    if (level > 0) await Promise.all(files.map((path) => rm(path, { force: true })));
    files = merged;
    level++;
  }
  yield* mergeFew(files);
}

async function* tabRows(phrases: AsyncIterable<CountedPhrase>): TabLines {
  for await (const { phrase, counts } of phrases) yield [phrase, ...counts.map(String)];
}

/** One file of a merge, at its current row. */
interface RunReader {
  row: string[];
  rows: string[][];
  place: number;
  readonly blocks: AsyncGenerator<{ rows: string[][] }>;
}

async function* mergeFew(paths: readonly string[]): AsyncGenerator<CountedPhrase> {
  const readers: RunReader[] = [];
  for (const path of paths) {
    const reader: RunReader = { row: [], rows: [], place: -1, blocks: readTabLines(path, columns) };
    if (await advance(reader)) insert(readers, reader);
  }
  // `readers` is kept sorted, the largest phrase first, so that the next one is at the end.
  while (readers.length > 0) {
    const phrase = readers[readers.length - 1].row[0];
    const counts = LEXICAL_CLASSES.map(() => 0);
    while (readers.length > 0 && readers[readers.length - 1].row[0] === phrase) {
      const reader = readers.pop() as RunReader;
      for (let index = 0; index < counts.length; index++) counts[index] += Number(reader.row[index + 1]);
      const hasMore = ++reader.place < reader.rows.length;
      if (hasMore) reader.row = reader.rows[reader.place];
      if (hasMore || (await advance(reader))) insert(readers, reader);
    }
    yield { phrase, counts };
  }
}

/** Reads on to the next row that is there; false at the end of the file. */
async function advance(reader: RunReader): Promise<boolean> {
  for (;;) {
    const { value, done } = await reader.blocks.next();
    if (done) return false;
    if (value.rows.length === 0) continue;
    reader.rows = value.rows;
    reader.place = 0;
    reader.row = reader.rows[0];
    return true;
  }
}

function insert(readers: RunReader[], reader: RunReader): void {
  let low = 0;
  let high = readers.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (readers[middle].row[0] > reader.row[0]) low = middle + 1;
    else high = middle;
  }
  readers.splice(low, 0, reader);
}
