/** A model's scores while it trains and in comparisons: one number a task, under the fair protocol. */
import { type BenchmarkRequest, type ModelReport, runBenchmark } from "../benchmark/runner.js";
import { selectTasks } from "../benchmark/tasks/index.js";
import { MissingDataError } from "../errors.js";

/**
 * The mean over tasks of their scores under the fair protocol (of AutoFJ its mean over sets), a fraction.
 * @throws MissingDataError where no task has its data in the folder
 */
export async function benchmarkScore(model: string, dataFolder: string): Promise<number> {
  const [report] = await runBenchmark({ tasks: ["all"], models: [model], dataFolder });
  const byTask = new Map<string, number[]>();
  const isMean = (dataset: string) => dataset.startsWith("macro mean");
  const withMean = new Set(report.results.filter(({ dataset }) => isMean(dataset)).map(({ task }) => task));
  for (const { task, dataset, score } of report.results) {
    if (withMean.has(task) && !isMean(dataset)) continue;
    byTask.set(task, [...(byTask.get(task) ?? []), score]);
  }
  if (byTask.size === 0)
    throw new MissingDataError(`no task of the benchmark could be scored on ${dataFolder}`);
  return mean([...byTask.values()].map(mean));
}

/** The score that stands for each task, by its own metric; of AutoFJ the mean over sets. */
export function taskScores({ results }: Pick<ModelReport, "results">): Record<string, number> {
  const scores: Record<string, number> = {};
  for (const { name, metric } of selectTasks([...new Set(results.map(({ task }) => task))])) {
    const own = results.filter((result) => result.task === name && result.metric === metric);
    const found = own.find(({ dataset }) => dataset.startsWith("macro mean")) ?? own[0];
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
  const values = Object.values(scores);
  if (values.length === 0)
    throw new MissingDataError(`no task of the benchmark could be scored on ${request.dataFolder}`);
  return { scores, mean: mean(values) };
}

const mean = (numbers: readonly number[]): number => numbers.reduce((sum, x) => sum + x, 0) / numbers.length;
