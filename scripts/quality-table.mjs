/**
 * Measures the models of the quality table and writes it into README.md and docs/judge.md.
 *
 *     npm run build && npm run quality-table [-- --data ../shared/data/bench] [--recorded]
 *
 * `pearl bench` runs with the settings below; its reports go to benchmarks/results/quality.json. With
 * --recorded, nothing is measured: the tables are written from that file. The recorded run took 15 minutes on
 * two busy cores.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { mainResult, percent, scoreText, seedsText } from "../dist/benchmark/report.js";
import { writeWhole } from "./training-tables.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
export const recorded = join(root, "benchmarks/results/quality.json");

const settings = ["--protocol", "fair", "--seed", "0", "--seeds", "3"];
/** What ../shared/data/bench holds. */
const half = "on the development half of each set";

/** Rows of the table: models, or their first dimensions. `briefly`: also in README. */
const models = [
  { name: "pearl-mini", label: "**pearl-mini** (the default)", briefly: true },
  { name: "pearl-mini", dimensions: 128, label: "its first 128 dimensions" },
  { name: "pearl-small", label: "**pearl-small**", briefly: true },
  { name: "tfidf", label: "`tfidf`, fitted on the tables at hand", briefly: true },
  { name: "tfidf-words", label: "`tfidf-words`" },
  { name: "jaccard", label: "`jaccard`" },
];

/** Columns of the table, with the metrics of `pearl bench`; `briefly`: also in README. */
const columns = [
  { title: "PPDB, probe", task: "ppdb", metric: "probe accuracy" },
  { title: "PPDB, AUC", task: "ppdb", metric: "auc", briefly: true },
  { title: "PPDB-filtered, probe", task: "ppdb-filtered", metric: "probe accuracy" },
  { title: "PPDB-filtered, AUC", task: "ppdb-filtered", metric: "auc", briefly: true },
  { title: "Turney", task: "turney", metric: "accuracy", briefly: true },
  { title: "BIRD, Pearson", task: "bird", metric: "pearson", briefly: true },
  { title: "YAGO", task: "yago", metric: "accuracy", briefly: true },
  { title: "CoNLL, NMI", task: "conll", metric: "nmi", briefly: true },
  { title: "BC5CDR, NMI", task: "bc5cdr", metric: "nmi", briefly: true },
  { title: "AutoFJ", task: "autofj", metric: "accuracy", briefly: true },
  { title: "strings", task: "strings", metric: "precision@1, 1 edit", briefly: true },
  { title: "misspelt words", task: "misspellings", metric: "precision@1", briefly: true },
];

/** @typedef {import("../dist/benchmark/runner.js").ModelReport} ModelReport */

const pages = [
  { path: "README.md", briefly: true },
  { path: "docs/judge.md", briefly: false },
];
const marker = "<!-- npm run quality-table -->\n";

/**
 * Returns the pages with the tables of these reports, by path.
 * @param {readonly ModelReport[]} reports
 */
export function pagesWith(reports) {
  return pages.map(({ path, briefly }) => {
    const [before, after] = readFileSync(join(root, path), "utf8").split(marker);
    if (after === undefined) throw new Error(`${path} has no line ${marker.trim()}`);
    // the table ends at the first empty line after a row
    const rest = after.slice(after.indexOf("|\n\n") + 1);
    return { path, text: `${before}${marker}${tableOf(reports, briefly)}${rest}` };
  });
}

/** @param {readonly ModelReport[]} reports @param {boolean} briefly */
function tableOf(reports, briefly) {
  const shown = columns.filter((column) => !briefly || column.briefly);
  const rows = models
    .filter((model) => !briefly || model.briefly)
    .map(({ label, ...row }) => {
      const report = reports.find(({ model }) => isOf(row, model));
      if (report === undefined) throw new Error(`${recorded} has no report of ${row.name}`);
      return [label, ...shown.map((column) => cellOf(report, column))];
    });
  const lines = [["", ...shown.map(({ title }) => title)], shown.concat(shown[0]).map(() => "---"), ...rows];
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
  const { values } = parseArgs({
    options: {
      data: { type: "string", default: join(root, "../shared/data/bench") },
      recorded: { type: "boolean", default: false },
    },
  });
  if (!values.recorded) writeWhole(recorded, `${JSON.stringify(measure(resolve(values.data)), null, 2)}\n`);
  for (const { path, text } of pagesWith(JSON.parse(readFileSync(recorded, "utf8"))))
    writeWhole(join(root, path), text);
}
