import { describe, expect, it } from "vitest";
import { tfidfBaseline } from "../../../src/benchmark/baselines/tfidf.js";
import { ppdb, ppdbFiltered } from "../../../src/benchmark/tasks/ppdb.js";
import { createRandom } from "../../../src/random.js";
import { letterModel, tableModel, writeData } from "../small-data.js";
import { run } from "./run-task.js";

describe("ppdb", () => {
  it("is the area under the curve of the similarity if no probe can be trained, with the reason", async () => {
    const outcome = await run(ppdb, tfidfBaseline());
    expect(outcome.scores).toHaveLength(1);
    expect(outcome.scores[0]).toMatchObject({ metric: "auc", score: 1, n: 2 });
    expect((await run(ppdbFiltered, tfidfBaseline())).scores[0]).toMatchObject({ score: 0 });
    const [note] = outcome.notes ?? [];
    expect(note).toMatch(/^ppdb: the probe needs vectors, which .* does not give; cosine AUC shown$/);
    expect((await run(ppdb, letterModel)).notes).toEqual([
      "ppdb: 2 pairs are too few for the probe; cosine AUC shown",
    ]);
  });

  it("gives no score under the published protocol without a probe, with the reason", async () => {
    const outcome = await run(ppdb, tfidfBaseline(), { protocol: "published" });
    expect(outcome.scores).toEqual([]);
    expect(outcome.notApplicable).toContain("the probe needs vectors");
  });

  it("is the accuracy of probes that learn from the embeddings, the same for a rescaled model", async () => {
    const random = createRandom(2);
    const vectors: Record<string, number[]> = {};
    const list = Array.from({ length: 1200 }, (_, i) => {
      const sign = i % 4 < 2 ? 1 : -1;
      for (const [side, factor] of [
        ["a", 1],
        ["b", sign],
      ] as const)
        vectors[`${side}${i}`] = [2 * factor, ...Array.from({ length: 3 }, () => random() - 0.5)];
      return [`a${i}`, `b${i}`, sign > 0 ? "pos" : "neg"];
    });
    const folder = writeData({ "ppdb/ppdb.json": JSON.stringify(list) });
    const scaled = Object.fromEntries(
      Object.entries(vectors).map(([phrase, vector]) => [phrase, vector.map((x) => 8 * x)]),
    );
    const { scores, notes } = await run(ppdb, tableModel(vectors), { folder });
    expect(scores.map(({ metric }) => metric)).toEqual(["probe accuracy", "auc"]);
    expect(scores[0].score).toBeGreaterThan(0.9);
    expect(scores[0].details).toMatchObject({ positives: 600, tested: 180 });
    expect(scores[0].details.accuracies).toHaveLength(5);
    expect(notes).toBeUndefined();
    const again = await run(ppdb, tableModel(scaled), { folder });
    expect(again.scores[0].score).toBe(scores[0].score);
    const published = await run(ppdb, tableModel(vectors), { folder, protocol: "published" });
    expect(published.scores.map(({ metric }) => metric)).toEqual(["probe accuracy"]);
    expect(published.scores[0].details.accuracies).toHaveLength(1);
  });
});
