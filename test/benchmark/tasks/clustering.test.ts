import { describe, expect, it } from "vitest";
import { tfidfBaseline } from "../../../src/benchmark/baselines/tfidf.js";
import { bc5cdr, conll } from "../../../src/benchmark/tasks/clustering.js";
import { tableModel } from "../small-data.js";
import { run } from "./run-task.js";

describe("conll and bc5cdr", () => {
  const vectors = {
    "Ann Lee": [1, 0.01, 0],
    Bob: [5, 0, 0],
    Rome: [0, 1, 0],
    ACME: [0, 0, 1],
    aspirin: [1, 0, 0],
    headache: [0, 1, 0],
  };

  it("are 1 if directions match the types, at any length", async () => {
    const { scores } = await run(conll, tableModel(vectors));
    expect(scores[0]).toMatchObject({ dataset: "conll2003/dev.json", metric: "nmi", n: 4 });
    expect(scores[0].score).toBeCloseTo(1, 12);
    expect(scores[0].details).toMatchObject({ file: "conll2003/dev.json", seeds: 5, starts: 10 });
  });

  it("depend on length under the published protocol", async () => {
    // Three raw clusters: Bob alone is far away; the others fall into two.
    const { scores } = await run(conll, tableModel(vectors), { protocol: "published" });
    expect(scores[0].score).toBeLessThan(1);
    expect(scores[0].details).toMatchObject({ seeds: 1 });
  });

  it("prefer test.json, the published file", async () => {
    expect((await run(bc5cdr, tableModel(vectors))).scores[0].details.file).toBe("bc5cdr/test.json");
  });

  it("need embeddings, or give an error that asks for them", async () => {
    const outcome = await run(conll, tfidfBaseline());
    expect(outcome.scores).toEqual([]);
    expect(outcome.notApplicable).toBe("conll: clustering needs vectors, and tfidf compares strings");
  });
});
