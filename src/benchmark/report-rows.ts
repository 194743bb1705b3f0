/** What both reports of a benchmark share: rows of tasks × models, names and the formats of scores. */
import type { BenchmarkResult, ModelReport } from "./runner.js";

/** A row of the table: the same task, data and metric in all models. */
export interface ReportRow {
  readonly result: BenchmarkResult;
  /** Scores by model, as fractions. */
  readonly scores: Map<string, number>;
}

/**
 * The rows in the order in which the models report them.
 * @param options.everySet also the single sets of a task whose mean is reported
 */
export function reportRows(
  reports: readonly ModelReport[],
  { everySet = false }: { readonly everySet?: boolean } = {},
): ReportRow[] {
  const rows = new Map<string, ReportRow>();
  for (const { model, results } of reports) {
    const withMean = new Set(results.filter(isMean).map(({ task }) => task));
    for (const result of results) {
      if (!everySet && !isMean(result) && withMean.has(result.task)) continue;
      const key = [result.task, result.dataset, result.metric].join("\t");
      const row = rows.get(key) ?? { result, scores: new Map() };
      rows.set(key, row);
      row.scores.set(model, result.score);
    }
  }
  return [...rows.values()];
}

/** Whether a result is the mean over the sets of its task. */
export const isMean = ({ dataset }: BenchmarkResult): boolean => dataset.startsWith("macro mean");

/** The heading of a model's column. */
export const titleOf = ({ model, floor }: ModelReport): string => (floor ? `${model} (floor)` : model);

/** A fraction × 100 with one digit. */
export const percent = (score: number): string => (score * 100).toFixed(1);
