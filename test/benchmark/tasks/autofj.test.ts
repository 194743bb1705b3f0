import { describe, expect, it } from "vitest";
import { levenshteinBaseline } from "../../../src/benchmark/models.js";
import { autofj } from "../../../src/benchmark/tasks/autofj.js";
import { constantModel, letterModel } from "../small-data.js";
import { run, scoresOf } from "./run-task.js";

describe("autofj", () => {
  it("is the macro mean of the sets' accuracies, over rows that have a ground truth", async () => {
    // Cities: all three right; Fruits: its only row is nearest to the wrong title.
    const { scores } = await run(autofj, levenshteinBaseline());
    expect(scores.map(({ dataset, metric, score, n }) => [dataset, metric, score, n])).toEqual([
      ["macro mean of 2 sets", "accuracy", 0.5, 4],
      ["macro mean of 2 sets", "recall at precision 0.9", 0.5, 5],
      ["Cities", "accuracy", 1, 3],
      ["Fruits", "accuracy", 0, 1],
    ]);
  });

  it("counts the right row without a match in the join at a precision, and only there", async () => {
    const { scores } = await run(autofj, levenshteinBaseline(), { dataset: "Cities" });
    expect(scores).toHaveLength(1);
    expect(scores[0].details).toMatchObject({ left: 4, right: 4, withoutMatch: 1 });
    expect(scores[0].details.joinAtPrecision).toMatchObject({ reached: true, recall: 1, joined: 3 });
  });

  it("counts a tie as a fraction under the fair protocol and as the first title under the published one", async () => {
    expect(await scoresOf(autofj, constantModel, { dataset: "Cities" })).toEqual({
      "Cities accuracy": expect.closeTo(1 / 4, 12),
    });
    // The first left title is right for one row of three.
    expect(await scoresOf(autofj, constantModel, { dataset: "Cities", protocol: "published" })).toEqual({
      "Cities accuracy": expect.closeTo(1 / 3, 12),
    });
  });

  it("suggests the nearest set", async () => {
    const settings = { dataset: "cities" };
    await expect(run(autofj, letterModel, settings)).rejects.toThrow('no set "cities"');
    await expect(run(autofj, letterModel, settings)).rejects.toThrow("Did you mean Cities?");
  });
});
