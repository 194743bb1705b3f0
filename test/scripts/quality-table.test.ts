/** The quality table of docs/judge.md is what `npm run quality-table` wrote from the recorded reports. */
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import type { ModelReport } from "../../src/benchmark/runner.js";

const script = new URL("../../scripts/quality-table.mjs", import.meta.url).href;
const { pageWith, recorded } = (await import(script)) as {
  pageWith: (reports: readonly ModelReport[]) => string;
  recorded: string;
};
const page = (): string => readFileSync("docs/judge.md", "utf8");
const reports = (): ModelReport[] => JSON.parse(readFileSync(recorded, "utf8"));

/** The paragraph and the rows of cells after the marker. */
function shownIn(text: string) {
  const [conditions, table] = text.split("<!-- npm run quality-table -->\n")[1].split("\n\n");
  const rows = table.split("\n").map((line) => line.split("|").map((cell) => cell.trim()));
  return { conditions, header: rows[0], rows: rows.slice(2) };
}

const metrics = [
  ["PPDB, AUC", "ppdb", "auc"],
  ["Turney", "turney", "accuracy"],
  ["BIRD, Pearson", "bird", "pearson"],
  ["AutoFJ", "autofj", "accuracy"],
  ["strings", "strings", "precision@1, 1 edit"],
];

it("has the recorded figures, and names protocol, half and seeds", () => {
  const { conditions, header, rows } = shownIn(page());
  const [{ protocol, seed, seeds }] = reports();
  expect(conditions).toContain(`${protocol} protocol`);
  expect(conditions).toContain("development half");
  expect(conditions).toContain(seeds === undefined ? `seed ${seed}` : `${seeds} seeds from ${seed}`);
  for (const name of ["pearl-mini", "pearl-small", "tfidf"])
    for (const [title, task, metric] of metrics) {
      const own = reports().find(({ model }) => model === name)?.results ?? [];
      // of AutoFJ, the mean over its sets comes first
      const score = own.find((result) => result.task === task && result.metric === metric)?.score;
      const row = rows.find(([, label]) => label.replaceAll(/[*`]/g, "").split(/[ ,]/)[0] === name)!;
      const [shown] = row[header.indexOf(title)].split(" ");
      expect(shown, `${name}, ${title}`).toBe(score === undefined ? "–" : (100 * score).toFixed(1));
    }
});

it("is on the page as the command writes it", () => {
  expect(page()).toBe(pageWith(reports()));
});

it("changes with the reports, and shows deviations over seeds", () => {
  const changed = reports().map((report) => ({
    ...report,
    seeds: 3,
    results: report.results.map((result) => ({ ...result, score: 0.123, deviation: 0.004 })),
  }));
  const { conditions, rows } = shownIn(pageWith(changed));
  expect(conditions).toContain("3 seeds from 0");
  for (const row of rows) for (const cell of row.slice(2, -1)) expect(cell).toMatch(/^(12\.3 ± 0\.4|–)$/);
});

it("names a model without a report", () => {
  expect(() => pageWith(reports().filter(({ model }) => model !== "jaccard"))).toThrow(
    /quality\.json has no report of jaccard/,
  );
});
