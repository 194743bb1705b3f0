import { describe, expect, it } from "vitest";
import { bird } from "../../../src/benchmark/tasks/graded.js";
import { constantModel, letterModel, tableModel } from "../small-data.js";
import { run, scoresOf } from "./run-task.js";

describe("bird", () => {
  const vectors = {
    "green tea": [1, 0],
    "green teas": [0.9, Math.sqrt(1 - 0.81)],
    "green car": [0.5, Math.sqrt(0.75)],
    sparrow: [0.1, Math.sqrt(0.99)],
  };

  it("is 1 for a model with cosines equal to the ratings", async () => {
    const scores = await scoresOf(bird, tableModel(vectors));
    expect(scores["bird/bird.txt pearson"]).toBeCloseTo(1, 6);
    expect(scores["bird/bird.txt spearman"]).toBeCloseTo(1, 12);
  });

  it("has one number under the published protocol", async () => {
    expect(Object.keys(await scoresOf(bird, letterModel, { protocol: "published" }))).toEqual([
      "bird/bird.txt pearson",
    ]);
  });

  it("is an error, not a NaN, if all similarities are equal", async () => {
    await expect(run(bird, constantModel)).rejects.toThrow("all numbers of one side are equal");
  });
});
