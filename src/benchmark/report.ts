/** Benchmark reports as plain text: our scores as a table of tasks × models, and the published ones in a block of their own. */
import { publishedMetrics, publishedRows } from "./published.js";
import type { BenchmarkResult, ModelReport } from "./runner.js";
import { taskNames } from "./tasks/index.js";

/** How much is printed. */
export interface ReportOptions {
  /** Also each of AutoFJ's sets. Default false: their means only. */
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

/** A row of the table: the same task, data and metric in all models. */
interface TableRow {
  readonly result: BenchmarkResult;
  readonly byModel: Map<string, BenchmarkResult>;
}

function scoreTable(reports: readonly ModelReport[], { everySet = false }: ReportOptions): string {
  const rows = new Map<string, TableRow>();
  for (const report of reports) {
    for (const result of report.results) {
      if (!everySet && isPartOfMean(result, report)) continue;
      const key = [result.task, result.dataset, result.metric].join("\t");
      const row = rows.get(key) ?? { result, byModel: new Map() };
      rows.set(key, row);
      row.byModel.set(report.model, result);
    }
  }
  if (rows.size === 0) return "";
  const heading = ["task", "data", "metric", "n", ...reports.map(columnTitle)];
  const body = [...rows.values()].map(({ result, byModel }) => [
    result.task,
    result.dataset,
    result.metric,
    result.n.toLocaleString("en-US"),
    ...reports.map(({ model }) => percent(byModel.get(model)?.score)),
  ]);
  const seconds = reports.map(({ results }) => {
    const spent = new Map(results.map((result) => [`${result.task} ${result.seconds}`, result]));
    const counted = [...spent.values()].filter((result) => !isMean(result));
    return counted.reduce((sum, result) => sum + result.seconds, 0).toFixed(1);
  });
  return alignColumns([heading, ...body, ["seconds", "", "", "", ...seconds]], 3);
}

const columnTitle = ({ model, floor }: ModelReport): string => (floor ? `${model} (floor)` : model);

const percent = (score: number | undefined): string => (score === undefined ? "-" : (score * 100).toFixed(1));

const isMean = ({ dataset }: BenchmarkResult): boolean => dataset.startsWith("macro mean");

/** True for a single set of a task whose mean is reported too. */
function isPartOfMean(result: BenchmarkResult, { results }: ModelReport): boolean {
  return !isMean(result) && results.some((other) => other.task === result.task && isMean(other));
}

/** What was skipped, with the reason, and what must be known of the scores; each line once. */
function remarks(reports: readonly ModelReport[]): string[] {
  const skipped = new Set(reports.flatMap((report) => report.skipped.map(({ reason }) => reason)));
  const notes = new Set(reports.flatMap((report) => report.notes));
  const lines = [...[...skipped].map((reason) => `not measured: ${reason}`), ...notes];
  return lines.length > 0 ? [lines.join("\n")] : [];
}

/** The published rows for the tasks that were run. Never in one table with ours. */
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
    "Other data and, unless --protocol published was given, other rules than above: not to be compared directly.",
    "",
    alignColumns([heading, metrics, ...shown], 1),
  ].join("\n");
}

/** Cells in columns two spaces apart; from column `firstRight` on they are aligned to the right. */
function alignColumns(rows: readonly (readonly string[])[], firstRight: number): string {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  return rows
    .map((row) =>
      row
        .map((cell, column) =>
          column < firstRight ? cell.padEnd(widths[column]) : cell.padStart(widths[column]),
        )
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
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
