/** Formats benchmark reports as text: our scores as a table of tasks × models, then the published scores. */
import { alignColumns } from "../files/text-table.js";
import { publishedMetrics, publishedRows } from "./published.js";
import { isMean, percent, reportRows, titleOf } from "./report-rows.js";
import type { ModelReport } from "./runner.js";
import { taskNames } from "./tasks/index.js";

/** Options of the text. */
export interface ReportOptions {
  /** Print each set of AutoFJ too. Default: only their means. */
  readonly everySet?: boolean;
}

/**
 * The whole text: our scores, what was skipped and why, remarks, then the published numbers of the same tasks.
 * Scores are printed × 100.
 */
export function formatReports(reports: readonly ModelReport[], options: ReportOptions = {}): string {
  const [{ pearl, protocol, seed }] = reports;
  const blocks = [
    `pearl ${pearl}, protocol ${protocol}, seed ${seed}. Scores × 100.`,
    scoreTable(reports, options),
    ...remarks(reports),
    publishedBlock(reports),
  ];
  return blocks.filter((block) => block !== "").join("\n\n");
}

function scoreTable(reports: readonly ModelReport[], options: ReportOptions): string {
  const rows = reportRows(reports, options);
  if (rows.length === 0) return "";
  const heading = ["task", "data", "metric", "n", ...reports.map(titleOf)];
  const body = rows.map(({ result, scores }) => [
    result.task,
    result.dataset,
    result.metric,
    result.n.toLocaleString("en-US"),
    ...reports.map(({ model }) => scoreCell(scores.get(model))),
  ]);
  const seconds = reports.map(({ results }) => {
    const spent = new Map(results.map((result) => [`${result.task} ${result.seconds}`, result]));
    const counted = [...spent.values()].filter((result) => !isMean(result));
    return counted.reduce((sum, result) => sum + result.seconds, 0).toFixed(1);
  });
  return alignColumns([heading, ...body, ["seconds", "", "", "", ...seconds]], (column) => column >= 3);
}

const scoreCell = (score: number | undefined): string => (score === undefined ? "-" : percent(score));

/** What was skipped and why, and notes on the scores; each line once. */
function remarks(reports: readonly ModelReport[]): string[] {
  const skipped = new Set(reports.flatMap((report) => report.skipped.map(({ reason }) => reason)));
  const notes = new Set(reports.flatMap((report) => report.notes));
  const lines = [...[...skipped].map((reason) => `not measured: ${reason}`), ...notes];
  return lines.length > 0 ? [lines.join("\n")] : [];
}

/** The published scores of the tasks that were run. Never in one table with ours. */
function publishedBlock(reports: readonly ModelReport[]): string {
  const run = new Set(
    reports.flatMap(({ results, skipped }) => [...results, ...skipped].map(({ task }) => task)),
  );
  const tasks = taskNames.filter((task) => run.has(task) && publishedMetrics[task]);
  if (tasks.length === 0) return "";
  const heading = ["model", ...tasks];
  const metrics = ["", ...tasks.map((task) => publishedMetrics[task])];
  const body = publishedRows.map(({ model, scores }) => [
    model,
    ...tasks.map((task) => scores[task]?.toFixed(1) ?? "-"),
  ]);
  const shown = body.filter((cells) => cells.slice(1).some((cell) => cell !== "-"));
  return [
    'Published scores × 100 (PEARL paper and repository): protocol "published", full test sets.',
    "Not directly comparable with the scores above: other data and, without --protocol published, other rules.",
    "",
    alignColumns([heading, metrics, ...shown], (column) => column >= 1),
  ].join("\n");
}

/**
 * The reports as JSON text: one report as an object; several as a list, in the order of the models. A floor that
 * was added to a single model's report is its property `floor`.
 */
export function reportsAsJson(reports: readonly ModelReport[]): string {
  const asked = reports.filter((report) => !report.floor);
  const floor = reports.find((report) => report.floor);
  const content =
    asked.length === 1 ? { ...asked[0], ...(floor && { floor }) } : [...asked, ...(floor ? [floor] : [])];
  return `${JSON.stringify(content, null, 2)}\n`;
}
