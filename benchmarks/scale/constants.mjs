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
 * @property {number} heap megabytes of texts and other objects of JavaScript, at the end
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
  const [scans, encodes, [encodeMerge], [joinMerge]] = ["scan", "encode", "encode merge", "join merge"].map(
    of,
  );
  const scan = lineThrough(scans, rowsOf, ({ seconds }) => seconds.scan);
  const encode = lineThrough(encodes, rowsOf, ({ seconds }) => seconds.encode);
  const ofMany = pairsOfMany(of("dedupe").slice(-2));
  const join = matching(of("join"), ofMany);
  const united = unitedFrom(joinMerge, join, process);
  return {
    ...{ process, load: mean(encodes.map(({ seconds }) => seconds.load)) },
    ...{ encodeStart: encode.start, scannedRow: scan.slope, encodedRow: encode.slope - scan.slope },
    mergedRow: (encodeMerge.seconds.total - process) / rowsOf(encodeMerge) - scan.slope,
    encodeMegabytes: Math.max(...encodes.map(({ megabytes }) => megabytes)),
    join: { ...join, united },
    // A pair of one table is taken into the whole as one of two tables is.
    dedupe: { ...matching(of("dedupe"), ofMany), united },
  };
}

const pairsOf = (/** @type {Run} */ { pairs = 0 }) => pairs;
const finding = (/** @type {Run} */ { seconds }) => seconds["finding candidates"];
const comparing = (/** @type {Run} */ { seconds }) => seconds.comparing;
const shareOf = (/** @type {Run} */ { shards = 1 }) => 1 / shards;
const pairsPerRow = (/** @type {Run} */ run) => pairsOf(run) / (rowsOf(run) * shareOf(run));

/**
 * Finding and comparing a pair of large tables, whose rows are rarely in the processor's caches.
 * @param {readonly Run[]} runs a small and a large shard
 */
const pairsOfMany = (runs) => ({
  rowsOfMany: rowsOf(runs[0]),
  foundOfMany: lineThrough(runs, pairsOf, finding).slope,
  comparedOfMany: lineThrough(runs, pairsOf, comparing).slope,
});

/**
 * @param {readonly Run[]} runs a whole run, a large and a small shard of the same tables, a small one of larger tables and of those
 *   of many rows
 * @param {ReturnType<typeof pairsOfMany>} ofMany
 * @returns {Omit<Matching, "united">}
 */
function matching([whole, large, small, larger, many], ofMany) {
  const foundTwice = (pairsPerRow(small) - pairsPerRow(large)) / (shareOf(large) - shareOf(small));
  const ofSmallest = pairsPerRow(small) + foundTwice * shareOf(small);
  // A whole run searches as many times as all shards together.
  const found = (finding(whole) - finding(small)) / (rowsOf(whole) * (1 - shareOf(small)) * ofSmallest);
  const indexing = (/** @type {Run} */ run) =>
    finding(run) - (run === many ? ofMany.foundOfMany : found) * pairsOf(run);
  const read = lineThrough([small, many], cellsOf, ({ seconds }) => seconds.read);
  const index = lineThrough([small, many], cellsOf, indexing);
  const compare = lineThrough([small, large], pairsOf, comparing);
  const memory = lineThrough([larger, many], cellsOf, ({ megabytes }) => megabytes);
  const heap = lineThrough([larger, many], cellsOf, (run) => run.heap);
  const { "learning weights": learning, grouping = 0 } = whole.seconds;
  return {
    ...{ start: read.start, cell: read.slope, indexStart: index.start, indexedCell: index.slope },
    ...{ rows: rowsOf(small), found, compareStart: compare.start, compared: compare.slope, ...ofMany },
    decided: (learning + grouping) / (rowsOf(whole) * (ofSmallest - foundTwice)),
    ...{ pairsPerRow: pairsPerRow(larger), pairsOfMany: pairsPerRow(many), foundTwice },
    ...{ megabytes: memory.start, bytesOfCell: memory.slope * 1e6, heapOfCell: heap.slope * 1e6 },
  };
}

/** @param {Run} merge @param {Omit<Matching, "united">} of @param {number} process */
function unitedFrom(merge, { start, cell, compared, decided, ...of }, process) {
  const { shards = 1, seconds } = merge;
  const rest = seconds.total - process - start - cellsOf(merge) * cell - 40_000 * compared;
  const pairs = rowsOf(merge) * (of.pairsPerRow - of.foundTwice / shards);
  return Math.max(0, rest - rowsOf(merge) * (of.pairsPerRow - of.foundTwice) * decided) / pairs;
}
