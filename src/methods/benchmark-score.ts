/** A model's scores while it trains and in comparisons: one number per task, under the fair protocol. */

import { mainResult } from "../benchmark/report.js";
import { type BenchmarkRequest, locateTasks, type ModelReport, runBenchmark } from "../benchmark/runner.js";
import { allTasks } from "../benchmark/tasks/index.js";
import { MissingDataError } from "../errors.js";
import { exists } from "../files/whole-file.js";
import { mean } from "../statistics.js";

/** Looks for the data before a training prepares anything. @throws MissingDataError where no task has its data */
export async function checkEvaluation(dataFolder: string | undefined): Promise<void> {
  if (dataFolder === undefined) return;
  if (!(await exists(dataFolder)))
    throw new MissingDataError(
      `${dataFolder}: there is no folder to score the model on (--eval-data). Name another.`,
    );
  await locateTasks({ tasks: ["all"], dataFolder }).catch((cause) => {
    // the reasons, one a task, advise options that a training does not have
    throw cause instanceof MissingDataError ? withoutTasks(dataFolder, cause) : cause;
  });
}

const withoutTasks = (dataFolder: string | undefined, cause?: Error): MissingDataError =>
  new MissingDataError(
    `${dataFolder}: no benchmark task has its data here (--eval-data). \`pearl data autofj\` downloads one.`,
    { cause },
  );

/** Scores a model on the tasks of a folder after every epoch; without a folder nothing is scored. */
export function evaluationOn(dataFolder: string | undefined, stepsPerEpoch: number) {
  if (dataFolder === undefined) return undefined;
  const score = async (folder: string, signal?: AbortSignal) =>
    (await scoreTasks(folder, { tasks: ["all"], dataFolder, signal })).mean;
  return { every: stepsPerEpoch, measure: "mean benchmark score", score };
}

/** The score of each task by its own metric; of AutoFJ the mean over sets. */
export function taskScores(report: Pick<ModelReport, "results">): Record<string, number> {
  const scores: Record<string, number> = {};
  for (const task of allTasks) {
    const found = mainResult(report, task);
    if (found !== undefined) scores[task.name] = found.score;
  }
  return scores;
}

/** {@link taskScores} of a model, and their mean. @throws MissingDataError where no task could be scored */
export async function scoreTasks(
  model: string,
  request: Pick<BenchmarkRequest, "tasks" | "dataFolder" | "signal" | "seed">,
) {
  const [report] = await runBenchmark({ ...request, models: [model] });
  const scores = taskScores(report);
  const values = Object.values(scores);
  if (values.length > 0) return { scores, mean: mean(values) };
  throw withoutTasks(request.dataFolder);
}
