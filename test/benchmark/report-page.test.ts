/** The page of a benchmark run: what was measured, what was missed and why, in one file. */
import { beforeAll, describe, expect, it } from "vitest";
import { worstMisses } from "../../src/benchmark/rank.js";
import { reportsAsPage } from "../../src/benchmark/report-page.js";
import { type ModelReport, runBenchmark } from "../../src/benchmark/runner.js";
import { letterModel, writeData } from "./small-data.js";

const dataFolder = writeData();
let reports: ModelReport[];
beforeAll(async () => {
  reports = await runBenchmark({ tasks: ["all"], models: [letterModel], dataFolder });
});

describe("the misses of a run", () => {
  it("are the wrong answers, with their similarities", () => {
    const [report] = reports;
    // By letters "apples" matches "apple"; the right answer is "pear".
    const fruit = report.misses.find(({ dataset }) => dataset === "Fruits");
    expect(fruit).toMatchObject({ task: "autofj", query: "apples", expected: "pear", chosen: "apple" });
    expect(fruit?.chosenScore).toBeCloseTo(Math.sqrt(7 / 8), 5);
    expect(fruit?.expectedScore).toBeCloseTo(4 / Math.sqrt(4 * 8), 5);
    for (const { task, chosen, expected } of report.misses) {
      expect(chosen, task).not.toBe(expected);
      expect(["autofj", "turney", "yago", "umls", "strings"]).toContain(task);
    }
    const accuracy = report.results.find(({ dataset }) => dataset === "Cities");
    expect(report.misses.filter(({ dataset }) => dataset === "Cities")).toHaveLength(
      Math.round(3 * (1 - (accuracy?.score ?? 0))),
    );
  });

  it("come worst first, five of a set, those without a right candidate last", () => {
    const rows = Array.from({ length: 9 }, (_, row) => ({
      chosenScore: 0.5 + row / 20,
      expectedScore: row === 8 ? Number.NaN : 0.4,
      credit: row === 7 ? 1 : 0,
      query: `q${row}`,
      expected: "right",
      chosen: "wrong",
    }));
    expect(worstMisses(rows).map(({ query }) => query)).toEqual(["q6", "q5", "q4", "q3", "q2"]);
    expect(worstMisses(rows.slice(6)).map(({ query, expectedScore }) => [query, expectedScore])).toEqual([
      ["q6", 0.4],
      ["q8", null],
    ]);
  });
});

describe("the page", () => {
  it("shows scores, published ones, a bar for each set and model, and the misses; it fetches nothing", () => {
    const page = reportsAsPage(reports);
    expect(page).toMatch(/^<!doctype html>/);
    expect(page).not.toMatch(/https?:\/\/|@import|url\(|src=/);
    expect(page).toContain("prefers-color-scheme:dark");
    expect([...page.matchAll(/<i class="bar c\d"/g)]).toHaveLength(4);
    const cities = reports[0].results.find(({ dataset }) => dataset === "Cities");
    const shown = ((cities?.score ?? 0) * 100).toFixed(1);
    expect(page).toMatch(new RegExp(`Cities</th><td class="n"><i [^>]*width:${shown}px"></i> ${shown}</td>`));
    expect(page).toContain("<td>apples</td><td>apple</td>");
    expect(page).toContain("PEARL-base (repository)");
    expect(page).toContain("not directly comparable");
    expect(page).toContain("tfidf (floor)");
  });

  it("escapes markup", () => {
    const page = reportsAsPage([{ ...reports[0], model: "<b>", notes: ["a < b & c"] }]);
    expect(page).not.toContain("<b>");
    expect(page).toContain("a &lt; b &amp; c");
  });
});
