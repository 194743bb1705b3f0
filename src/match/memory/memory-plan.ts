/** How the matching of rows keeps within a limit of memory: its threads, and the candidate pairs that go to disk. */
import { stat, statfs } from "node:fs/promises";
import { ArgumentError, TableError } from "../../errors.js";
import { availableParallelism } from "../../runtime/thread.js";
import type { Spill } from "../candidates/pair-set.js";
import { SpilledRuns } from "../candidates/spilled-runs.js";
import { candidateLimits, manyRows, mostEmbedded, perRowOfMany } from "../compare-tables.js";
import { mostRemembered } from "../once.js";

/** Bytes of memory, and the folder for what has no room there. */
export interface MemoryLimit {
  readonly bytes: number;
  readonly folder: string;
}

/** The memory of a store's database within a limit, as DuckDB reads it. */
export const databaseMemory = (limit: MemoryLimit | undefined): string =>
  limit === undefined ? "1GB" : "256MiB";

/** What the memory of comparing rows depends on. */
export interface MatchSize {
  /** Rows of the table, or of each of two. */
  readonly rows: readonly number[];
  /** Columns that are compared. */
  readonly columns: number;
  /** Different values of the naming column; 0 where nothing is embedded. */
  readonly names: number;
  /** Of the embeddings; 0 without a model. */
  readonly dimension: number;
  /** Parts of shards, where these are merged. */
  readonly parts?: number;
}

/** The same, where one column is compared. */
export interface PhraseSize extends Pick<MatchSize, "rows" | "dimension"> {
  /** Phrases that are compared: the different ones of a table, or all of two. */
  readonly phrases: number;
  /** Whether all phrases of a table are embedded, however many. */
  readonly isTopics?: boolean;
}

/** What some work needs. */
export interface Need {
  /** What it is, such as "1,000 rows of 5 columns". */
  readonly what: string;
  /** Bytes of memory without which it cannot be done, whatever goes to disk. */
  readonly least: number;
  /** Candidate pairs that may go to disk, at most. */
  readonly pairs: number;
  /** Bytes that so many threads take beside the least. One thread is the calling one. */
  ofThreads(threads: number): number;
}

/** Bytes of a small model. */
const ofModel = 250e6;
/** Bytes while candidates are found: of the process, for each row, and for each cell with its words and their index. */
const searching = { process: 350e6, row: 100, cell: 75 };
/** Bytes of the index of a second table: it is made when that of the first may still be in memory. */
const ofOtherIndex = 110e6;
/**
 * Bytes while rows of one table are grouped, and those of two are matched: of the process, for each cell and each pair. Pairs of a
 * row are some times as many as each source may find.
 */
const deciding = {
  one: { process: 230e6, cell: 90, pair: 11, pairsPerCandidate: 2.6 },
  two: { process: 240e6, cell: 45, pair: 20, pairsPerCandidate: 2.6 },
};
/** Bytes of a pair of a part that is merged; of each of all pairs while they are, and while pairs are compared. */
const [ofPartPair, ofMergedPair, ofComparedPair] = [16, 10, 10];
/** Embeddings are in memory as they are made, as they are kept, and in the lists that are searched. */
const copiesOfEmbeddings = 3;
/** Bytes of a thread; for each row while it searches; for each cell while it compares. */
const [ofThread, ofFoundRow, ofComparedCell] = [50e6, 12, 6];
/** Bytes of the index that is searched, in all and for each row: they are free while threads compare. */
const [ofIndex, ofIndexedRow] = [130e6, 400];
/** A shard that takes its pairs from a first pass: bytes of the process, and for each cell and pair of its own, and each word of all. */
const ofShard = { process: 170e6, cell: 60, pair: 16, word: 5 };
/** One column of a table, and of two: bytes of the process, for each phrase, and copies of the embeddings. */
const ofOneColumn = {
  one: { process: 300e6, phrase: 3_500, copies: 1.7 },
  many: { process: 300e6, phrase: 1_200, copies: 1.7 },
  two: { process: 480e6, phrase: 1_500, copies: 1.7 },
};
/** Linking: bytes of the store's database, of each row that is learned from, and of each that is added to what was learned. */
const linking = { process: 300e6, database: 256 * 2 ** 20, learned: 120, added: 20_000 };
/** Bytes of a left row that a thread remembers while it ranks. */
const ofRankedRow = 1_000;
/** Pairs of each phrase of one column. */
const pairsOfPhrase = 30;
/** Pairs are kept in memory at least in this number: fewer save little, and make many small runs. */
const fewestPairs = 2 ** 17;
const bytesPerPair = Float64Array.BYTES_PER_ELEMENT;
const bytesPerNumber = Float32Array.BYTES_PER_ELEMENT;

const sum = (rows: readonly number[]): number => rows.reduce((all, some) => all + some, 0);
const formatted = (count: number): string => count.toLocaleString("en");

