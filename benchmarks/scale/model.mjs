/**
 * The cost model of docs/scale.md: CPU seconds and memory of encode, join and dedupe, whole and in shards, from constants per
 * process, cell, row and candidate pair.
 */

/**
 * @typedef {object} Matching constants of join or dedupe; seconds, unless they say otherwise
 * @property {number} start what reading takes besides its cells: reading is not yet at full speed
 * @property {number} cell reading a cell, and splitting it into words
 * @property {number} indexStart
 * @property {number} indexedCell counting a cell's terms, and indexing them
 * @property {number} rows of the small tables
 * @property {number} found finding a candidate pair of them
 * @property {number} rowsOfMany of the large tables
 * @property {number} foundOfMany finding a candidate pair of these
 * @property {number} compareStart
 * @property {number} compared comparing a candidate pair of small tables
 * @property {number} comparedOfMany the same of large ones
 * @property {number} decided learning from a pair, sorting, grouping and writing it
 * @property {number} united taking a pair from a part into the whole
 * @property {number} pairsPerRow candidate pairs that a small shard has for each of its rows
 * @property {number} pairsOfMany the same in tables of more than 400,000 rows
 * @property {number} foundTwice of these, how many are found from both of their rows
 * @property {number} megabytes of a process, besides its cells
 * @property {number} bytesOfCell in memory
 * @property {number} heapOfCell bytes of these in the heap of JavaScript
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

/** Bytes of a row of the made persons as CSV, of an embedding, and of a pair in a part (two rows, and a level for each column). */
const bytesOf = { row: 62, embedding: 2400, pair: 8 + 5 };

/**
 * @typedef {object} Step
 * @property {number} seconds CPU seconds on one thread
 * @property {number} bytes that are read and written over the network
 *
 * @typedef {object} Prediction
 * @property {Step} whole one run
 * @property {Step} learn the first pass of a sharded run
 * @property {Step} fixed of each shard, what it does however few rows are its own
 * @property {Step} shard
 * @property {Step} merge
 * @property {number} megabytes of the largest process
 */

/**
 * @param {Constants} constants
 * @param {Task} task
 * @returns {Prediction}
 */
export function predict(constants, task) {
  return task.kind === "encode" ? predictEncode(constants, task) : predictMatching(constants, task);
}

/** @param {Constants} constants @param {Task} task @returns {Prediction} */
function predictEncode(constants, { rows, shards = 1 }) {
  const { process, load, encodeStart, scannedRow, encodedRow, mergedRow, encodeMegabytes } = constants;
  const all = total(rows);
  const table = all * bytesOf.row;
  const vectors = all * bytesOf.embedding;
  const scan = process + load + encodeStart + all * scannedRow;
  return {
    whole: { seconds: scan + all * encodedRow, bytes: 2 * table + vectors },
    learn: { seconds: 0, bytes: 0 },
    fixed: { seconds: scan, bytes: table },
    shard: { seconds: scan + (all * encodedRow) / shards, bytes: table + vectors / shards },
    merge: { seconds: process + all * (scannedRow + mergedRow), bytes: 2 * (table + vectors) },
    megabytes: encodeMegabytes,
  };
}

/** @param {Constants} constants @param {Task} task @returns {Prediction} */
function predictMatching(constants, { kind, rows, columns = 5, shards = 1 }) {
  const of = kind === "join" ? constants.join : constants.dedupe;
  const all = total(rows);
  const cells = all * columns;
  const table = all * bytesOf.row;
  const perRow = Math.max(...rows) > manyRows ? of.pairsOfMany : of.pairsPerRow;
  const between = (/** @type {number} */ small, /** @type {number} */ large) =>
    small * (large / small) ** sizeBetween(all, of);
  const found = between(of.found, of.foundOfMany);
  const compared = between(of.compared, of.comparedOfMany);
  const pairs = (/** @type {number} */ parts) => (all * (perRow - of.foundTwice / parts)) / parts;
  const matched = (/** @type {number} */ parts) => (all * perRow * found) / parts + pairs(parts) * compared;
  const read = constants.process + of.start + cells * of.cell;
  const random = randomPairs * compared;
  const fixed = read + of.indexStart + cells * of.indexedCell + of.compareStart;
  const decide = random + pairs(1) * of.decided;
  const part = pairs(shards) * bytesOf.pair;
  return {
    whole: { seconds: fixed + matched(1) + decide, bytes: 2 * table },
    learn: { seconds: read, bytes: table },
    fixed: { seconds: fixed, bytes: table },
    shard: { seconds: fixed + matched(shards), bytes: table + part },
    merge: { seconds: read + shards * pairs(shards) * of.united + decide, bytes: 2 * table + shards * part },
    megabytes: of.megabytes + (cells * of.bytesOfCell) / 1e6,
  };
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
 * Seconds of the steps of a run by workers of one core each, one after the other, without stragglers.
 * @param {Constants} constants
 * @param {Task} task
 * @param {number} workers
 * @param {number} [shardsEach] shards for each worker
 */
export function stepsOf(constants, task, workers, shardsEach = 1) {
  const shards = workers * shardsEach;
  const found = predict(constants, { ...task, shards });
  const fixed = durationOf(found.fixed);
  if (shards === 1)
    return { "first pass": 0, reading: fixed, work: durationOf(found.whole) - fixed, merge: 0 };
  return {
    "first pass": durationOf(found.learn),
    reading: shardsEach * fixed,
    work: shardsEach * (durationOf(found.shard) - fixed),
    merge: durationOf(found.merge),
  };
}
