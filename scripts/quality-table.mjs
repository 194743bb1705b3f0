/**
 * Measures the models of the quality table and writes it into docs/judge.md.
 *
 *     npm run build && npm run quality-table [-- --data ../shared/data/bench] [--recorded]
 *
 * `pearl bench` runs with the settings below; its reports go to benchmarks/results/quality.json. With
 * --recorded, nothing is measured: the table is written from that file. The recorded run took 15 minutes on
 * two busy cores.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { mainResult, percent, scoreText, seedsText } from "../dist/benchmark/report.js";
import { readOptions, root } from "./options.mjs";
import { writeWhole } from "./training-tables.mjs";

export const recorded = join(root, "benchmarks/results/quality.json");

const settings = ["--protocol", "fair", "--seed", "0", "--seeds", "3"];
/** What ../shared/data/bench holds. */
const half = "on the development half of each set";

/** Rows of the table: models, or their first dimensions. */
const models = [
  { name: "pearl-mini", label: "**pearl-mini** (the default)" },
  { name: "pearl-mini", dimensions: 128, label: "its first 128 dimensions" },
  { name: "pearl-small", label: "**pearl-small**" },
  { name: "tfidf", label: "`tfidf`, fitted on the tables at hand" },
  { name: "tfidf-words", label: "`tfidf-words`" },
  { name: "jaccard", label: "`jaccard`" },
];

/** Columns of the table, with the metrics of `pearl bench`. */
const columns = [
  { title: "PPDB, probe", task: "ppdb", metric: "probe accuracy" },
  { title: "PPDB, AUC", task: "ppdb", metric: "auc" },
  { title: "PPDB-filtered, probe", task: "ppdb-filtered", metric: "probe accuracy" },
  { title: "PPDB-filtered, AUC", task: "ppdb-filtered", metric: "auc" },
  { title: "Turney", task: "turney", metric: "accuracy" },
  { title: "BIRD, Pearson", task: "bird", metric: "pearson" },
  { title: "YAGO", task: "yago", metric: "accuracy" },
  { title: "CoNLL, NMI", task: "conll", metric: "nmi" },
  { title: "BC5CDR, NMI", task: "bc5cdr", metric: "nmi" },
  { title: "AutoFJ", task: "autofj", metric: "accuracy" },
  { title: "strings", task: "strings", metric: "precision@1, 1 edit" },
  { title: "misspelt words", task: "misspellings", metric: "precision@1" },
];

/** @typedef {import("../dist/benchmark/runner.js").ModelReport} ModelReport */

const page = join(root, "docs/judge.md");
const marker = "<!-- npm run quality-table -->\n";

/**
 * Returns the page with the table of these reports.
 * @param {readonly ModelReport[]} reports
 */
export function pageWith(reports) {
  const [before, after] = readFileSync(page, "utf8").split(marker);
  if (after === undefined) throw new Error(`${page} has no line ${marker.trim()}`);
  // the table ends at the first empty line after a row
  const rest = after.slice(after.indexOf("|\n\n") + 1);
  return `${before}${marker}${tableOf(reports)}${rest}`;
}

/** @param {readonly ModelReport[]} reports */
function tableOf(reports) {
  const rows = models.map(({ label, ...row }) => {
    const report = reports.find(({ model }) => isOf(row, model));
    if (report === undefined) throw new Error(`${recorded} has no report of ${row.name}`);
    return [label, ...columns.map((column) => cellOf(report, column))];
  });
  const lines = [
    ["", ...columns.map(({ title }) => title)],
    columns.concat(columns[0]).map(() => "---"),
    ...rows,
  ];
  const [{ protocol }] = reports;
  return `Scores × 100 under the ${protocol} protocol, ${seedsText(reports[0])}, ${half}:\n\n${lines
    .map((cells) => `|${cells.map((cell) => (cell === "" ? " " : ` ${cell} `)).join("|")}|`)
    .join("\n")}`;
}

/** @param {{ name: string, dimensions?: number }} row @param {string} model as a report names it */
const isOf = ({ name, dimensions }, model) =>
  dimensions === undefined ? model === name : model.startsWith(`${name} (first ${dimensions} of `);

/** @param {ModelReport} report @param {typeof columns[number]} column */
function cellOf(report, { task, metric }) {
  const found = mainResult(report, { name: task, metric });
  if (found === undefined) return "–";
  const { score, deviation = 0 } = found;
  return scoreText(percent(deviation) === "0.0" ? { score } : { score, deviation });
}

/** Measures all models. @param {string} data @returns {ModelReport[]} */
function measure(data) {
  const folder = mkdtempSync(join(tmpdir(), "pearl-quality-"));
  const tasks = [...new Set(columns.map(({ task }) => task))];
  const bench = (/** @type {readonly string[]} */ options) => {
    const json = join(folder, "scores.json");
    const common = ["bench", "--task", tasks.join(), "--data", data, ...settings, "--json", json];
    execFileSync(process.execPath, [join(root, "dist/cli/main.js"), ...common, ...options], {
      stdio: "inherit",
    });
    return [JSON.parse(readFileSync(json, "utf8"))].flat();
  };
  try {
    const whole = models.filter(({ dimensions }) => dimensions === undefined);
    const short = models.filter(({ dimensions }) => dimensions !== undefined);
    const reports = [
      ...bench(whole.flatMap(({ name }) => ["--model", name])),
      ...short.flatMap(({ name, dimensions }) =>
        bench(["--model", name, "--truncate-dim", String(dimensions)]),
      ),
    ];
    // the floor of a single model is measured on its own, and misses are for reading, not for a record
    return reports.map(({ floor: _, ...report }) => ({ ...report, misses: [] }));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = readOptions("data=bench recorded?");
  if (!values.recorded) writeWhole(recorded, `${JSON.stringify(measure(resolve(values.data)), null, 2)}\n`);
  writeWhole(page, pageWith(JSON.parse(readFileSync(recorded, "utf8"))));
}
