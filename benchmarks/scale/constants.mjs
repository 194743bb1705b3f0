/** The constants of the cost model (model.mjs) from measured runs: each from the difference of two runs, where it can be. */

import { bytesOf } from "./model.mjs";

/** @typedef {import("./model.mjs").Constants} Constants */
/** @typedef {import("./model.mjs").Matching} Matching */
/**
 * @typedef {object} Run what was measured
 * @property {string} kind
 * @property {readonly number[]} rows of each table
 * @property {number} [shards]
 * @property {Readonly<Record<string, number>>} seconds by stage
 * @property {number} [pairs] of the shard, or all of a first pass
 * @property {number} [bytes] of the file that the shard or first pass wrote
 * @property {readonly number[]} [picked] left and right rows that occur in the shard's pairs
 * @property {number} megabytes peak of resident memory
 */

const columns = 5;
const total = (/** @type {readonly number[]} */ numbers) => numbers.reduce((sum, number) => sum + number, 0);
const mean = (/** @type {readonly number[]} */ numbers) => total(numbers) / numbers.length;
const rowsOf = (/** @type {Run} */ { rows }) => total(rows);
const cellsOf = (/** @type {Run} */ run) => columns * rowsOf(run);

/**
 * The line through a smaller and a larger run.
 * @param {readonly Run[]} runs
 * @param {(run: Run) => number} x
 * @param {(run: Run) => number} y
 */
function lineThrough([small, large], x, y) {
  const slope = (y(large) - y(small)) / (x(large) - x(small));
  return { start: Math.max(0, y(small) - slope * x(small)), slope };
}

/** @param {readonly Run[]} runs @returns {Constants} */
export function constantsFrom(runs) {
  const of = (/** @type {string} */ kind) => runs.filter((run) => run.kind === kind);
  const process = mean(runs.flatMap(({ seconds }) => seconds.start ?? []));
  const [scans, encodes, [encodeMerge]] = ["scan", "encode", "encode merge"].map(of);
  const scan = lineThrough(scans, rowsOf, ({ seconds }) => seconds.scan);
  const encode = lineThrough(encodes, rowsOf, ({ seconds }) => seconds.encode);
  const passes = of("join first pass");
  const join = matching(of("join"), passes);
  const merge = merging(of("join merge"), [passes[1], passes[3]], join, process);
  return {
    ...{ process, load: mean(encodes.map(({ seconds }) => seconds.load)) },
    ...{ encodeStart: encode.start, scannedRow: scan.slope, encodedRow: encode.slope - scan.slope },
    mergedRow: (encodeMerge.seconds.total - process) / rowsOf(encodeMerge) - scan.slope,
    encodeMegabytes: Math.max(...encodes.map(({ megabytes }) => megabytes)),
    join: { ...join, ...merge },
    // A pair of one table is taken into the whole as one of two tables is.
    dedupe: { ...matching(of("dedupe"), of("dedupe first pass")), ...merge },
  };
}

const pairsOf = (/** @type {Run} */ { pairs = 0 }) => pairs;
const pairsPerRow = (/** @type {Run} */ run) => pairsOf(run) / rowsOf(run);
const finding = (/** @type {Run} */ { seconds }) => seconds["finding candidates"];
const comparing = (/** @type {Run} */ { seconds }) => seconds.comparing;
const picking = (/** @type {Run} */ { seconds }) => seconds.picking;
const pickedCells = (/** @type {Run} */ { picked = [] }) => columns * total(picked);

/**
 * @param {readonly Run[]} runs a whole run; a small and a large shard of the same tables; the same of tables of many rows
 * @param {readonly Run[]} passes first passes of tiny tables, of those of the whole run, of those of many rows, and of larger ones
 *   than the whole run's
 * @returns {Omit<Matching, "mergeStart" | "united">}
 */
function matching([whole, small, large, smallOfMany, largeOfMany], [tiny, own, many, larger]) {
  const ofMany = [smallOfMany, largeOfMany];
  const read = lineThrough([own, many], cellsOf, ({ seconds }) => seconds.read);
  const find = lineThrough([tiny, own], pairsOf, finding);
  const compare = lineThrough([small, large], pairsOf, comparing);
  const pick = lineThrough(ofMany, pairsOf, picking);
  // What a shard takes for all rows, however few pairs it has.
  const shard = lineThrough(
    [small, smallOfMany],
    rowsOf,
    (run) => run.seconds.checking + picking(run) + run.seconds.keeping - pick.slope * pairsOf(run),
  );
  const memory = lineThrough([larger, many], cellsOf, ({ megabytes }) => megabytes);
  const memoryOfShard = lineThrough(
    ofMany,
    pickedCells,
    (run) => run.megabytes - (bytesOf.pair * pairsOf(run)) / 1e6,
  );
  const { "learning weights": learning, grouping = 0 } = whole.seconds;
  return {
    ...{ start: read.start, cell: read.slope },
    ...{ rows: rowsOf(own), findStart: find.start, found: find.slope },
    ...{ rowsOfMany: rowsOf(many), foundOfMany: (finding(many) - find.start) / pairsOf(many) },
    ...{ keptRow: many.seconds.keeping / rowsOf(many), keptBytes: (many.bytes ?? 0) / rowsOf(many) },
    ...{ shardStart: shard.start, checkedRow: shard.slope, picked: pick.slope },
    ...{ compareStart: compare.start, compared: compare.slope },
    comparedOfMany: lineThrough(ofMany, pairsOf, comparing).slope,
    decided: (learning + grouping) / pairsOf(own),
    ...{ pairsPerRow: pairsPerRow(larger), pairsOfMany: pairsPerRow(many) },
    ...{ megabytes: memory.start, bytesOfCell: memory.slope * 1e6 },
    ...{ shardMegabytes: memoryOfShard.start, bytesOfPicked: memoryOfShard.slope * 1e6 },
  };
}

/**
 * @param {readonly Run[]} merges a small and a large one
 * @param {readonly Run[]} passes the first passes of the same tables
 * @param {Omit<Matching, "mergeStart" | "united">} of
 * @param {number} process
 */
function merging(merges, passes, { compared, decided }, process) {
  const pairs = new Map(merges.map((merge, place) => [merge, pairsOf(passes[place])]));
  const pairsIn = (/** @type {Run} */ merge) => pairs.get(merge) ?? 0;
  const { start, slope } = lineThrough(
    merges,
    pairsIn,
    (merge) => merge.seconds.total - process - 40_000 * compared - pairsIn(merge) * decided,
  );
  return { mergeStart: start, united: slope };
}
