/** What benchmarks share: time spent, figures rounded and summed up, and seeded phrases of the training data. */
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { availableParallelism, cpus } from "node:os";
import { join } from "node:path";
import { deviation, mean } from "../dist/statistics.js";
import { readRows } from "../scripts/training-tables.mjs";

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
