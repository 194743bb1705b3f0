/** One number for a model while it trains: the mean over the benchmark's tasks that have data. */
import { runBenchmark } from "../benchmark/index.js";
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
  const mean = (numbers: readonly number[]) => numbers.reduce((sum, x) => sum + x, 0) / numbers.length;
  return mean([...byTask.values()].map(mean));
}
