/** How the matching of rows keeps within a limit of memory: its threads, and the candidate pairs that go to disk. */
import { stat, statfs } from "node:fs/promises";
import type { PhraseEncoder } from "../../encoder/phrase-encoder.js";
import { ArgumentError, TableError } from "../../errors.js";
import type { Sharing } from "../../files/shards/shard.js";
import { availableParallelism } from "../../runtime/thread.js";
import type { WholeTableOptions } from "../../table/whole-table.js";
import { isVisible } from "../../text/visible.js";
import type { Spill } from "../candidates/pair-set.js";
import type { TableColumns } from "../columns/align.js";
import { type ColumnOptions, type ColumnPlan, fieldKind, namingField, rowsOf } from "../columns/fields.js";
import { TextNumbers } from "../columns/texts.js";
import {
  candidateLimits,
  type MatchRunOptions,
  manyRows,
  mostEmbedded,
  perRowOfMany,
} from "../compare-tables.js";
import { mostRemembered } from "../once.js";
import { phraseColumn } from "../phrase-column.js";
import { SpilledRuns } from "../run/spill.js";

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
  readonly pairs?: number;
  /** Bytes of each thread, where there are several: one thread is the calling one. */
  readonly perThread?: number;
  /** Bytes of the least that threads may use, since they end before it is needed. */
  readonly lent?: number;
}

/**
 * The formula of all needs: bytes of a process with the indexes of so many tables, of cells, of pairs, and of embedded names.
 * Its constants are rounded up from peaks of made-up persons, 12,000 to 11 million rows (docs/scale.md): what is planned is at
 * least what was used there.
 */
function bytesOf(
  { indexes = 0, cells = 0, pairs = 0, embedded = 0, dimension = 0 },
  cost: Readonly<typeof byRows>,
): number {
  return (
    ofProcess +
    indexes * ofIndex +
    (dimension > 0 ? ofModel : 0) +
    cells * cost.cell +
    pairs * cost.pair +
    embedded * dimension * cost.copies * Float32Array.BYTES_PER_ELEMENT
  );
}

/** Bytes of Node.js with what it has not freed yet, of the index of a table, and of a small model. */
const [ofProcess, ofIndex, ofModel] = [240e6, 110e6, 250e6];
/** By several columns: a cell with its words, a pair with its rows, class and probability. Embeddings are also made and searched. */
const byRows = { cell: 75, pair: 15, copies: 3 };
/** By one column: a phrase with its grams, and a pair that is an object while it is scored. */
const byPhrases = { cell: 400, pair: 105, copies: 1.7 };
/** Pairs of a row, as a multiple of those that each source may find: most sources find the same ones. */
const pairsPerCandidate = 2.6;
/** Pairs of each phrase of a table, and of two tables. */
const pairsOfPhrase = { one: 30, two: 11 };
/** Bytes of a thread; of each cell while it compares; of a left row that it remembers while it ranks. */
const [ofThread, ofComparedCell, ofRankedRow] = [50e6, 6, 1_000];
/** Bytes of each of all pairs while shards are merged, and of a pair of the shard that is read: two rows, a class, its place. */
const [ofMergedPair, ofPartPair] = [10, 16];
/** Bytes of each word of all rows, of which a shard looks up its own. */
const ofWord = 5;
/** Linking: bytes of the store's database, columns' worth of cells of a stored row, and bytes of a row that is added to it. */
const linking = { database: 256 * 2 ** 20, columns: 1.4, added: 20_000 };
/** Pairs are kept in memory at least in this number: fewer save little, and make many small runs. */
const fewestPairs = 2 ** 17;
const bytesPerPair = Float64Array.BYTES_PER_ELEMENT;

const sum = (rows: readonly number[]): number => rows.reduce((all, some) => all + some, 0);
const formatted = (count: number): string => count.toLocaleString("en");

