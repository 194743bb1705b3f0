/** The constants of the cost model (model.mjs) from measured runs: each from the difference of two runs, where it can be. */

/** @typedef {import("./model.mjs").Constants} Constants */
/** @typedef {import("./model.mjs").Matching} Matching */
/**
 * @typedef {object} Run what was measured
 * @property {string} kind
 * @property {readonly number[]} rows of each table
 * @property {number} [shards]
 * @property {Readonly<Record<string, number>>} seconds by stage
 * @property {number} [pairs] of the shard
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
  const [scans, encodes, [encodeMerge], [joinMerge]] = ["scan", "encode", "encode merge", "join merge"].map(of);
  const scan = lineThrough(scans, rowsOf, ({ seconds }) => seconds.scan);
  const encode = lineThrough(encodes, rowsOf, ({ seconds }) => seconds.encode);
  const join = matching(of("join"));
  const united = unitedFrom(joinMerge, join, process);
  return {
    ...{ process, load: mean(encodes.map(({ seconds }) => seconds.load)) },
    ...{ encodeStart: encode.start, scannedRow: scan.slope, encodedRow: encode.slope - scan.slope },
    mergedRow: (encodeMerge.seconds.total - process) / rowsOf(encodeMerge) - scan.slope,
    encodeMegabytes: Math.max(...encodes.map(({ megabytes }) => megabytes)),
    join: { ...join, united },
    // A pair of one table is taken into the whole as one of two tables is.
    dedupe: { ...matching(of("dedupe")), united },
  };
}

/** @param {readonly Run[]} runs a whole one, shards of the same tables, of larger ones, and of many rows @returns {Omit<Matching, "united">} */
function matching([whole, fewShards, manyShards, larger, many]) {
  const stage = (/** @type {string} */ name) => (/** @type {Run} */ { seconds }) => seconds[name];
  const pairsOf = (/** @type {Run} */ { pairs = 0 }) => pairs;
  const perRow = (/** @type {Run} */ run) => (pairsOf(run) * (run.shards ?? 1)) / rowsOf(run);
  const read = lineThrough([manyShards, many], cellsOf, stage("read"));
  const finding = stage("finding candidates");
  const foundRow = (finding(whole) - finding(manyShards)) / (rowsOf(whole) * (1 - 1 / (manyShards.shards ?? 1)));
  const indexing = (/** @type {Run} */ run) => finding(run) - (foundRow * rowsOf(run)) / (run.shards ?? 1);
  const index = lineThrough([manyShards, many], cellsOf, indexing);
  const comparing = lineThrough([manyShards, fewShards], pairsOf, stage("comparing"));
  const shares = [fewShards, manyShards].map(({ shards = 1 }) => 1 / shards);
  const foundTwice = (perRow(manyShards) - perRow(fewShards)) / (shares[0] - shares[1]);
  const pairsPerRow = perRow(larger);
  const { "learning weights": learning, grouping = 0 } = whole.seconds;
  const memory = lineThrough([larger, many], cellsOf, ({ megabytes }) => megabytes);
  return {
    ...{ start: read.start, cell: read.slope, indexStart: index.start, indexedCell: index.slope },
    ...{ found: foundRow / pairsPerRow, compareStart: comparing.start, compared: comparing.slope },
    decided: (learning + grouping) / (rowsOf(whole) * (pairsPerRow - foundTwice)),
    ...{ pairsPerRow, pairsOfMany: perRow(many), foundTwice },
    ...{ megabytes: memory.start, bytesOfCell: memory.slope * 1e6 },
  };
}

/** @param {Run} merge @param {Omit<Matching, "united">} of @param {number} process */
function unitedFrom(merge, { start, cell, compared, decided, pairsPerRow, foundTwice }, process) {
  const { shards = 1, seconds } = merge;
  const rest = seconds.total - process - start - cellsOf(merge) * cell - 40_000 * compared;
  const pairs = rowsOf(merge) * (pairsPerRow - foundTwice / shards);
  return Math.max(0, rest - rowsOf(merge) * (pairsPerRow - foundTwice) * decided) / pairs;
}
