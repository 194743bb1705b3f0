/** The runner: what it checks before it starts, what it reports, and the texts made of it. */
import { beforeAll, describe, expect, it } from "vitest";
import { checkDataFolder, defaultDataFolder } from "../../src/benchmark/data-folder.js";
import { formatReports, reportsAsJson, wholeScore } from "../../src/benchmark/report.js";
import { type BenchmarkRequest, type ModelReport, runBenchmark } from "../../src/benchmark/runner.js";
import { unknownName } from "../../src/benchmark/task.js";
import { selectTasks } from "../../src/benchmark/tasks/index.js";
import { mergedRun } from "../files/shards/merged.js";
import { letterModel, smallData, writeData } from "./small-data.js";

const dataFolder = writeData();

function run(request: Partial<BenchmarkRequest>) {
  return runBenchmark({ tasks: ["all"], models: [letterModel], dataFolder, ...request });
}

describe("runBenchmark", () => {
  it("refuses to merge what different models of one name scored", async () => {
    let shard = 0;
    const merged = mergedRun(2, (sharing) => {
      const fingerprint = `toy ${shard++}`;
      return run({ tasks: ["turney", "bird"], models: [{ ...letterModel, fingerprint }], sharing });
    });
    await expect(merged).rejects.toThrow(/shards found toy different/);
  });

  it("stops at missing data of a named task, with the paths and the way to get it", async () => {
    const { "umls/umls_kb.txt": _, ...files } = smallData;
    const folder = writeData(files);
    const asked = run({ tasks: ["turney", "umls"], dataFolder: folder });
    await expect(asked).rejects.toThrow("task umls: the dictionary not found. Tried");
    await expect(run({ tasks: ["umls"], dataFolder: folder })).rejects.toThrow("umls_kb.txt");
    await expect(run({ tasks: ["umls"], dataFolder: folder })).rejects.toThrow("Lihuchen/pearl_benchmark");
    await expect(run({ tasks: ["autofj"], dataFolder: writeData({}) })).rejects.toThrow("pearl data autofj");
  });

  it("skips missing data with the reason if all tasks are asked for", async () => {
    const [report] = await run({
      dataFolder: writeData({ "turney/turney.txt": smallData["turney/turney.txt"] }),
    });
    expect(report.results.map(({ task }) => task)).toEqual(["turney"]);
    expect(report.skipped).toHaveLength(12);
    await expect(run({ dataFolder: writeData({}) })).rejects.toThrow("no task's data is in");
  });

  it("finds mistyped names before anything runs", async () => {
    await expect(run({ models: ["tfid"] })).rejects.toThrow('unknown model "tfid". Did you mean tfidf?');
    await expect(run({ tasks: ["autofk"] })).rejects.toThrow('unknown task "autofk". Did you mean autofj?');
    await expect(run({ tasks: [] })).rejects.toThrow("name a task. Tasks: ");
    await expect(run({ models: [] })).rejects.toThrow("name at least one model");
    await expect(run({ tasks: ["bird"], dataset: "Drug" })).rejects.toThrow("neither is among the tasks");
    await expect(run({ dataFolder: "/nowhere/at/all" })).rejects.toThrow(
      "data folder /nowhere/at/all: not found",
    );
  });

  it("stops when asked to", async () => {
    await expect(run({ signal: AbortSignal.abort(new Error("enough")) })).rejects.toThrow("enough");
  });
});