/** Of comparing rows by several columns. */
export function needOfRows({ rows: ofEach, columns, names, dimension, parts }: MatchSize): Need {
  const rows = sum(ofEach);
  const { k, kOther } = candidateLimits(Math.max(...ofEach), ofEach.length === 1);
  const cells = rows * columns;
  const pairs = rows * pairsPerCandidate * k;
  const embedded = names <= mostEmbedded ? names : 0;
  const merging = parts === undefined ? 0 : ofMergedPair + ofPartPair / parts;
  const cost = { ...byRows, pair: Math.max(byRows.pair, merging) };
  return {
    what: `${formatted(rows)} rows of ${columns} columns`,
    least: bytesOf({ indexes: ofEach.length, cells, pairs, embedded, dimension }, cost),
    pairs: rows * (3 * k + columns * kOther),
    perThread: ofThread + cells * ofComparedCell,
    // Pairs take half of it until they are decided, which takes one thread.
    lent: (pairs * byRows.pair) / 2,
  };
}

/** Of comparing one column: of a table in the calling thread, of two in threads that rank. */
export function needOfPhrases({ rows, phrases, dimension, isTopics }: PhraseSize): Need {
  const isOneTable = rows.length === 1;
  const isEmbedded = !isOneTable || isTopics || phrases <= mostEmbedded;
  const ofPhrase = phrases > manyRows ? perRowOfMany.k : pairsOfPhrase.one;
  const pairs = phrases * (isOneTable ? ofPhrase : pairsOfPhrase.two);
  const counts = {
    indexes: rows.length,
    cells: phrases,
    pairs,
    embedded: isEmbedded ? phrases : 0,
    dimension,
  };
  return {
    what: isOneTable
      ? `${formatted(phrases)} different phrases`
      : `${formatted(sum(rows))} rows, compared by one column,`,
    least: bytesOf(counts, byPhrases),
    pairs: isOneTable ? pairs : 0,
    perThread: isOneTable ? 0 : ofThread + Math.min(rows[0], mostRemembered) * ofRankedRow,
  };
}

/** What the memory of a shard depends on that takes its pairs from a first pass. */
export interface ShardSize extends Omit<MatchSize, "parts"> {
  readonly pairs: number;
  /** Of all rows, of which the shard has a part. */
  readonly words: number;
}

/** Of comparing the pairs of a shard: it searches and embeds nothing, and reads its embeddings once. */
export function needOfShard({ rows: ofEach, columns, pairs, words, names, dimension }: ShardSize): Need {
  const rows = sum(ofEach);
  const cells = rows * columns;
  const embeddings = names * dimension * Float32Array.BYTES_PER_ELEMENT;
  return {
    what: `${formatted(pairs)} pairs of ${formatted(rows)} rows`,
    least: bytesOf({ cells, pairs }, byRows) + embeddings + words * ofWord,
    perThread: ofThread + cells * ofComparedCell,
  };
}

/** Of learning from all rows of a store. */
export function needOfLearning(size: MatchSize): Need {
  const { least } = needOfRows({ ...size, columns: size.columns + linking.columns });
  return { ...needOfRows(size), least: least + linking.database };
}

