import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import {
  type EvaluateOptions,
  evaluateTables,
  evaluationChart,
  f1Interval,
} from "../../src/benchmark/evaluate.js";
import { papers } from "../join/papers.js";

const folder = mkdtempSync(join(tmpdir(), "pearl-evaluate-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const file = (name: string, ...lines: string[]): string => {
  writeFileSync(join(folder, name), `${lines.join("\n")}\n`);
  return join(folder, name);
};

const left = file("left.csv", "id,name", ...papers.map((name, row) => `L${row + 1},${name}`));
const right = file(
  "right.csv",
  "id,name",
  ...["R1,washington post", "R2,Toyota Motors Corp.", "R3,Kung Fu Panda", "R4,Winter Olympics 2002"],
  "R5,Henry 8th of England",
);
/** The join finds L3 R1, L8 R2, L15 R4, L18 R5; the truth has the first two, another row of R4, and none of R5. */
const truthPath = file("truth.csv", "left,right", "L3,R1", "L8,R2", "L14,R4");

const joined = (options: Partial<EvaluateOptions> = {}) =>
  evaluateTables([left, right], {
    ...{ encoder: "none", on: ["name=name"], truthPath, truth: "complete" },
    ...options,
  });

describe("evaluateTables of two tables", () => {
  it("counts pairs outside a complete truth as wrong, with the intervals of 2 of 4 and 2 of 3", async () => {
    const found = await joined();
    expect(found).toMatchObject({ truth: "complete", truePairs: 3, pairs: 4, right: 2 });
    expect(found.precision?.value).toBe(0.5);
    expect(found.precision?.low).toBeCloseTo(0.15, 2);
    expect(found.precision?.high).toBeCloseTo(0.85, 2);
    expect(found.recall.value).toBeCloseTo(2 / 3, 10);
    expect(found.recall.low).toBeCloseTo(0.208, 3);
    expect(found.recall.high).toBeCloseTo(0.939, 3);
    expect(found.f1?.value).toBeCloseTo(4 / 7, 10);
  });

  it("says what each column adds in right, wrong and missed pairs, where both cells are filled", async () => {
    const { columns } = await joined();
    expect(columns.map(({ name }) => name)).toContain("name");
    const { right, wrong, missed } = columns.find(({ name }) => name === "name")!;
    expect(right).toBeGreaterThan(missed!);
    expect(wrong).toBeGreaterThan(missed!);
  });

  it("says what was promised, and scores the pairs at least as probable as each threshold", async () => {
    const { promised, thresholds } = await joined();
    expect(promised.promise.target).toBe(0.9);
    expect(promised.low).toBeLessThanOrEqual(promised.estimate);
    expect(thresholds[0]).toMatchObject({ threshold: 0, pairs: 4, precision: 0.5 });
    const counts = thresholds.map(({ pairs }) => pairs);
    expect(counts).toEqual(counts.toSorted((a, b) => b - a));
  });

  it("counts judged pairs alone where the truth is partial", async () => {
    const judged = file("judged.csv", "left,right,decision", "L3,R1,yes", "L15,R4,no", "L1,R3,no");
    const found = await joined({ truthPath: judged, truth: "partial" });
    expect(found).toMatchObject({ truePairs: 1, pairs: 2, right: 1 });
    expect([found.precision?.value, found.recall.value, found.f1?.value]).toEqual([0.5, 1, 2 / 3]);
  });

  it("measures no precision where a partial truth has matches alone", async () => {
    const found = await joined({ truth: "partial" });
    expect(found).toMatchObject({ truePairs: 3, pairs: 2, right: 2 });
    expect([found.precision, found.f1]).toEqual([undefined, undefined]);
    expect(found.recall.value).toBeCloseTo(2 / 3, 10);
    expect(evaluationChart(found, "t")).not.toContain(">precision<");
  });

  it("writes the wrong and the missed pairs with reasons, as a review that holds the truth", async () => {
    const mistakesPath = join(folder, "mistakes.csv");
    await joined({ mistakesPath });
    const [heading, ...rows] = readFileSync(mistakesPath, "utf8").trimEnd().split("\n");
    expect(heading).toMatch(/^decision,probability,joined,left_row,right_row,left_name,right_name,.*,why$/);
    const pairs = rows.map((row) => row.split(",").toSpliced(1, 1).slice(0, 4).join(" "));
    expect(pairs.toSorted()).toEqual(["no yes 15 4", "no yes 18 5", "yes no 14 4"]);
    const likely = rows.map((row) => Number(row.split(",")[1]));
    expect(likely).toEqual(likely.toSorted((a, b) => b - a));
    expect(rows.find((row) => row.startsWith("yes"))).toContain("1998 Winter Olympics");
    // As answers it mends the join.
    const mended = await joined({ decisionPaths: [mistakesPath] });
    expect(mended).toMatchObject({ pairs: 3, right: 3 });
  });

  it.each([
    [
      "other.csv",
      ["left,right", "L3,R1", "L99,R2"],
      'other.csv, row 2: id of the left table has no cell "L99"',
    ],
    ["none.csv", ["left,right,decision", "L3,R1,no"], "none.csv: it has no pair of rows that match"],
    [
      "rows.csv",
      ["left_row,right_row", "23,1"],
      'rows.csv, row 1: left_row is "23", expected the number of a row, 1 to 22',
    ],
  ])("refuses %s, before any rows are compared", async (name, lines, message) => {
    const stages: string[] = [];
    const onProgress = (stage: string) => stages.push(stage);
    await expect(joined({ truthPath: file(name, ...lines), onProgress })).rejects.toThrow(message);
    expect(stages).toEqual([]);
  });

  it("draws precision, recall and F1 by threshold, with the promise", async () => {
    const picture = evaluationChart(await joined(), "left and right");
    expect(picture).toMatch(/^<svg/);
    for (const word of ["precision", "recall", "f1", "left and right"])
      expect(picture).toContain(`>${word}<`);
    expect(picture.match(/stroke-dasharray/g)).toHaveLength(1);
  });
});

/** Rows 1, 2 and 4 are equal, as are 3 and 5; the column says that 4 is another one, and 6 the same as 3. */
const table = file(
  "table.csv",
  "entity,name,city",
  ...["a,Anna Schmidt,Berlin", "a,Anna Schmidt,Berlin", "b,Peter Vogel,Bremen", "c,Anna Schmidt,Berlin"],
  ...["b,Peter Vogel,Bremen", "b,Zoe Quist,Lund", ",Maria Lopez,Sevilla"],
);
const deduped = (options: Partial<EvaluateOptions>) =>
  evaluateTables([table], { encoder: "none", truth: "complete", ...options });

describe("evaluateTables of one table", () => {
  it("takes the groups that a column names, and does not compare it", async () => {
    const found = await deduped({ truthColumn: "Entity" });
    // found: 1-2, 1-4, 2-4, 3-5; true: 1-2, 3-5, 3-6, 5-6
    expect(found).toMatchObject({ truePairs: 4, pairs: 4, right: 2 });
    expect([found.precision?.value, found.recall.value, found.f1?.value]).toEqual([0.5, 0.5, 0.5]);
  });

  it("takes pairs, and what they connect", async () => {
    const pairs = file("pairs.csv", "left_row,right_row", "2,1", "6,3", "6,5");
    expect(await deduped({ truthPath: pairs, ignore: ["entity"] })).toMatchObject({
      ...{ truePairs: 4, pairs: 4, right: 2 },
    });
  });

  it("refuses pairs that contradict each other by way of a third, and a column that is not there", async () => {
    const lines = ["left_row,right_row,decision", "1,2,yes", "2,4,yes", "1,4,no"];
    const truth = file("contradictions.csv", ...lines);
    await expect(deduped({ truthPath: truth })).rejects.toThrow("rows 1 and 4 are decided to differ");
    await expect(deduped({ truthColumn: "entitty" })).rejects.toThrow('Did you mean "entity"?');
  });
});

describe("f1Interval", () => {
  it("is a point where every unit is alike, and wide where one of two is wrong", () => {
    const [found, gold] = [new Set([0, 11, 22]), new Set([0, 11, 22])];
    expect(f1Interval(found, gold, false, 10)).toEqual({ low: 1, high: 1 });
    expect(f1Interval(new Set([0, 11]), new Set([0]), false, 10)).toEqual({ low: 0, high: 1 });
  });

  it("draws groups of one table whole", () => {
    // Rows 0, 1 and 2 are found as one group, of which one pair is true: a single unit.
    expect(f1Interval(new Set([1, 2, 12]), new Set([1]), true, 10)).toEqual({ low: 0.5, high: 0.5 });
  });

  it("agrees with the normal approximation where many rows are independent", () => {
    // Each of 400 right rows has one found and one true pair, equal in 300 of them: F1 is the share of these rows.
    const found = Array.from({ length: 400 }, (_, row) => row);
    const gold = found.map((row) => (row < 300 ? row : row + 1000));
    const { low, high } = f1Interval(new Set(found), new Set(gold), false, 1000);
    const spread = 1.96 * Math.sqrt((0.75 * 0.25) / 400);
    expect(low).toBeCloseTo(0.75 - spread, 1);
    expect(high).toBeCloseTo(0.75 + spread, 1);
  });
});
