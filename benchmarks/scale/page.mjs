/** Writes the tables of docs/scale.md from the record of benchmarks/scale.mjs. */
import { workerCounts } from "./conclude.mjs";

/** @typedef {ReturnType<typeof import("./conclude.mjs").conclude>} Record */
/** @typedef {Record["scaled"][0]} Scaled */

/**
 * The page with the tables of a record: each follows a line that names it, and ends at the first empty line.
 * @param {string} page
 * @param {Record} record
 */
export function pageWith(page, record) {
  const tables = {
    constants: constantsTable(record),
    checks: checksTable(record),
    encode: hoursTable(record, "encode"),
    join: hoursTable(record, "join"),
    dedupe: hoursTable(record, "dedupe"),
    reach: reachTable(record),
  };
  let text = page;
  for (const [name, table] of Object.entries(tables)) {
    const marker = `<!-- node benchmarks/scale.mjs: ${name} -->\n`;
    const [before, after] = text.split(marker);
    if (after === undefined) throw new Error(`docs/scale.md has no line ${marker.trim()}`);
    text = `${before}${marker}${table}${after.slice(after.search(/^\n/m))}`;
  }
  return text;
}

/** @param {readonly string[]} head @param {readonly (readonly string[])[]} rows */
const tableOf = (head, rows) =>
  [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |\n`).join("");

/** Two significant digits, and no more than are whole. */
const short = (/** @type {number} */ number) =>
  number >= 100
    ? Math.round(Number(number.toPrecision(2))).toLocaleString("en")
    : String(Number(number.toPrecision(2)));
const micro = (/** @type {number} */ seconds) => `${short(seconds * 1e6)} µs`;
const inSeconds = (/** @type {number} */ seconds) => `${short(seconds)} s`;
const bytes = (/** @type {number} */ megabytes) =>
  megabytes < 1000 ? `${short(megabytes)} MB` : `${short(megabytes / 1000)} GB`;

/** @param {Record} record */
function constantsTable({ constants: { join, dedupe, ...own } }) {
  const both = (/** @type {(of: typeof join) => string} */ cell) => [cell(join), cell(dedupe)];
  return tableOf(
    ["", "`encode`", "`join`", "`dedupe`"],
    [
      ["a process: start", ...["", "", ""].map(() => inSeconds(own.process))],
      ["a process: loading pearl-mini", inSeconds(own.load), "", ""],
      [
        "a process: until it is at full speed",
        inSeconds(own.encodeStart),
        ...both((of) => inSeconds(of.start + of.findStart + of.compareStart)),
      ],
      ["a shard: until it is at full speed", "", ...both((of) => inSeconds(of.shardStart + of.compareStart))],
      ["a merge: until it is at full speed", "", ...both((of) => inSeconds(of.mergeStart))],
      ["a row: reading", micro(own.scannedRow), "", ""],
      ["a row: encoding and writing", micro(own.encodedRow), "", ""],
      ["a row: merging", micro(own.mergedRow), "", ""],
      ["a row: keeping it for the shards", "", ...both((of) => micro(of.keptRow))],
      ["a row: checking and looking it up, in each shard", "", ...both((of) => micro(of.checkedRow))],
      ["a cell: reading and splitting into words", "", ...both((of) => micro(of.cell))],
      ["candidate pairs of a row", "", ...both((of) => short(of.pairsPerRow))],
      ["the same, above 400,000 rows", "", ...both((of) => short(of.pairsOfMany))],
      ["a pair: finding, in small tables", "", ...both((of) => micro(of.found))],
      ["the same, in large ones", "", ...both((of) => micro(of.foundOfMany))],
      ["a pair: reading what it is compared by, in a shard", "", ...both((of) => micro(of.picked))],
      ["a pair: comparing, in small tables", "", ...both((of) => micro(of.compared))],
      ["the same, in large ones", "", ...both((of) => micro(of.comparedOfMany))],
      ["a pair: taking it and its rows from the files of the others", "", ...both((of) => micro(of.united))],
      ["a pair: learning, grouping, writing", "", ...both((of) => micro(of.decided))],
      ["file of the first pass: a row with its pairs", "", ...both((of) => `${short(of.keptBytes)} bytes`)],
      ["memory of a process", bytes(own.encodeMegabytes), ...both((of) => bytes(of.megabytes))],
      ["memory of a cell", "", ...both((of) => `${short(of.bytesOfCell)} bytes`)],
      ["memory of a shard", "", ...both((of) => bytes(of.shardMegabytes))],
      ["memory of a cell of its own rows", "", ...both((of) => `${short(of.bytesOfPicked)} bytes`)],
    ],
  );
}

const number = (/** @type {number} */ count) => count.toLocaleString("en");

/** @param {Record} record */
function checksTable({ checked, earlier }) {
  const names = {
    encode: "`encode`",
    join: "`join`",
    dedupe: "`dedupe`",
    "join sharded": "`join`, first pass, shards and merge",
  };
  return tableOf(
    ["run", "rows", "predicted", "measured", "ratio"],
    [...checked, ...earlier].map(({ kind, rows, shards, predicted, measured, ratio }, place) => [
      `${names[/** @type {keyof typeof names} */ (kind)]}${shards ? ` (${shards} shards at once)` : ""}${place < checked.length ? "" : ", another day"}`,
      rows.map(number).join(" × "),
      `${predicted.toFixed(1)} s`,
      `${measured.toFixed(1)} s`,
      ratio.toFixed(2),
    ]),
  );
}

const total = (/** @type {Scaled["byWorkers"][0]["steps"]} */ steps) =>
  Object.values(steps).reduce((sum, seconds) => sum + seconds, 0);

/** The longest step, with its share of the time. */
function binding(/** @type {Scaled["byWorkers"][0]["steps"]} */ steps) {
  const [[name, seconds]] = Object.entries(steps).sort(([, a], [, b]) => b - a);
  return `${name}, ${Math.round((100 * seconds) / total(steps))} %`;
}

/** @param {Record} record @param {string} kind */
function hoursTable({ scaled }, kind) {
  const memory =
    kind === "encode" ? ["memory of each"] : ["memory of one run", "of a shard of 16", "of a shard of 256"];
  return tableOf(
    [
      "rows",
      ...workerCounts.map((count) => (count === 1 ? "1 worker" : String(count))),
      ...memory,
      "longest of 16",
      "longest of 256",
    ],
    scaled
      .filter((one) => one.kind === kind)
      .map(({ rows, byWorkers, megabytes }) => {
        const of = (/** @type {number} */ count) =>
          byWorkers.find(({ workers }) => workers === count) ?? byWorkers[0];
        return [
          `10${{ 7: "⁷", 8: "⁸", 9: "⁹" }[Math.log10(rows[0])]}`,
          ...byWorkers.map(({ steps }) => short(total(steps) / 3600)),
          ...[megabytes, of(16).shardMegabytes, of(256).shardMegabytes].slice(0, memory.length).map(bytes),
          ...[of(16), of(256)].map(({ steps }) => binding(steps)),
        ];
      }),
  );
}

/** @param {Record} record */
function reachTable({ reach: { byWorkers, megabytes } }) {
  const minutes = (/** @type {number} */ seconds) => String(Math.round(seconds / 60));
  return tableOf(
    [
      "workers",
      "reading and finding (first pass)",
      "comparing (shards), each",
      "learning and writing (merge)",
      "in all, a core for each",
      "on 2 cores",
      "CPU time",
      "memory of one run, first pass, merge",
      "of the shards",
    ],
    byWorkers.map(({ workers, steps, shardMegabytes }) => [
      String(workers),
      minutes(steps["first pass"]),
      minutes(steps.shards),
      minutes(steps.merge),
      minutes(total(steps)),
      minutes(steps["first pass"] + Math.max(1, workers / 2) * steps.shards + steps.merge),
      minutes(steps["first pass"] + workers * steps.shards + steps.merge),
      bytes(megabytes),
      workers === 1 ? "" : `${workers} × ${bytes(shardMegabytes)}`,
    ]),
  );
}
