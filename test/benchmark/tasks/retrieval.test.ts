import { describe, expect, it } from "vitest";
import { jaccardBaseline } from "../../../src/benchmark/baselines/tfidf.js";
import { umls, yago } from "../../../src/benchmark/tasks/retrieval.js";
import { constantModel, letterModel, smallData, writeData } from "../small-data.js";
import { run, scoresOf } from "./run-task.js";

describe("yago and umls", () => {
  it("give accuracy, recall@10 and mean reciprocal rank by exact search", async () => {
    const scores = await scoresOf(yago, jaccardBaseline());
    // Both answers lead: " Wi" … share most n-grams with "Bill Lumpkin", "Rome" with "Rome City".
    expect(scores).toEqual({
      "yago/yago_test_samples.txt accuracy": 1,
      "yago/yago_test_samples.txt recall@10": 1,
      "yago/yago_test_samples.txt mrr": 1,
    });
  });

  it("give the expected score of ties broken at random", async () => {
    // Three names tie for each of two queries.
    const scores = await scoresOf(yago, constantModel);
    expect(scores["yago/yago_test_samples.txt accuracy"]).toBeCloseTo(1 / 3, 12);
    expect(scores["yago/yago_test_samples.txt mrr"]).toBeCloseTo((1 + 1 / 2 + 1 / 3) / 3, 12);
  });

  it("use the published file names if they exist", async () => {
    const { scores } = await run(umls, letterModel);
    expect(scores[0].details).toMatchObject({ file: "umls/umls_test.txt", dictionary: "umls/umls_kb.txt" });
  });

  it("count an answer that is not in the dictionary as a miss", async () => {
    const folder = writeData({ ...smallData, "yago/yago_test_samples.txt": "Rome\tRome\nx\tAtlantis\n" });
    const { scores } = await run(yago, letterModel, { folder });
    expect(scores[0].score).toBe(0.5);
    expect(scores[0].details.notInDictionary).toBe(1);
  });

  it("need a dimension that is a multiple of 24 under the published protocol", async () => {
    const outcome = await run(yago, letterModel, { protocol: "published" });
    expect(outcome.scores).toEqual([]);
    expect(outcome.notApplicable).toContain("needs a dimension that is a multiple of 24, and toy has 26");
  });
});
