/** Entity resolution: what is scored, and how it is shown, on tables that the test makes. */
import { describe, expect, it } from "vitest";
import { nearestRows } from "../../../src/benchmark/baselines/tfidf.js";
import { formatReports } from "../../../src/benchmark/report.js";
import { type ModelReport, runBenchmark } from "../../../src/benchmark/runner.js";
import { type Table, tableWithDuplicates, twoTables } from "../../match/people.js";
import { letterModel, writeData } from "../small-data.js";

function csv(table: Table): string {
  const names = Object.keys(table);
  const rows = table[names[0]].map((_, row) => names.map((name) => table[name][row]).join(","));
  return `${[names.join(","), ...rows].join("\n")}\n`;
}

const ids = (count: number, letter: string): string[] =>
  Array.from({ length: count }, (_, row) => `${letter}${row}`);

/** `common` persons in both tables; the gold lists the first `listed` of them. */
function joinSet(name: string, common: number, listed: number, gold: string) {
  const { left, right } = twoTables(common, 40);
  const pairs = { id_l: ids(listed, "a"), id_r: ids(listed, "b") };
  return {
    [`${name}/left.csv`]: csv({ id: ids(left.name.length, "a"), ...left }),
    [`${name}/right.csv`]: csv({ id: ids(right.name.length, "b"), ...right }),
    [`${name}/gt.csv`]: csv(pairs),
    [`${name}/about.json`]: JSON.stringify({ kind: "join", gold }),
  };
}

const { table, entities } = tableWithDuplicates(100);
const dedupeSet = {
  "people/table.csv": csv(table),
  "people/truth.csv": csv({ row: entities.map((_, row) => String(row + 1)), entity: entities.map(String) }),
  "people/about.json": JSON.stringify({ kind: "dedupe" }),
};

const scoresOf = ({ results }: ModelReport, dataset: string): Record<string, number> =>
  Object.fromEntries(
    results.filter((result) => result.dataset === dataset).map(({ metric, score }) => [metric, score]),
  );

const run = (files: Record<string, string>, models: (string | typeof letterModel)[], dataset?: string) =>
  runBenchmark({ tasks: ["er"], models, dataFolder: writeData(files), dataset });

describe("the floor", () => {
  it("takes connected rows as a group, and leaves ids out", () => {
    // a chain: each row is nearest to the next one
    const name = ["alpha beta", "beta gamma", "gamma delta delta", "omega"];
    const gold = new Set([0 * 4 + 1, 0 * 4 + 2, 1 * 4 + 2]);
    expect(nearestRows({ Id: ["1", "2", "3", "4"], name }, undefined, gold).sort()).toEqual([...gold].sort());
    expect(nearestRows({ Id: ["1", "2", "3", "4"] }, undefined, gold)).toEqual([]);
  });
});

describe("the task er", () => {
  it("scores joins and groups beside tfidf, and only the recall where the gold is incomplete", async () => {
    const files = {
      ...joinSet("er/part", 100, 50, "incomplete"),
      ...joinSet("er/persons", 100, 100, "whole"),
    };
    const people = Object.fromEntries(Object.entries(dedupeSet).map(([path, text]) => [`er/${path}`, text]));
    const reports = await run({ ...files, ...people }, ["pearl-strings"]);
    const [report, floor] = reports;
    for (const set of ["persons", "people"]) {
      const { precision, recall, f1 } = scoresOf(report, set);
      expect(precision).toBeGreaterThan(0.95);
      expect(recall).toBeGreaterThan(0.9);
      expect(f1).toBeCloseTo((2 * precision * recall) / (precision + recall), 12);
    }
    expect(Object.keys(scoresOf(report, "part"))).toEqual(["recall"]);
    const mean = (["persons", "people"] as const).reduce((sum, set) => sum + scoresOf(report, set).f1 / 2, 0);
    expect(scoresOf(report, "macro mean of 2 sets").f1).toBeCloseTo(mean, 12);
    expect(floor).toMatchObject({ model: "tfidf", floor: true });
    expect(scoresOf(floor, "persons").f1).toBeGreaterThan(0.5);
    const text = formatReports(reports);
    expect(text).toMatch(/er +true pairs +P +R +F1 +estimate +established +seconds +P +R +F1 +seconds\n/);
    expect(text).toMatch(/\npart +50 +- +[\d.]+ +- +[\d.]+ +(yes|no) +[\d.]+ +- +[\d.]+ +- +[\d.]+\n/);
    expect(text).toMatch(/er, pearl-strings: precision 0.9 established on [012] of 2 sets/);
  });

  it("has no precision and F1 0 where nothing is found", async () => {
    const cells = ["x1", "y2", "z3"];
    const files = {
      "none/left.csv": csv({ id: ["a0", "a1", "a2"], name: cells }),
      "none/right.csv": csv({ id: ["b0", "b1", "b2"], name: ["qq", "rr", "ss"] }),
      "none/gt.csv": csv({ id_l: ["a0"], id_r: ["b1"] }),
      "none/about.json": JSON.stringify({ kind: "join", gold: "whole" }),
    };
    const [report] = await run(files, ["tfidf"]);
    expect(scoresOf(report, "none")).toEqual({ recall: 0, f1: 0 });
    expect(formatReports([report])).toMatch(/\nnone +1 +- +0.0 +0.0 +[\d.]+$/m);
  });

  it("finds sets in the data folder itself, and one set by its name", async () => {
    const files = { ...joinSet("persons", 60, 60, "whole"), ...dedupeSet };
    const [report] = await run(files, ["tfidf"], "people");
    expect(new Set(report.results.map(({ dataset }) => dataset))).toEqual(new Set(["people"]));
    await expect(run(files, ["tfidf"], "peopel")).rejects.toThrow("Did you mean people?");
  });

  it("says what is wrong with a set, and which models it compares", async () => {
    const unknown = {
      ...joinSet("persons", 20, 20, "whole"),
      "persons/gt.csv": "id_l,id_r\na0,b0\na1,b99\n",
    };
    await expect(run(unknown, ["tfidf"])).rejects.toThrow("gt.csv, row 2: no row has the id b99");
    for (const about of ['{"kind":"both"}', "{kind"])
      await expect(run({ ...dedupeSet, "people/about.json": about }, ["tfidf"])).rejects.toThrow(
        "about.json",
      );
    const twice = { ...unknown, "persons/left.csv": "id,name\na0,x\na1,y\na0,z\n" };
    await expect(run(twice, ["tfidf"])).rejects.toThrow("left.csv: rows 1 and 3 have the id a0");
    await expect(run({ ...unknown, "persons/left.csv": "name\nx\n" }, ["tfidf"])).rejects.toThrow(
      'left.csv: no column "id" among name',
    );
    const truth = (rows: string) =>
      run({ ...dedupeSet, "people/truth.csv": `row,entity\n${rows}` }, ["tfidf"]);
    await expect(truth("1,a\n1,b\n")).rejects.toThrow("truth.csv, row 2: expected a row of the table");
    await expect(truth("1,a\n2,a\n")).rejects.toThrow("truth.csv: row 3 of the table is missing");
    const different = table.name.map((_, row) => `${row + 1},e${row}\n`);
    await expect(truth(different.join(""))).rejects.toThrow("people: no two rows are the same thing. Add");
    await expect(run({}, ["tfidf"])).rejects.toThrow("task er: a set of tables not found");
    const [report] = await run(dedupeSet, [letterModel]);
    expect(report.skipped[0].reason).toContain("phrase encoders and tfidf only");
  });
});
