/** `pearl bench` and `pearl data` as people run them. */
import { existsSync, mkdtempSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { taskNames } from "../../src/benchmark/tasks/index.js";
import { smallData, writeData } from "../benchmark/small-data.js";
import { pearl } from "./run-cli.js";

const dataFolder = writeData();

describe("pearl bench", () => {
  it("prints a table of several models, and writes the same as JSON", async () => {
    const json = join(mkdtempSync(join(tmpdir(), "pearl-json-")), "scores.json");
    const outcome = await pearl([
      ...["bench", "--task", "autofj,turney", "--data", dataFolder],
      ...["--model", "levenshtein", "--model", "jaccard", "--json", json],
    ]);
    expect(outcome.code).toBe(0);
    expect(outcome.stdout).toMatch(/task +data +metric +n +levenshtein +jaccard +tfidf \(floor\)/);
    expect(outcome.stderr).toContain("autofj: levenshtein");
    const reports = JSON.parse(readFileSync(json, "utf8"));
    expect(reports.map(({ model }: { model: string }) => model)).toEqual(["levenshtein", "jaccard", "tfidf"]);
    expect(reports[0].results[0]).toMatchObject({ task: "turney", metric: "accuracy", n: 2 });
  });

  it("measures the embedded model where none is named", async () => {
    const outcome = await pearl(["bench", "--task", "turney", "--data", dataFolder, "--quiet"]);
    expect(outcome.stderr).toBe("");
    expect(outcome.stdout).toMatch(/task +data +metric +n +pearl-/);
    expect(outcome.code).toBe(0);
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
    [["--protocol", "fiar"], 2, 'unknown protocol "fiar". Did you mean fair?'],
    [["--task", "autofj", "--model", "tfidf", "--dataset", "Fruit"], 2, "Did you mean Fruits?"],
    [["--json", "no/such/folder/a.json"], 2, "there is no folder"],
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
      "--task",
      "turney",
      "--model",
      "tfidf",
      "--data",
      writeData(files),
    ]);
    expect(outcome.code).toBe(1);
    expect(outcome.stderr).toMatch(/task turney: the questions not found\. Looked for .*turney\/turney\.txt/);
  });

  it("names every task in its help, with examples", async () => {
    const { stdout } = await pearl(["bench", "--help"]);
    for (const task of taskNames) expect(stdout).toContain(task);
    expect(stdout).toContain("Examples:");
  });
});

describe("pearl data autofj", () => {
  it("downloads from a mirror into the data folder", async () => {
    const server = createServer((request, response) => response.end(`id,title\n0,${request.url}\n`));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const folder = mkdtempSync(join(tmpdir(), "pearl-data-"));
    try {
      const environment = { PEARL_DATA_ENDPOINT: endpoint };
      const outcome = await pearl(["data", "autofj", "--data", folder], { environment });
      expect(outcome.code).toBe(0);
      expect(outcome.stdout).toContain("150 files downloaded, 0 were there");
      expect(existsSync(join(folder, "autofj", "Wrestler", "gt.csv"))).toBe(true);
      const again = await pearl(["data", "autofj", "--data", folder], { environment });
      expect(again.stdout).toContain("0 files downloaded, 150 were there");
    } finally {
      server.close();
    }
  });

  it("ends in one line without a network", async () => {
    const folder = mkdtempSync(join(tmpdir(), "pearl-data-"));
    const outcome = await pearl(["data", "autofj", "--data", folder, "--endpoint", "http://127.0.0.1:9"]);
    expect(outcome.code).toBe(1);
    expect(outcome.stderr).toMatch(/^pearl: .*Check the network, or name a mirror/);
  });
});
