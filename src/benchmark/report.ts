/** Formats benchmark reports as text: our scores as tables of tasks × models, entity resolution apart, then the published scores. */

import { groupBy } from "../by-key.js";
import { alignColumns } from "../files/text-table.js";
import type { BenchmarkResult, ModelReport } from "./runner.js";
import type { Task } from "./task.js";
import type { ErDetails } from "./tasks/er.js";
import { selectTasks } from "./tasks/index.js";

/** How scores and models are shown in every kind of report, and the scores that were published for the nine PEARL sets. */
export const isMean = ({ dataset }: Pick<BenchmarkResult, "dataset">): boolean =>
  dataset.startsWith("macro mean");

export const titleOf = ({ model, floor }: ModelReport): string => (floor ? `${model} (floor)` : model);

/** A score as a fraction, and its standard deviation over seeds. */
interface ShownScore {
  readonly score: number;
  readonly deviation?: number;
}

/** "65.2", or with several seeds "65.2 ± 0.3". */
export const scoreText = (shown: ShownScore | undefined): string | undefined =>
  shown && `${percent(shown.score)}${shown.deviation === undefined ? "" : ` ± ${percent(shown.deviation)}`}`;

export const seedsText = ({ seed, seeds = 1 }: ModelReport): string =>
  seeds === 1 ? `seed ${seed}` : `${seeds} seeds from ${seed} on, mean ± standard deviation`;

/** A fraction × 100 with one digit. */
export const percent = (score: number): string => (score * 100).toFixed(1);

/** The scores that were published for the nine PEARL sets: protocol "published", full test sets, × 100. */
type PublishedRow = { model: string; scores: Readonly<Partial<Record<string, number>>> };

const columns = ["ppdb", "ppdb-filtered", "turney", "bird", "yago", "umls", "conll", "bc5cdr", "autofj"];

const row = (model: string, ...scores: readonly number[]): PublishedRow => ({
  model,
  scores: Object.fromEntries(columns.map((column, index) => [column, scores[index]])),
});

/** Chen, Varoquaux and Suchanek, "Learning High-Quality and General-Purpose Phrase Representations" (PEARL), 2024, and its repository. */
export const publishedRows: readonly PublishedRow[] = [
  { model: "n-gram Jaccard", scores: { autofj: 64.7 } },
  row("GloVe", 95.5, 50.6, 31.5, 53.1, 20.9, 18.8, 21.2, 7.8, 50.6),
  row("FastText", 94.4, 61.2, 59.6, 58.9, 16.9, 14.5, 3.0, 0.2, 53.6),
  row("Sentence-BERT", 94.6, 66.8, 50.4, 62.6, 21.6, 23.6, 25.5, 48.4, 57.2),
  row("Phrase-BERT", 96.8, 68.7, 57.2, 68.8, 23.7, 26.1, 35.4, 59.5, 66.9),
  row("E5-small", 96.0, 56.8, 55.9, 63.1, 43.3, 42.0, 27.6, 53.7, 74.8),
  row("E5-base", 95.4, 65.6, 59.4, 66.3, 47.3, 44.0, 32.0, 69.3, 76.1),
  row("PEARL-small, with LOVE (repository)", 97.5, 68.8, 56.2, 69.8, 48.1, 43.5, 48.3, 62.4, 74.7),
  row("PEARL-small (paper)", 97.2, 69.2, 56.1, 69.7, 48.1, 43.4, 48.7, 61.0, 74.6),
  row("PEARL-small (model card)", 97.0, 70.2, 57.9, 68.1, 48.1, 44.5, 42.4, 59.3, 75.2),
  row("PEARL-base (repository)", 97.3, 72.2, 59.7, 72.6, 50.7, 45.8, 39.3, 69.4, 77.1),
];

export const publishedMetrics: Readonly<Record<string, string>> = {
  ppdb: "probe acc.",
  "ppdb-filtered": "probe acc.",
  turney: "acc.",
  bird: "pearson",
  yago: "acc., IVFPQ",
  umls: "acc., IVFPQ",
  conll: "nmi",
  bc5cdr: "nmi",
  autofj: "acc., 50 sets",
};

/** What tells a whole test set from a part of it, such as a development half: rows, sets, or the name of the test file. */
const isWhole: Readonly<Record<string, (result: BenchmarkResult) => boolean>> = {
  ppdb: ({ n }) => n > 23_300,
  "ppdb-filtered": ({ n }) => n > 15_400,
  turney: ({ n }) => n > 2_100,
  bird: ({ n }) => n > 3_300,
  yago: ({ n, details }) => n >= 10_000 && Number(details.names) > 570_000,
  umls: ({ n, details }) => n >= 10_000 && Number(details.names) > 740_000,
  conll: ({ dataset }) => dataset.endsWith("test.json"),
  bc5cdr: ({ dataset }) => dataset.endsWith("test.json"),
  autofj: ({ dataset }) => dataset === "macro mean of 50 sets",
};

/** The result of a task by a metric: of several sets, their mean. */
export function mainResult(
  { results }: Pick<ModelReport, "results">,
  { name, metric }: Pick<Task, "name" | "metric">,
): BenchmarkResult | undefined {
  const own = results.filter((result) => result.task === name && result.metric === metric);
  return own.find(isMean) ?? own[0];
}

/** The score of a task by its metric, a fraction; undefined where only a part of its set was measured. */
export function wholeScore(report: Pick<ModelReport, "results">, task: string): number | undefined {
  const head = mainResult(report, selectTasks([task])[0]);
  return head && isWhole[task](head) ? head.score : undefined;
}

export const partsNote =
  "Scores of parts of a set, such as the development halves, are not shown beside these.";

/** The tasks of these results that have published scores, and the rows with a score of one of them. */
export function publishedScores(results: readonly { readonly task: string }[]) {
  const tasks = columns.filter((column) => results.some(({ task }) => task === column));
  const rows = publishedRows.filter(({ scores }) => tasks.some((task) => scores[task] !== undefined));
  return { tasks, rows };
}

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
