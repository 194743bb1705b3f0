/**
 * The cost model of docs/scale.md: CPU seconds and memory of encode, join and dedupe, whole and in shards, from constants per
 * process, cell, row and candidate pair.
 */

/**
 * @typedef {object} Matching constants of join or dedupe; seconds, unless they say otherwise
 * @property {number} start what reading takes besides its cells: reading is not yet at full speed
 * @property {number} cell reading a cell, and splitting it into words
 * @property {number} rows of the small tables
 * @property {number} findStart
 * @property {number} found finding a candidate pair of them: indexing, searching, sorting
 * @property {number} rowsOfMany of the large tables
 * @property {number} foundOfMany finding a candidate pair of these
 * @property {number} keptRow keeping a row with its pairs for the shards
 * @property {number} keptBytes of a row with its pairs in the file that the first pass writes
 * @property {number} shardStart
 * @property {number} checkedRow checking a row of that file, and looking it up
 * @property {number} picked taking a shard's pair from that file, with what it is compared by
 * @property {number} compareStart
 * @property {number} compared comparing a candidate pair of small tables
 * @property {number} comparedOfMany the same of large ones
 * @property {number} decided learning from a pair, sorting, grouping and writing it
 * @property {number} mergeStart
 * @property {number} united taking a pair from a part into the whole, with its share of the tables from the first pass's file
 * @property {number} pairsPerRow candidate pairs of a row
 * @property {number} pairsOfMany the same in tables of more than 400,000 rows
 * @property {number} megabytes of a process that holds all rows, besides its cells
 * @property {number} bytesOfCell in its memory
 * @property {number} shardMegabytes of a shard's process, besides its pairs and the cells of its own rows
 * @property {number} bytesOfPicked bytes of such a cell
 *
 * @typedef {object} Constants
 * @property {number} process starting a process
 * @property {number} load loading pearl-mini
 * @property {number} encodeStart
 * @property {number} scannedRow reading a row of a table whose rows are not all kept in memory
 * @property {number} encodedRow encoding a phrase, and writing its row
 * @property {number} mergedRow taking a row's vector from a part into the whole
 * @property {number} encodeMegabytes of a process
 * @property {Matching} join
 * @property {Matching} dedupe
 *
 * @typedef {object} Task
 * @property {"encode" | "join" | "dedupe"} kind
 * @property {readonly number[]} rows of each table
 * @property {number} [columns] default 5, as in all measured tables
 * @property {number} [shards]
 */

/** Rows of a table above which pearl takes fewer candidates for each (src/match/compare-tables.ts). */
const manyRows = 400_000;
/** Random pairs that are compared once in every run (the same file). */
const randomPairs = 40_000;

const total = (/** @type {readonly number[]} */ numbers) => numbers.reduce((sum, number) => sum + number, 0);

/**
 * Bytes of a row of the made persons as CSV, of an embedding, of a pair in a shard and its part (two rows and a class), and in memory of each of all rows while a shard looks up its own (src/match/shards/kept-comparison.ts).
 */
export const bytesOf = { row: 62, embedding: 2400, pair: 8 + 4, lookup: 5 };

/**
 * @typedef {object} Step
 * @property {number} seconds CPU seconds on one thread
 * @property {number} bytes that are read and written over the network
 *
 * @typedef {object} Prediction
 * @property {readonly [Step, Step, Step]} stages of one run: reading and finding, comparing or encoding, learning and writing
 * @property {Step} learn the first pass of a sharded run
 * @property {Step} shard
 * @property {Step} merge
 * @property {number} megabytes of one run, the first pass, and the merge
 * @property {number} shardMegabytes of each shard
 */

/**
 * @param {Constants} constants
 * @param {Task} task
 * @returns {Prediction}
 */
export function predict(constants, task) {
  return task.kind === "encode" ? predictEncode(constants, task) : predictMatching(constants, task);
}

const nothing = { seconds: 0, bytes: 0 };

