/** Formats benchmark reports as an HTML page: scores, published scores, AutoFJ's sets as bars, the worst misses. */
import { groupBy } from "../by-key.js";
import { escapeText, htmlPage, light } from "../plot/theme.js";
import { leadOf } from "./rank.js";
import {
  isMean,
  partsNote,
  percent,
  publishedMetrics,
  publishedScores,
  remarks,
  scoreRows,
  scoreText,
  seedsText,
  titleOf,
  wholeScore,
} from "./report.js";
import type { BenchmarkMiss, ModelReport } from "./runner.js";

const missesShown = 12;
const missesOfSet = 2;

/** The page, self-contained. Scores are shown × 100. */
export function reportsAsPage(reports: readonly ModelReport[]): string {
  const [first] = reports;
  const body = [
    `<h1>pearl bench</h1>
<p class="note">pearl ${escapeText(first.pearl)}, protocol ${first.protocol}, ${seedsText(first)}. Scores × 100.</p>`,
    scoreSection(reports),
    publishedSection(reports),
    setsSection(reports),
    missSection(reports),
    remarkSection(reports),
  ];
  return htmlPage({
    title: `pearl bench: ${reports.map(titleOf).join(", ")}`,
    style: pageStyle,
    body: body.filter((part) => part !== "").join("\n"),
  });
}

/** Tasks × models. Single sets of a task with a mean are shown as bars instead. */
function scoreSection(reports: readonly ModelReport[]): string {
  const { heading, rows } = scoreRows(reports, false);
  if (rows.length === 0) return "";
  const body = rows.map(({ cells: [task, dataset, metric, n], scores }) => {
    const known = scores.flatMap((shown) => shown?.score ?? []);
    const best = known.length > 1 ? Math.max(...known) : undefined;
    const cells = scores.map((shown) => {
      const text = scoreText(shown) ?? "–";
      return numberCell(shown && shown.score === best ? `<strong>${text}</strong>` : text);
    });
    return tableRow(task, textCells([dataset, metric]) + numberCell(n) + cells.join(""));
  });
  return `<h2>Scores</h2>\n${table(heading, body, 3)}`;
}

function publishedSection(reports: readonly ModelReport[]): string {
  const { tasks, rows } = publishedScores(reports.flatMap(({ results }) => results));
  if (tasks.length === 0) return "";
  const modelRow = (model: string, scoreOf: (task: string) => number | undefined, style = ""): string =>
    tableRow(model, tasks.map((task) => numberCell(scoreOf(task)?.toFixed(1) ?? "–")).join(""), style);
  const body = [
    ...rows.map(({ model, scores }) => modelRow(model, (task) => scores[task])),
    ...reports.map((report) =>
      modelRow(`${titleOf(report)}, here`, (task) => times100(wholeScore(report, task)), "ours"),
    ),
  ];
  const warning =
    reports[0].protocol === "published"
      ? "Ours use the same protocol."
      : "Ours use the fair protocol: the published scores show the order of magnitude and are not directly comparable.";
  const heading = ["model", ...tasks.map((task) => `${task}, ${publishedMetrics[task]}`)];
  return `<h2>Beside published scores</h2>
<p class="note">Published: PEARL paper and repository, protocol “published”, full test sets. ${warning} ${partsNote}</p>
${table(heading, body, 1)}`;
}

const times100 = (score: number | undefined): number | undefined => score && 100 * score;

/** AutoFJ set by set, the weakest sets of the first model first; a bar in each cell. */
function setsSection(reports: readonly ModelReport[]): string {
  const sets = scoreRows(reports, true)
    .rows.map(({ cells: [task, dataset, metric], scores }) => ({ task, dataset, metric, scores }))
    .filter((row) => row.task === "autofj" && row.metric === "accuracy" && !isMean(row))
    .sort((left, right) => (left.scores[0]?.score ?? 0) - (right.scores[0]?.score ?? 0));
  if (sets.length === 0) return "";
  const body = sets.map(({ dataset, scores }) => {
    const cells = scores.map((shown, model) => {
      if (shown === undefined) return numberCell("–");
      const bar = `<i class="bar c${model % light.categories.length}" style="width:${percent(shown.score)}px"></i>`;
      return numberCell(`${bar} ${scoreText(shown)}`);
    });
    return tableRow(dataset, cells.join(""));
  });
  return `<h2>AutoFJ, set by set</h2>
<p class="note">Accuracy of the best left title, weakest sets first.</p>
${table(["set", ...reports.map(titleOf)], body, 1)}`;
}

