/** What docs/scale.md says, from what was measured: constants, predictions of other runs and of larger tables, the simulated queue. */
import { readFileSync } from "node:fs";
import { createRandom } from "../../dist/random.js";
import { constantsFrom } from "./constants.mjs";
import { predict, stepsOf } from "./model.mjs";
import { exponential, pareto, simulateQueue } from "./queue.mjs";

/** @typedef {import("./constants.mjs").Run} Run */
/** @typedef {import("./model.mjs").Constants} Constants */
/** @typedef {import("./model.mjs").Task} Task */

const total = (/** @type {readonly number[]} */ numbers) => numbers.reduce((sum, number) => sum + number, 0);

/**
 * @template {{ fitted: readonly Run[], checked: readonly Run[] }} Measured
 * @param {Measured} measured
 */
export function conclude(measured) {
  const constants = constantsFrom(measured.fitted);
  return {
    ...measured,
    constants,
    checked: measured.checked.map((run) => withPrediction(constants, run)),
    earlier: earlier.map((run) => withPrediction(constants, run)),
    scaled: scaled(constants),
    reach: sized(constants, { kind: "join", rows: [10_000_000, 1_000_000] }, [1, 4]),
    queue: queued(constants),
  };
}

/** @param {string} name */
const recorded = (name) =>
  JSON.parse(readFileSync(new URL(`../results/${name}.json`, import.meta.url), "utf8"));

/** Runs of another day, with a limit of memory: docs/scale.md, Memory. */
const earlier = [recorded("large-tables"), ...recorded("large-join").runs].flatMap(
  ({ command = "join", results }) =>
    results.map(
      (/** @type {{ tables: string, processorSeconds: number }} */ { tables, processorSeconds }) => ({
        ...{ kind: command, rows: tables.split("x").map(Number) },
        seconds: { total: processorSeconds },
      }),
    ),
);

/** @param {Constants} constants @param {Pick<Run, "kind" | "rows" | "shards" | "seconds">} run */
function withPrediction(constants, run) {
  const [kind, way] = run.kind.split(" ");
  const task = /** @type {Task} */ ({ ...run, kind });
  const { stages, learn, shard, merge } = predict(constants, task);
  const sharded = learn.seconds + (run.shards ?? 1) * shard.seconds + merge.seconds;
  const predicted = way === "sharded" ? sharded : total(stages.map(({ seconds }) => seconds));
  const measured = total(Object.values(run.seconds));
  return { ...run, predicted, measured, ratio: predicted / measured };
}

/** Numbers of workers in the tables. */
export const workerCounts = [1, 4, 16, 64, 256];

/** @param {Constants} constants */
function scaled(constants) {
  const kinds = /** @type {const} */ (["encode", "join", "dedupe"]);
  return kinds.flatMap((kind) =>
    [1e7, 1e8, 1e9].map((rows) => sized(constants, { kind, rows: [rows] }, workerCounts)),
  );
}

/** @param {Constants} constants @param {Task} task @param {readonly number[]} counts of workers */
function sized(constants, task, counts) {
  const { megabytes } = predict(constants, task);
  return {
    ...task,
    /** Of one run, the first pass, and the merge. */
    megabytes,
    byWorkers: counts.map((workers) => ({
      workers,
      shardMegabytes: predict(constants, { ...task, shards: workers }).shardMegabytes,
      steps: stepsOf(constants, task, workers),
    })),
  };
}

const runs = 200;
/** The queue of the simulation: a dedupe of ten million rows. */
export const simulated = { kind: /** @type {const} */ ("dedupe"), rows: [1e7], workers: 16 };
/** One try in a thousand takes ten times as long, half of them at most a quarter longer. */
const slowdown = pareto(3);
export const hoursToKill = 6;

/**
 * Mean hours of runs with so many shards for each worker.
 * @param {Constants} constants
 */
function queued(constants) {
  const { workers, ...task } = simulated;
  return [1, 2, 4, 8].map((shardsEach) => {
    const steps = stepsOf(constants, task, workers, shardsEach);
    const run = {
      ...{ workers, shards: workers * shardsEach },
      ...{ learn: steps["first pass"], merge: steps.merge, shard: steps.shards / shardsEach },
    };
    const untilKill = exponential(hoursToKill * 3600);
    const killed = { ...run, slowdown, untilKill, restart: 60 };
    return {
      shardsEach,
      calm: meanHours(run).hours,
      stragglers: meanHours({ ...run, slowdown }).hours,
      kills: meanHours(killed),
    };
  });
}

/** @param {Omit<import("./queue.mjs").QueueRun, "random">} run */
function meanHours(run) {
  const found = Array.from({ length: runs }, (_, seed) =>
    simulateQueue({ ...run, random: createRandom(seed) }),
  );
  const mean = (/** @type {(one: typeof found[0]) => number} */ of) => total(found.map(of)) / runs;
  return {
    hours: mean(({ seconds }) => seconds) / 3600,
    lostHours: mean(({ lost }) => lost) / 3600,
    kills: mean(({ kills }) => kills),
    /** Runs that ended without a result. */
    failed: found.filter(({ dead }) => dead > 0).length / runs,
  };
}