/** @param {Constants} constants @param {Task} task @returns {Prediction} */
function predictEncode(constants, { rows, shards = 1 }) {
  const { process, load, encodeStart, scannedRow, encodedRow, mergedRow, encodeMegabytes } = constants;
  const all = total(rows);
  const table = all * bytesOf.row;
  const vectors = all * bytesOf.embedding;
  const scan = process + load + encodeStart + all * scannedRow;
  return {
    stages: [nothing, { seconds: scan + all * encodedRow, bytes: 2 * table + vectors }, nothing],
    learn: nothing,
    shard: { seconds: scan + (all * encodedRow) / shards, bytes: table + vectors / shards },
    merge: { seconds: process + all * (scannedRow + mergedRow), bytes: 2 * (table + vectors) },
    ...{ megabytes: encodeMegabytes, shardMegabytes: encodeMegabytes },
  };
}

/** @param {Constants} constants @param {Task} task @returns {Prediction} */
function predictMatching(constants, { kind, rows, columns = 5, shards = 1 }) {
  if (kind === "encode") throw new Error("encode compares nothing");
  const of = constants[kind];
  const all = total(rows);
  const cells = all * columns;
  const table = all * bytesOf.row;
  const perRow = Math.max(...rows) > manyRows ? of.pairsOfMany : of.pairsPerRow;
  const between = (/** @type {number} */ small, /** @type {number} */ large) =>
    small * (large / small) ** sizeBetween(all, of);
  const compared = between(of.compared, of.comparedOfMany);
  const pairs = all * perRow;
  const read = constants.process + of.start + cells * of.cell;
  const find = of.findStart + pairs * between(of.found, of.foundOfMany);
  const decide = randomPairs * compared + pairs * of.decided;
  const kept = all * of.keptBytes;
  const check = constants.process + of.shardStart + all * of.checkedRow + of.compareStart;
  const ofPairs = (pairs / shards) * bytesOf.pair;
  const ownCells = columns * ownRows(kind, rows, pairs, shards);
  return {
    stages: [
      { seconds: read + find, bytes: table },
      { seconds: of.compareStart + pairs * compared, bytes: 0 },
      { seconds: decide, bytes: table },
    ],
    learn: { seconds: read + find + all * of.keptRow, bytes: table + kept },
    // The file of the first pass is read once to check it, and once for what is looked up.
    shard: {
      seconds: check + (pairs / shards) * (of.picked + compared),
      bytes: table + 2 * kept + ofPairs,
    },
    merge: {
      seconds: constants.process + of.mergeStart + pairs * of.united + decide,
      bytes: 3 * table + 2 * kept + pairs * bytesOf.pair,
    },
    megabytes: of.megabytes + (cells * of.bytesOfCell) / 1e6,
    shardMegabytes: of.shardMegabytes + (ownCells * of.bytesOfPicked + ofPairs + all * bytesOf.lookup) / 1e6,
  };
}

/**
 * Rows that a shard compares, at most: its part of the larger table, and of the other table those of its pairs.
 * @param {"join" | "dedupe"} kind
 * @param {readonly number[]} rows
 * @param {number} pairs
 * @param {number} shards
 */
function ownRows(kind, rows, pairs, shards) {
  const all = total(rows);
  // A join of which only the sum is given is of two equal tables.
  const sides = rows.length === 2 ? rows : kind === "join" ? [all / 2, all / 2] : [all, all];
  return Math.max(...sides) / shards + Math.min(...sides, pairs / shards);
}

/**
 * Where a table's size lies between the small (0) and the large (1) measured one, on a scale of logarithms: in larger tables, lists
 * of rows are longer, and rows are rarely in the processor's caches. Larger ones than measured are taken to be like the largest.
 * @param {number} all
 * @param {Matching} of
 */
function sizeBetween(all, { rows, rowsOfMany }) {
  const place = Math.log(all / rows) / Math.log(rowsOfMany / rows);
  return Math.min(1, Math.max(0, place));
}

/** Bytes per second between a worker and the storage: a network of 1 Gbit/s. */
export const bandwidth = 125e6;

/** @param {Step} step */
const durationOf = ({ seconds, bytes }) => seconds + bytes / bandwidth;

/**
 * Seconds of the steps of a run by workers of one core each, one after the other, without stragglers. One run has the same steps in
 * one process.
 * @param {Constants} constants
 * @param {Task} task
 * @param {number} workers a shard for each
 */
export function stepsOf(constants, task, workers) {
  const { stages, learn, shard, merge } = predict(constants, { ...task, shards: workers });
  const [first, second, third] = (workers === 1 ? stages : [learn, shard, merge]).map(durationOf);
  return { "first pass": first, shards: second, merge: third };
}