/** Of adding rows to what a store has learned. */
export const needOfAdding = (rows: number, dimension: number): Need => ({
  what: `${formatted(rows)} new or changed rows`,
  least: bytesOf({ indexes: 1, dimension }, byRows) + linking.database + rows * linking.added,
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
  { what, least, pairs = 0, perThread = 0, lent = 0 }: Need,
  threads = availableParallelism(),
) {
  if (bytes < least)
    throw new ArgumentError(
      `${what} need at least ${megabytes(least)} MB of memory, ` +
        `and the limit is ${megabytes(bytes)} MB. Raise it: --memory ${megabytes(least)}m`,
    );
  const left = bytes - least;
  const used = Math.max(1, Math.min(threads, Math.floor((left + lent) / perThread)));
  const spare = used === 1 ? left : left - Math.max(0, used * perThread - lent);
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

/** Options of what can be kept within a limit of memory. */
export interface BoundedOptions {
  /** Keeps the work within a limit of memory. Results do not depend on it. */
  readonly memory?: MemoryLimit;
  /** Worker threads at most. Default: all cores. */
  readonly threads?: number;
  readonly onNote?: (note: string) => void;
}

/** How a table is read: until the signal is aborted, and with a limit its cells in a file. @throws TableError for a missing folder */
export async function boundedReading<Options extends object>(
  table: Options | undefined,
  { memory, signal }: BoundedOptions & { readonly signal?: AbortSignal },
): Promise<Partial<Options> & Pick<WholeTableOptions, "cellFolder" | "signal">> {
  if (memory !== undefined) await checkFolder(memory.folder);
  const given: Partial<Options> = { ...table };
  return { signal, ...given, cellFolder: memory?.folder };
}

interface Options extends BoundedOptions, Pick<ColumnOptions, "kindOf" | "comparisons"> {
  readonly encoder?: PhraseEncoder | "none";
  readonly sharing?: Sharing;
}

/**
 * How the columns of a plan are compared within the limit, of one table or of two: nothing changes without one.
 * @throws ArgumentError for a limit that is too small; TableError for a disk that has too little room
 */
export const withinMemory = (
  tables: readonly TableColumns[],
  plan: ColumnPlan,
  options: Options,
): Promise<Bounds> => boundsOf(() => needOf(tables, plan, options), options);

/** The same for the phrases of one column of a table. @param options with `k`, all of them are embedded */
export const phrasesWithinMemory = (
  phrases: readonly string[],
  options: Options & { readonly k?: number },
): Promise<Bounds> => boundsOf(() => needOfColumn([phrases], options, options.k !== undefined), options);

/** The same for all rows of a store, from which a link learns. */
export const storeWithinMemory = (table: TableColumns, plan: ColumnPlan, options: Options): Promise<Bounds> =>
  boundsOf(() => needOfLearning(sizeOf([table], plan, options)), options);

/** @throws ArgumentError where rows that are added to a store need more than the limit */
export const checkAddedRows = (rows: number, options: Options): Promise<Bounds> =>
  boundsOf(() => needOfAdding(rows, dimensionOf(options.encoder)), options);

type Bounds = Pick<MatchRunOptions, "threads" | "spill">;

async function boundsOf(need: () => Need, { memory, threads, onNote }: BoundedOptions): Promise<Bounds> {
  if (memory === undefined) return { threads };
  const { note, ...bounds } = await planMemory(memory, need(), threads);
  onNote?.(note);
  return bounds;
}

function needOf(tables: readonly TableColumns[], plan: ColumnPlan, options: Options): Need {
  if (phraseColumn(tables, plan, options) === undefined) return needOfRows(sizeOf(tables, plan, options));
  const columns = tables.map((table, side) => table[plan.pairs[0][side]]);
  return needOfColumn(columns, options);
}

function sizeOf(
  tables: readonly TableColumns[],
  { pairs, profiles }: ColumnPlan,
  { encoder, kindOf, comparisons, sharing }: Options,
): MatchSize {
  const compared = pairs.map(([name, other]) => {
    const field = { name, other, profile: profiles.get(name)! };
    return { ...field, kind: fieldKind(field, { kindOf, comparisons }) };
  });
  const naming = compared[namingField(compared)];
  const names = naming && [naming.name, naming.other];
  return {
    rows: tables.map(rowsOf),
    columns: pairs.length,
    names: names === undefined ? 0 : distinctCells(tables.map((table, side) => table[names[side]])),
    dimension: dimensionOf(encoder),
    parts: sharing?.kind === "merge" ? sharing.count : undefined,
  };
}

function needOfColumn(columns: readonly (readonly string[])[], { encoder }: Options, isTopics = false): Need {
  const rows = columns.map(({ length }) => length);
  const [first, second] = rows;
  const phrases = second === undefined ? distinctCells(columns) : first + second;
  return needOfPhrases({ rows, phrases, dimension: dimensionOf(encoder), isTopics });
}

/** Of the embedded model, which is loaded where none is given. */
const embeddedDimension = 600;

const dimensionOf = (encoder: PhraseEncoder | "none" | undefined): number =>
  encoder === "none" ? 0 : (encoder?.dimension ?? embeddedDimension);

function distinctCells(columns: readonly (readonly string[])[]): number {
  const found = new TextNumbers();
  for (const cells of columns) for (const cell of cells) if (isVisible(cell)) found.numberOf(cell.trim());
  return found.size;
}
