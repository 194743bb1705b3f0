/** What docs/scale.md says, from what was measured: constants, predictions of other runs and of larger tables. */
import { readFileSync } from "node:fs";
import { constantsFrom } from "./constants.mjs";
import { predict, stepsOf } from "./model.mjs";

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