/** Of comparing rows by several columns. */
export function needOfRows({ rows: ofEach, columns, names, dimension, parts }: MatchSize): Need {
  const rows = sum(ofEach);
  const { k, kOther } = candidateLimits(Math.max(...ofEach), ofEach.length === 1);
  const embedded = names <= mostEmbedded ? names * dimension * bytesPerNumber : 0;
  const model = dimension > 0 ? ofModel : 0;
  const { process, cell, pair, pairsPerCandidate } = ofEach.length === 1 ? deciding.one : deciding.two;
  const pairs = rows * pairsPerCandidate * k;
  const merging = parts === undefined ? 0 : ofMergedPair + ofPartPair / parts;
  const whileSearching =
    searching.process +
    (ofEach.length - 1) * ofOtherIndex +
    rows * (searching.row + columns * searching.cell);
  const whileComparing = whileSearching - (ofIndex + ofIndexedRow * rows) + pairs * ofComparedPair;
  const whileDeciding = process + rows * columns * cell + pairs * Math.max(pair, merging);
  const least = Math.max(whileSearching, whileDeciding);
  return {
    what: `${formatted(rows)} rows of ${columns} columns`,
    least: least + model + copiesOfEmbeddings * embedded,
    pairs: rows * (3 * k + columns * kOther),
    // Deciding takes one thread, and often the most memory.
    ofThreads(threads) {
      if (threads === 1) return 0;
      const searchers = threads * (ofThread + ofFoundRow * rows);
      const comparers = threads * (ofThread + ofComparedCell * rows * columns);
      return Math.max(whileSearching + searchers, whileComparing + comparers, least) - least;
    },
  };
}

/** Of comparing one column: of a table in the calling thread, of two in threads that rank. */
export function needOfPhrases({ rows, phrases, dimension, isTopics }: PhraseSize): Need {
  const isOneTable = rows.length === 1;
  const isEmbedded = !isOneTable || isTopics || phrases <= mostEmbedded;
  const isLarge = phrases > manyRows;
  const { process, phrase, copies } = ofOneColumn[isOneTable ? (isLarge ? "many" : "one") : "two"];
  const model = dimension > 0 ? ofModel : 0;
  const perPhrase = phrase + (isEmbedded ? copies * dimension * bytesPerNumber : 0);
  return {
    what: isOneTable
      ? `${formatted(phrases)} different phrases`
      : `${formatted(sum(rows))} rows, compared by one column,`,
    least: process + phrases * perPhrase + model,
    pairs: isOneTable ? phrases * (isLarge ? perRowOfMany.k : pairsOfPhrase) : 0,
    ofThreads: (threads) =>
      isOneTable || threads === 1
        ? 0
        : threads * (ofThread + Math.min(rows[0], mostRemembered) * ofRankedRow),
  };
}

/** What the memory of a shard depends on that takes its pairs from a first pass. */
export interface ShardSize extends Omit<MatchSize, "parts"> {
  readonly pairs: number;
  /** Of all rows, of which the shard has a part. */
  readonly words: number;
}

/** Of comparing the pairs of a shard. */
export function needOfShard({ rows: ofEach, columns, pairs, words, names, dimension }: ShardSize): Need {
  const rows = sum(ofEach);
  return {
    what: `${formatted(pairs)} pairs of ${formatted(rows)} rows`,
    least:
      ofShard.process +
      rows * columns * ofShard.cell +
      pairs * ofShard.pair +
      words * ofShard.word +
      names * dimension * bytesPerNumber,
    pairs: 0,
    ofThreads: (threads) => (threads === 1 ? 0 : threads * (ofThread + ofComparedCell * rows * columns)),
  };
}

/** Of learning from all rows of a store. */
export function needOfLearning(size: MatchSize): Need {
  const need = needOfRows(size);
  return { ...need, least: need.least + linking.database + sum(size.rows) * linking.learned };
}

/** Of adding rows to what a store has learned. */
export const needOfAdding = (rows: number, dimension: number): Need => ({
  what: `${formatted(rows)} new or changed rows`,
  least: linking.process + linking.database + rows * linking.added + (dimension > 0 ? ofModel : 0),
  pairs: 0,
  ofThreads: () => 0,
});

/** @throws TableError for a folder that is missing */
export async function checkFolder(folder: string): Promise<void> {
  const found = await stat(folder).catch(() => undefined);
  if (!found?.isDirectory())
    throw new TableError(
      `${folder}: no such folder for temporary files. Create it, or name another with --temp.`,
    );
}

/**
 * Divides the memory that is left between threads and pairs.
 * @param threads wanted at most; default: all cores
 * @returns also a line that says what is needed
 * @throws ArgumentError for a limit that is too small; TableError for a disk that has less room than is needed
 */
export async function planMemory(
  { bytes, folder }: MemoryLimit,
  { what, least, pairs, ofThreads }: Need,
  threads = availableParallelism(),
) {
  if (bytes < least)
    throw new ArgumentError(
      `${what} need at least ${megabytes(least)} MB of memory, ` +
        `and the limit is ${megabytes(bytes)} MB. Raise it: --memory ${megabytes(least)}m`,
    );
  let used = threads;
  while (used > 1 && ofThreads(used) > bytes - least) used--;
  const spare = bytes - least - ofThreads(used);
  const spill: Spill = {
    // A set that grows is in memory once and a half.
    most: Math.max(fewestPairs, Math.floor(spare / (1.5 * bytesPerPair))),
    runs: new SpilledRuns(folder),
  };
  const disk = pairs > spill.most ? pairs * bytesPerPair : 0;
  const free = await freeBytes(folder);
  if (free < disk)
    throw new TableError(
      `${folder}: up to ${megabytes(disk)} MB of temporary files are needed, and ${megabytes(free)} MB are free. ` +
        "Free some, or name another folder with --temp.",
    );
  const files =
    disk === 0 ? "no temporary pairs" : `up to ${megabytes(disk)} MB of temporary pairs in ${folder}`;
  return {
    threads: used,
    spill,
    note: `memory: at least ${megabytes(least)} of ${megabytes(bytes)} MB; ${files}`,
  };
}

async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

const megabytes = (bytes: number): number => Math.ceil(bytes / 2 ** 20);
