/** The sets of entity resolution as one table: precision, recall, F1, what was estimated, and seconds, for each model. */
import { alignColumns } from "../files/text-table.js";
import type { BenchmarkResult, ModelReport } from "./runner.js";
import { isMean, percent, titleOf } from "./shown.js";
import type { ErDetails } from "./tasks/er.js";

/** Empty if the task was not run. */
export function erTable(reports: readonly ModelReport[]): string {
  const models = reports
    .map((report) => ({ title: titleOf(report), sets: setsOf(report.results) }))
    .filter(({ sets }) => sets.size > 0);
  if (models.length === 0) return "";
  const names = [...new Set(models.flatMap(({ sets }) => [...sets.keys()]))];
  const promising = models.map(({ sets }) =>
    [...sets.values()].some(([{ details }]) => details.estimate !== undefined),
  );
  const heads = promising.map((isPromising) => [
    "P",
    "R",
    "F1",
    ...(isPromising ? ["estimate", "established"] : []),
    "seconds",
  ]);
  const titles = models.flatMap(({ title }, model) =>
    heads[model].map((_, place) => (place === 0 ? title : "")),
  );
  const rows = names.map((name) => {
    const pairs = models.map(({ sets }) => sets.get(name)?.[0].n).find((n) => n !== undefined);
    return [
      ...[name, pairs?.toLocaleString("en-US") ?? ""],
      ...models.flatMap(({ sets }, model) => cellsOf(sets.get(name) ?? [], promising[model])),
    ];
  });
  return alignColumns(
    [["", "", ...titles], ["er", "true pairs", ...heads.flat()], ...rows],
    (column) => column >= 1,
  );
}

function setsOf(results: readonly BenchmarkResult[]): Map<string, BenchmarkResult[]> {
  const sets = new Map<string, BenchmarkResult[]>();
  for (const result of results)
    if (result.task === "er" && !isMean(result))
      sets.set(result.dataset, [...(sets.get(result.dataset) ?? []), result]);
  return sets;
}

/** "-" for what is undefined or cannot be judged. */
function cellsOf(results: readonly BenchmarkResult[], isPromising: boolean): string[] {
  const shown = ["precision", "recall", "f1"].map((metric) => {
    const score = results.find((result) => result.metric === metric)?.score;
    return score === undefined ? "-" : percent(score);
  });
  const details = results[0]?.details as Partial<ErDetails> | undefined;
  const estimate = details?.estimate === undefined ? "-" : percent(details.estimate);
  const promised = isPromising ? [estimate, details?.established ? "yes" : "no"] : [];
  return [...shown, ...promised, results[0]?.seconds.toFixed(1) ?? "-"];
}
