/** What benchmarks share: time spent, figures rounded and summed up, phrases of the training data, and matching of sets of tables. */
import { createHash } from "node:crypto";
import { createReadStream, existsSync, readdirSync } from "node:fs";
import { availableParallelism, cpus } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { openDuplicates } from "../dist/group/tables/dedupe-table.js";
import { openJoin } from "../dist/join/join-tables.js";
import { deviation, mean } from "../dist/statistics.js";
import { readRows } from "../scripts/training-tables.mjs";

export const root = fileURLToPath(new URL("..", import.meta.url));

/**
 * The options of a benchmark, by a list such as "rows=1000 model data= json=tag quick?": with a default, without one, and a flag.
 * The default of `data` is a folder below ../shared/data, that of `json` a file of benchmarks/results.
 *
 * @param {string} list @param {Record<string, string>} computed further options with their defaults
 * @returns {{ values: Record<string, string>, positionals: string[] }}
 */
export function readOptions(list, computed = {}) {
  const whole = {
    data: (name) => join(root, "../shared/data", name),
    json: (name) => join(root, `benchmarks/results/${name}.json`),
  };
  const listed = list.split(" ").map((word) => {
    const [, name, mark, value] = /^([\w-]+)([=?]?)(.*)$/.exec(word) ?? [];
    if (mark === "?") return [name, { type: "boolean" }];
    return [name, { type: "string", ...(mark === "=" && { default: whole[name]?.(value) ?? value }) }];
  });
  const others = Object.entries(computed).map(([name, value]) => [name, { type: "string", default: value }]);
  const options = Object.fromEntries([...listed, ...others]);
  return /** @type {any} */ (parseArgs({ options, allowPositionals: true }));
}

export const round = (/** @type {number} */ value, digits = 4) => Number(value.toFixed(digits));

export const median = (/** @type {readonly number[]} */ values) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

/** Mean and standard deviation of draws. */
export const summary = (/** @type {readonly number[]} */ values) => ({
  mean: round(mean(values)),
  deviation: round(deviation(values)),
});

/** Starts a watch. @returns what gives the seconds since, by the clock and of the processor (user and system, all threads) */
export function stopwatch() {
  const [started, before] = [performance.now(), process.cpuUsage()];
  return () => {
    const { user, system } = process.cpuUsage(before);
    return { seconds: (performance.now() - started) / 1000, processorSeconds: (user + system) / 1e6 };
  };
}

export const machine = () => ({
  processor: cpus()[0].model,
  cores: availableParallelism(),
  node: process.version,
});

/** SHA-256 of a file, by which results of several days can be compared. */
export async function sha256(/** @type {string} */ path) {
  const hash = createHash("sha256");
  for await (const part of createReadStream(path)) hash.update(part);
  return hash.digest("hex");
}

/** Words of the word list, and names with their aliases. @param {string} data a folder such as ../shared/data */
export function wordsAndNames(data) {
  const rows = (/** @type {string} */ path) => [...readRows(join(data, path))];
  return {
    words: rows("words/words.txt.gz").flatMap(([word]) => word || []),
    names: rows("train/pairs/names.tsv.gz").flatMap((cells) => cells.slice(0, 2)),
  };
}

/** The sets in the layout of `pearl bench --task er` that folders are or hold, by name. @param {readonly string[]} parents */
export function setFolders(parents) {
  const isSet = (/** @type {string} */ folder) => existsSync(join(folder, "about.json"));
  return parents
    .flatMap((parent) => (isSet(parent) ? [parent] : readdirSync(parent).map((name) => join(parent, name))))
    .filter(isSet)
    .sort();
}

/** Pairs of rows of such a set as `left × width + right`, and what is promised of them, by the way that the commands take. */
export async function foundPairs(folder, { right, width }, options) {
  if (right !== undefined) {
    const { joined } = await openJoin(join(folder, "left.csv"), join(folder, "right.csv"), options);
    return { report: joined.findings, pairs: joined.matches.map((pair) => pair.left * width + pair.right) };
  }
  const { found } = await openDuplicates(join(folder, "table.csv"), options);
  const pairs = found.report.groups.flatMap(({ kept, others }) => {
    const rows = [kept, ...others.map(({ row }) => row)].sort((a, b) => a - b);
    return rows.flatMap((a, place) => rows.slice(place + 1).map((b) => a * width + b));
  });
  return { report: found.report, pairs };
}