function missSection(reports: readonly ModelReport[]): string {
  const parts = reports
    .filter(({ floor }) => !floor)
    .flatMap((report) => {
      const tasks = [...new Set(report.misses.map(({ task }) => task))];
      return tasks.map((task) => missTable(report, task, reports.length > 1));
    });
  if (parts.length === 0) return "";
  return `<h2>Worst misses</h2>
<p class="note">Wrong answers with the largest lead over the right one, at most ${missesOfSet} per set.</p>
${parts.join("\n")}`;
}

function missTable(report: ModelReport, task: string, naming: boolean): string {
  const shown = worstOf(report.misses.filter((miss) => miss.task === task));
  const score = (value: number | null): string => (value === null ? "–" : value.toFixed(3));
  const rows = shown.map(
    (miss) =>
      `<tr>${textCells([miss.dataset, miss.query, miss.chosen])}${numberCell(score(miss.chosenScore))}${textCells([miss.expected])}${numberCell(score(miss.expectedScore))}</tr>`,
  );
  const heading = ["set", "query", "chosen", "similarity", "right", "similarity"];
  const title = naming ? `${task}: ${titleOf(report)}` : task;
  return `<h3>${escapeText(title)}</h3>\n${table(heading, rows, 99)}`;
}

/** The worst misses of a task, which lists those of each set worst first; a task of one set shows all. */
function worstOf(misses: readonly BenchmarkMiss[]): BenchmarkMiss[] {
  const sets = [...groupBy(misses, ({ dataset }) => dataset).values()];
  const shown = sets.length > 1 ? sets.flatMap((set) => set.slice(0, missesOfSet)) : misses;
  return shown.toSorted((left, right) => leadOf(right) - leadOf(left)).slice(0, missesShown);
}

function remarkSection(reports: readonly ModelReport[]): string {
  const models = reports.map(({ model, fingerprint }) => `${model}: fingerprint ${fingerprint}`);
  const items = [...remarks(reports), ...models].map((line) => `<li>${escapeText(line)}</li>`);
  return `<h2>Remarks</h2>\n<ul>\n${items.join("\n")}\n</ul>`;
}

/** A table that scrolls in narrow windows; headings from column `firstNumber` are aligned right. */
function table(heading: readonly string[], rows: readonly string[], firstNumber: number): string {
  const heads = heading.map(
    (text, column) => `<th scope="col"${column >= firstNumber ? ' class="n"' : ""}>${escapeText(text)}</th>`,
  );
  return `<div class="wide"><table>\n<thead><tr>${heads.join("")}</tr></thead>\n<tbody>\n${rows.join("\n")}\n</tbody>\n</table></div>`;
}

const tableRow = (head: string, cells: string, style = ""): string =>
  `<tr${style && ` class="${style}"`}><th scope="row">${escapeText(head)}</th>${cells}</tr>`;
const textCells = (texts: readonly string[]): string =>
  texts.map((text) => `<td>${escapeText(text)}</td>`).join("");
const numberCell = (text: string): string => `<td class="n">${text}</td>`;

const pageStyle = `h3{font-size:1rem;margin:1.25rem 0 .25rem}
.wide{overflow-x:auto}
table{border-collapse:collapse;font-size:.9rem}
th,td{padding:.25rem .6rem;text-align:left;vertical-align:top;border-bottom:1px solid var(--line);font-weight:400}
thead th{color:var(--muted)}
td.n,th.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
tr.ours{background:var(--panel)}
.bar{display:inline-block;height:.7em}
${light.categories.map((_, index) => `.c${index}{background:var(--c${index})}`).join("")}`;
