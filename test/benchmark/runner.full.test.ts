/** The slow tests beside runner.test.ts. */
import { describe, expect, it } from "vitest";
import type { EmbeddingModel } from "../../src/benchmark/models.js";
import { reportsAsJson } from "../../src/benchmark/report.js";
import { type BenchmarkRequest, type ModelReport, runBenchmark } from "../../src/benchmark/runner.js";
import { PhraseEncoder } from "../../src/encoder/phrase-encoder.js";
import { mergedRun } from "../files/shards/merged.js";
import { brokenModel, letterModel, smallData, writeData } from "./small-data.js";

const dataFolder = writeData();
/** With one set of AutoFJ, whose tables take longer to read than all else. */
const oneSet = writeData(
  Object.fromEntries(Object.entries(smallData).filter(([path]) => !path.startsWith("autofj/Cities"))),
);

function run(request: Partial<BenchmarkRequest>) {
  return runBenchmark({ tasks: ["all"], models: [letterModel], dataFolder, ...request });
}

describe("runBenchmark", () => {
  it("runs every task and gives scores between 0 and 1 with the settings to repeat them", async () => {
    const [report, floor] = await run({ seed: 3 });
    expect(report).toMatchObject({
      model: "toy",
      fingerprint: "toy",
      protocol: "fair",
      seed: 3,
      skipped: [{ task: "er" }],
    });
    expect(report.pearl).toMatch(/^\d+\.\d+\.\d+$/);
    expect(new Set(report.results.map(({ task }) => task)).size).toBe(12);
    for (const { score, n, seconds, metric } of report.results) {
      expect(score).toBeGreaterThanOrEqual(metric === "pearson" || metric === "spearman" ? -1 : 0);
      expect(score).toBeLessThanOrEqual(1);
      expect(n).toBeGreaterThan(0);
      expect(seconds).toBeGreaterThanOrEqual(0);
    }
    expect(floor).toMatchObject({ model: "tfidf", floor: true });
  });

  it("adds the untrained floor to AutoFJ unless it is among the models", async () => {
    const models = (reports: readonly { model: string }[]): string[] => reports.map(({ model }) => model);
    const autofj = { tasks: ["autofj"], dataFolder: oneSet };
    expect(models(await run(autofj))).toEqual(["toy", "tfidf"]);
    expect(models(await run({ ...autofj, models: ["tfidf", "jaccard"] }))).toEqual(["tfidf", "jaccard"]);
    expect(models(await run({ tasks: ["turney"] }))).toEqual(["toy"]);
  });

  it("gives the reports of one run where shards run its tasks", async () => {
    const withoutTime = (reports: readonly ModelReport[]) =>
      JSON.parse(reportsAsJson(reports), (key, value) => (key === "seconds" ? 0 : value));
    for (const settings of [
      { tasks: ["turney", "bird", "autofj"] },
      { tasks: ["all"], models: [letterModel, "jaccard"], seeds: 2 },
    ]) {
      const request = { ...settings, dataFolder: oneSet };
      const whole = withoutTime(await run(request));
      for (const count of [2, 5, 30]) {
        const merged = await mergedRun(count, (sharing) => run({ ...request, sharing }));
        expect(withoutTime(merged)).toEqual(whole);
      }
    }
  });

  it("measures only the first dimensions if asked to, like a model without others", async () => {
    const encoder = await PhraseEncoder.load("pearl-strings");
    const first: EmbeddingModel = {
      ...{ ...letterModel, kind: "embedding", name: "first", dimension: 32 },
      embed: async (phrases) =>
        (await encoder.encodeMatrix(phrases, { normalize: false, truncateDim: 32 })).data,
    };
    const models = ["pearl-strings", first];
    const request = { tasks: ["bird", "autofj"], models, truncateDim: 32, dataFolder: oneSet };
    const [short, own] = await run(request);
    expect(short.model).toBe("pearl-strings (first 32 of 56)");
    const scores = ({ results }: typeof own) => results.map(({ score }) => score);
    expect(scores(short)).toEqual(scores(own));
    const [whole] = await run({ tasks: ["bird"], models: ["pearl-strings"] });
    expect(whole.fingerprint).not.toBe(short.fingerprint);
    await encoder.dispose();
    await expect(run({ models: ["pearl-strings"], truncateDim: 300 })).rejects.toThrow(
      "pearl-strings has 56 dimensions, fewer than 300",
    );
  });

  it("treats a NaN of the model as an error, never as a score", async () => {
    for (const protocol of ["fair", "published"] as const) {
      for (const task of ["autofj", "turney", "bird", "conll", "strings"]) {
        await expect(run({ tasks: [task], models: [brokenModel], protocol })).rejects.toThrow("holds NaN");
      }
    }
  });
});