describe("the report", () => {
  /** Of levenshtein, jaccard and the floor. */
  let reports: ModelReport[];
  beforeAll(async () => {
    reports = await run({ tasks: ["autofj", "turney"], models: ["levenshtein", "jaccard"] });
  });

  it("prints published scores in a separate block, under their protocol", () => {
    const [ours, published] = formatReports(reports).split("Published scores");
    expect(ours).toContain("protocol fair");
    expect(ours).toMatch(/task +data +metric +n +levenshtein +jaccard +tfidf \(floor\)/);
    expect(ours).toMatch(/autofj +macro mean of 2 sets +accuracy +4 +50\.0/);
    expect(ours).not.toContain("PEARL-small");
    expect(published).toContain('protocol "published", full test sets');
    expect(published).toMatch(/PEARL-small \(paper\) +56\.1 +74\.6/);
    expect(published).not.toContain("levenshtein");
  });

  it("shows a score beside the published ones only where the whole set was measured", () => {
    const [report] = reports;
    const results = report.results.map((result) =>
      result.task === "turney" ? { ...result, n: 2_180, score: 0.4321 } : result,
    );
    const [, published] = formatReports([{ ...report, results }]).split("Published scores");
    expect(published).toMatch(/levenshtein, here \(fair\) +43\.2 +-$/m);
    expect(wholeScore({ results }, "autofj")).toBeUndefined();
    const all = results.map((result) =>
      result.dataset.startsWith("macro") ? { ...result, dataset: "macro mean of 50 sets" } : result,
    );
    expect(wholeScore({ results: all }, "autofj")).toBe(0.5);
  });

  it("gives the mean and the sample's standard deviation over seeds", async () => {
    const each: ModelReport[] = [];
    for (const seed of [3, 13, 23])
      each.push((await run({ tasks: ["strings"], models: [letterModel], seed }))[0]);
    const [report] = await run({ tasks: ["strings"], models: [letterModel], seed: 3, seeds: 3 });
    report.results.forEach((result, place) => {
      const scores = each.map(({ results }) => results[place].score);
      const mean = (scores[0] + scores[1] + scores[2]) / 3;
      const squares = scores.map((score) => (score - mean) ** 2);
      expect(result.score).toBeCloseTo(mean, 12);
      expect(result.deviation).toBeCloseTo(Math.sqrt((squares[0] + squares[1] + squares[2]) / 2), 12);
      expect(result.details.scores).toEqual(scores);
    });
    expect(formatReports([report])).toMatch(/3 seeds from 3 on, mean ± standard deviation/);
    expect(formatReports([report])).toMatch(/precision@1, 1 edit +5 +\d+\.\d ± \d/);
  });

  it("shows single sets only when asked to", () => {
    expect(formatReports(reports)).not.toContain("Fruits");
    expect(formatReports(reports, { everySet: true })).toContain("Fruits");
  });

  it("says in a line each what was not measured and what readers must know", async () => {
    const text = formatReports(await run({ tasks: ["ppdb", "conll"], models: ["tfidf"] }));
    expect(text).toContain("does not give; cosine AUC shown");
    expect(text).toContain("not measured: conll: clustering needs vectors");
  });

  it("is JSON: an object for one model, a list for several", () => {
    const [first, second, floor] = reports;
    const one = JSON.parse(reportsAsJson([first, floor]));
    expect(one).toMatchObject({ model: "levenshtein", protocol: "fair", floor: { model: "tfidf" } });
    expect(one.results[1]).toMatchObject({
      task: "autofj",
      metric: "accuracy",
      dataset: "macro mean of 2 sets",
    });
    const two = JSON.parse(reportsAsJson([first, second]));
    expect(two.map(({ model }: { model: string }) => model)).toEqual(["levenshtein", "jaccard"]);
  });
});

describe("names and folders", () => {
  it("selects each task once, in the order of the list", () => {
    expect(selectTasks(["autofj", "bird", "autofj"]).map(({ name }) => name)).toEqual(["bird", "autofj"]);
    expect(selectTasks(["all"])).toHaveLength(13);
  });

  it("suggests only near names", () => {
    const options = { known: ["autofj", "bird"], hint: "Tasks: ..." };
    expect(unknownName("unknown task", "autofi", options).message).toContain("Did you mean autofj?");
    expect(unknownName("unknown task", "something", options).message).toBe(
      'unknown task "something". Tasks: ...',
    );
  });

  it("takes the data folder from the environment, else from the cache", async () => {
    expect(await defaultDataFolder({ PEARL_DATA: "/somewhere" })).toBe("/somewhere");
    await expect(checkDataFolder(writeData({}))).resolves.toBeUndefined();
  });
});
