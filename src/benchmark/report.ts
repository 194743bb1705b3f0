/** Formats benchmark reports as text: our scores as tables of tasks × models, entity resolution apart, then the published scores. */
import { groupBy } from "../by-key.js";
import { alignColumns } from "../files/text-table.js";
import {
  isMean,
  partsNote,
  percent,
  publishedMetrics,
  publishedScores,
  type ShownScore,
  scoreText,
  seedsText,
  titleOf,
  wholeScore,
} from "./published.js";
import type { BenchmarkResult, ModelReport } from "./runner.js";
import type { ErDetails } from "./tasks/er.js";

/**
 * The whole text: our scores, what was skipped and why, remarks, then the published numbers of the same tasks.
 * Scores are printed × 100.
 * @param everySet print each set of AutoFJ too; default: only their means. Sets of er have a table of their own
 */
export function formatReports(reports: readonly ModelReport[], { everySet = false } = {}): string {
  const [first] = reports;
  const blocks = [
    `pearl ${first.pearl}, protocol ${first.protocol}, ${seedsText(first)}. Scores × 100.`,
    scoreTable(reports, everySet),
    erTable(reports),
    remarks(reports).join("\n"),
    publishedBlock(reports),
  ];
  return blocks.filter((block) => block !== "").join("\n\n");
}

function scoreTable(reports: readonly ModelReport[], everySet: boolean): string {
  const { heading, rows } = scoreRows(reports, everySet);
  if (rows.length === 0) return "";
  const body = rows.map(({ cells, scores }) => [...cells, ...scores.map((score) => scoreText(score) ?? "-")]);
  const seconds = reports.map(({ results }) => {
    const spent = new Map(results.map((result) => [`${result.task} ${result.seconds}`, result]));
    const counted = [...spent.values()].filter((result) => !isMean(result));
    return counted.reduce((sum, result) => sum + result.seconds, 0).toFixed(1);
  });
  return alignColumns([heading, ...body, ["seconds", "", "", "", ...seconds]], (column) => column >= 3);
}

/** The published scores of the tasks that were run, and below them ours where whole sets were measured. */
function publishedBlock(reports: readonly ModelReport[]): string {
  const { tasks, rows } = publishedScores(reports.flatMap((own) => [...own.results, ...own.skipped]));
  if (tasks.length === 0) return "";
  const metrics = tasks.map((task) => publishedMetrics[task]);
  const body = rows.map(({ model, scores }) => [
    model,
    ...tasks.map((task) => scores[task]?.toFixed(1) ?? "-"),
  ]);
  const ours = reports.flatMap((report) => {
    const scores = tasks.map((task) => wholeScore(report, task));
    if (scores.every((score) => score === undefined)) return [];
    const cells = scores.map((score) => (score === undefined ? "-" : percent(score)));
    return [[`${titleOf(report)}, here (${report.protocol})`, ...cells]];
  });
  return [
    'Published scores × 100 (PEARL paper and repository): protocol "published", full test sets.',
    `${partsNote} Without --protocol published, the rules differ too.`,
    "",
    alignColumns([["model", ...tasks], ["", ...metrics], ...body, ...ours], (column) => column >= 1),
  ].join("\n");
}

/** A row of the score table: a task's data and metric, with the score of each model. */
interface ScoreRow {
  /** Task, data, metric and n, as the heading names them. */
  readonly cells: readonly string[];
  readonly scores: (ShownScore | undefined)[];
}

/** The score table, with deviations over seeds. @param everySet include the single sets of a task whose mean is reported */
export function scoreRows(reports: readonly ModelReport[], everySet: boolean) {
  const rows = new Map<string, ScoreRow>();
  reports.forEach(({ results }, model) => {
    const withMean = new Set(results.filter(isMean).map(({ task }) => task));
    for (const result of results) {
      if (!everySet && !isMean(result) && withMean.has(result.task)) continue;
      const { task, dataset, metric, n, score } = result;
      const key = [task, dataset, metric].join("\t");
      const cells = [task, dataset, metric, n.toLocaleString("en-US")];
      const row = rows.get(key) ?? { cells, scores: reports.map(() => undefined) };
      rows.set(key, row);
      row.scores[model] = { score, deviation: result.deviation };
    }
  });
  return { heading: ["task", "data", "metric", "n", ...reports.map(titleOf)], rows: [...rows.values()] };
}

/** What was skipped and why, then notes on the scores; each line once. */
export function remarks(reports: readonly ModelReport[]): string[] {
  const skipped = reports.flatMap((report) => report.skipped.map(({ reason }) => `not measured: ${reason}`));
  return [...new Set([...skipped, ...reports.flatMap(({ notes }) => notes)])];
}

/**
 * The reports as JSON text: one report as an object; several as a list, in the order of the models. A floor that
 * was added to a single model's report is its property `floor`.
 */
export function reportsAsJson(reports: readonly ModelReport[]): string {
  const asked = reports.filter((report) => !report.floor);
  const floor = reports.find((report) => report.floor);
  const content = asked.length === 1 ? { ...asked[0], ...(floor && { floor }) } : reports;
  return `${JSON.stringify(content, null, 2)}\n`;
}

/** Empty if the task was not run. */
function erTable(reports: readonly ModelReport[]): string {
  const models = reports
    .map((report) => ({ title: titleOf(report), sets: setsOf(report.results) }))
    .filter(({ sets }) => sets.size > 0);
  if (models.length === 0) return "";
  const names = [...new Set(models.flatMap(({ sets }) => [...sets.keys()]))];
  const promising = models.map(({ sets }) =>
    [...sets.values()].some(([{ details }]) => details.estimate !== undefined),
  );
  const heads = promising.map((isPromising) => [
    ...["P", "R", "F1", ...(isPromising ? ["estimate", "established"] : []), "seconds"],
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

const setsOf = (results: readonly BenchmarkResult[]): Map<string, BenchmarkResult[]> =>
  groupBy(
    results.filter((result) => result.task === "er" && !isMean(result)),
    ({ dataset }) => dataset,
  );

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
