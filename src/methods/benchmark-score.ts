/** A model's scores while it trains and in comparisons: one number per task, under the fair protocol. */

import { type BenchmarkRequest, type ModelReport, runBenchmark } from "../benchmark/runner.js";
import { isMean } from "../benchmark/shown.js";
import { mean } from "../benchmark/task.js";
import { selectTasks } from "../benchmark/tasks/index.js";
import { MissingDataError } from "../errors.js";
import { groupBy } from "../match/group-by.js";
import type { PreparedRun, RunRecord } from "../training/run.js";

/** Scores a model on the tasks of a folder after every epoch; without a folder nothing is scored. */
export const evaluationOn = (
  dataFolder: string | undefined,
  stepsPerEpoch: number,
): PreparedRun<RunRecord>["evaluation"] =>
  dataFolder === undefined
    ? undefined
    : { every: stepsPerEpoch, score: (folder) => benchmarkScore(folder, dataFolder) };

/** The mean over tasks of their scores (of AutoFJ its mean over sets), a fraction. @throws MissingDataError without data */
async function benchmarkScore(model: string, dataFolder: string): Promise<number> {
  const [report] = await runBenchmark({ tasks: ["all"], models: [model], dataFolder });
  const withMean = new Set(report.results.filter(isMean).map(({ task }) => task));
  const counted = report.results.filter((result) => isMean(result) || !withMean.has(result.task));
  const byTask = [...groupBy(counted, ({ task }) => task).values()];
  return meanScore(
    byTask.map((results) => mean(results.map(({ score }) => score))),
    dataFolder,
  );
}

/** The score of each task by its own metric; of AutoFJ the mean over sets. */
export function taskScores({ results }: Pick<ModelReport, "results">): Record<string, number> {
  const scores: Record<string, number> = {};
  for (const { name, metric } of selectTasks([...new Set(results.map(({ task }) => task))])) {
    const own = results.filter((result) => result.task === name && result.metric === metric);
    const found = own.find(isMean) ?? own[0];
    if (found !== undefined) scores[name] = found.score;
  }
  return scores;
}

/** {@link taskScores} of a model, and their mean. @throws MissingDataError where no task could be scored */
export async function scoreTasks(
  model: string,
  request: Pick<BenchmarkRequest, "tasks" | "dataFolder" | "signal" | "seed">,
): Promise<{ scores: Record<string, number>; mean: number }> {
  const [report] = await runBenchmark({ ...request, models: [model] });
  const scores = taskScores(report);
  return { scores, mean: meanScore(Object.values(scores), request.dataFolder) };
}

function meanScore(scores: readonly number[], dataFolder: string): number {
  if (scores.length > 0) return mean(scores);
  throw new MissingDataError(
    `${dataFolder}: no benchmark task has its data here. \`pearl data autofj\` downloads one.`,
  );
}
