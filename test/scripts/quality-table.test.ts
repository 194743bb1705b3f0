/** The README's quality table is what `npm run quality-table` wrote from the recorded reports. */
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import type { ModelReport } from "../../src/benchmark/runner.js";

const script = new URL("../../scripts/quality-table.mjs", import.meta.url).href;
const { pagesWith, recorded } = (await import(script)) as {
  pagesWith: (reports: readonly ModelReport[]) => { path: string; text: string }[];
  recorded: string;
};
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
  const { conditions, header, rows } = shownIn(readFileSync("README.md", "utf8"));
  const [{ protocol, seed, seeds }] = reports();
  expect(conditions).toContain(`${protocol} protocol`);
  expect(conditions).toContain("development half");
  expect(conditions).toContain(seeds === undefined ? `seed ${seed}` : `${seeds} seeds from ${seed}`);
  for (const [place, name] of ["pearl-mini", "pearl-small", "tfidf"].entries())
    for (const [title, task, metric] of metrics) {
      const own = reports().find(({ model }) => model === name)?.results ?? [];
      // of AutoFJ, the mean over its sets comes first
      const score = own.find((result) => result.task === task && result.metric === metric)?.score;
      const [shown] = rows[place][header.indexOf(title)].split(" ");
      expect(shown, `${name}, ${title}`).toBe(score === undefined ? "–" : (100 * score).toFixed(1));
    }
});

it("is on each page as the command writes it", () => {
  for (const { path, text } of pagesWith(reports())) expect(readFileSync(path, "utf8"), path).toBe(text);
});

it("changes with the reports, and shows deviations over seeds", () => {
  const changed = reports().map((report) => ({
    ...report,
    seeds: 3,
    results: report.results.map((result) => ({ ...result, score: 0.123, deviation: 0.004 })),
  }));
  for (const { text } of pagesWith(changed)) {
    const { conditions, rows } = shownIn(text);
    expect(conditions).toContain("3 seeds from 0");
    for (const row of rows) for (const cell of row.slice(2, -1)) expect(cell).toMatch(/^(12\.3 ± 0\.4|–)$/);
  }
});

it("names a model without a report", () => {
  expect(() => pagesWith(reports().filter(({ model }) => model !== "jaccard"))).toThrow(
    /quality\.json has no report of jaccard/,
  );
});
