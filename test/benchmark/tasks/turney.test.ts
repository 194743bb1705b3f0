import { describe, expect, it } from "vitest";
import { jaccardBaseline } from "../../../src/benchmark/baselines/tfidf.js";
import { hitOf, turney } from "../../../src/benchmark/tasks/turney.js";
import { constantModel, tableModel, writeData } from "../small-data.js";
import { scoresOf } from "./run-task.js";

describe("turney", () => {
  it("never counts a tie as a hit: a model that cannot distinguish phrases scores one fifth", async () => {
    expect(await scoresOf(turney, constantModel)).toEqual({
      "turney/turney.txt accuracy": expect.closeTo(0.2, 12),
    });
    expect(await scoresOf(turney, constantModel, { protocol: "published" })).toEqual({
      "turney/turney.txt accuracy": 1,
    });
  });

  it("compares cosines under the fair protocol and raw inner products under the published one", async () => {
    const vectors = {
      ...{ q: [1, 0], right: [2, 0], long: [3, 3], a: [0, 1], b: [0, 1], c: [0, 1] },
    };
    const folder = writeData({ "turney/turney.txt": "q | right | q | q | long | a | b | c\n" });
    const model = tableModel(vectors);
    expect(Object.values(await scoresOf(turney, model, { folder }))).toEqual([1]);
    expect(Object.values(await scoresOf(turney, model, { folder, protocol: "published" }))).toEqual([0]);
  });

  it("gives 1/k where k choices share the top", () => {
    expect(hitOf(Float64Array.of(0.5, 0.5, 0.5, 0.1, 0), "fair")).toBeCloseTo(1 / 3, 12);
    expect(hitOf(Float64Array.of(0.5, 0.5 + 5e-7, 0, 0, 0), "fair")).toBeCloseTo(1 / 2, 12);
    expect(hitOf(Float64Array.of(0.4, 0.5, 0, 0, 0), "fair")).toBe(0);
    expect(hitOf(Float64Array.of(0.4, 0.5, 0, 0, 0), "published")).toBe(0);
    expect(hitOf(Float64Array.of(0.5, 0.5, 0, 0, 0), "published")).toBe(1);
  });

  it("works for string methods", async () => {
    // "red wines" wins its question, "sea birds" beats "gull".
    expect(Object.values(await scoresOf(turney, jaccardBaseline()))).toEqual([0.5]);
  });
});
