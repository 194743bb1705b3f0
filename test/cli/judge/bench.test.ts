/** `pearl bench` and `pearl data` as users run them. */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { taskNames } from "../../../src/benchmark/tasks/index.js";
import { smallData, writeData } from "../../benchmark/small-data.js";
import { pearl } from "../run-here.js";

const dataFolder = writeData();

describe("pearl bench", () => {
  it("merges the scores of shards, without the models", async () => {
    const folder = mkdtempSync(join(tmpdir(), "pearl-bench-shards-"));
    const given = ["bench", "--task", "turney,bird", "--data", dataFolder, "--model", "jaccard", "-q"];
    const parts = ["1", "2"].map((shard) => join(folder, `${shard}.part`));
    for (const [place, part] of parts.entries())
      expect(await pearl([...given, "--shard", `${place + 1}/2`, "-o", part])).toMatchObject({ code: 0 });
    const [whole, merged] = [await pearl(given), await pearl(["merge", ...parts, "-q"])];
    expect(merged).toMatchObject({ code: 0, stdout: whole.stdout });
  });

  it("finds the data folder through PEARL_DATA, and prints one set where one is named", async () => {
    const environment = { PEARL_DATA: dataFolder };
    const parameters = ["bench", "--task", "autofj", "--dataset", "Fruits", "--model", "tfidf", "-q"];
    const outcome = await pearl(parameters, { environment });
    expect(outcome.stdout).toMatch(/autofj +Fruits +accuracy +1/);
  });

  it.each([
    [["--task", "autofk"], 2, 'unknown task "autofk". Did you mean autofj?'],
    [["--model", "levenstein"], 2, 'unknown model "levenstein". Did you mean levenshtein?'],
    [["--protocol", "fiar"], 2, "Allowed choices are fair, published"],
    [["--task", "autofj", "--model", "tfidf", "--dataset", "Fruit"], 2, "Did you mean Fruits?"],
    [["--model", "jaccard", "--truncate-dim", "10"], 2, "shortens the embeddings of models, not jaccard."],
    [["--report", "r.txt"], 2, "The name must end in .html."],
    [["--taks", "autofj"], 2, "--task"],
    [["--seed", "x"], 2, "whole number"],
    [["--data", "/nowhere/at/all"], 1, "data folder /nowhere/at/all: not found"],
    [["--model", "./no/such/model"], 1, "./no/such/model"],
  ])("answers %j with exit code %d and the cure in one line", async (parameters, code, message) => {
    const given = parameters.includes("--data") ? [] : ["--data", dataFolder];
    const outcome = await pearl(["bench", ...given, ...parameters]);
    expect(outcome.stderr).toContain(message);
    expect(outcome.code).toBe(code);
    expect(outcome.stdout).toBe("");
    expect(outcome.stderr).not.toMatch(/\n +at /);
  });

  it("says how to get missing data", async () => {
    const { "turney/turney.txt": _, ...files } = smallData;
    const outcome = await pearl([
      "bench",
      ..."--task turney --model tfidf --data".split(" "),
      writeData(files),
    ]);
    expect(outcome.code).toBe(1);
    expect(outcome.stderr).toMatch(/task turney: the questions not found\. Tried .*turney\/turney\.txt/);
  });

  it("names every task in its help, with examples", async () => {
    const { stdout } = await pearl(["bench", "--help"]);
    for (const task of taskNames) expect(stdout).toContain(task);
    expect(stdout).toContain("Examples:");
  });
});

describe("pearl data autofj", () => {
  it("ends in one line without a network", async () => {
    const folder = mkdtempSync(join(tmpdir(), "pearl-data-"));
    const outcome = await pearl(["data", "autofj", "--data", folder, "--endpoint", "http://127.0.0.1:9"]);
    expect(outcome.code).toBe(1);
    expect(outcome.stderr).toMatch(/^pearl: .*Check the network, or name a mirror/);
  });
});
