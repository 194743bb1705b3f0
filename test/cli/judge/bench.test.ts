/** `pearl bench` and `pearl data` as users run them. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { taskNames } from "../../../src/benchmark/tasks/index.js";
import { smallData, writeData } from "../../benchmark/small-data.js";
import { pearl } from "../run-here.js";

const dataFolder = writeData();

describe("pearl bench", () => {
  it("prints a table of several models, and writes the same as JSON", async () => {
    const json = join(mkdtempSync(join(tmpdir(), "pearl-json-")), "new", "folder", "scores.json");
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

  it.each([
    ["autofj", "autofj/Fruits/gt.csv", "", /gt\.csv is empty/],
    ["turney", "turney/turney.txt", "", /turney\.txt is empty/],
    ["turney", "turney/turney.txt", "a | b\n", /turney\.txt, line 1: expected 8 fields/],
    ["bird", "bird/bird.txt", "term1\tterm2\n", /bird\.txt: a correlation needs at least two pairs, found 0/],
    ["ppdb", "ppdb/ppdb.json", "\u0089PNG\0", /ppdb\.json: not valid JSON/],
    ["conll", "conll2003/dev.json", "{}{\n", /dev\.json, line 1/],
  ])("refuses a broken file of %s in one line: %s", async (task, file, content, message) => {
    const folder = mkdtempSync(join(tmpdir(), "pearl-broken-bench-"));
    mkdirSync(join(folder, dirname(file)), { recursive: true });
    if (task === "autofj") {
      for (const side of ["left", "right"]) {
        writeFileSync(join(folder, "autofj/Fruits", `${side}.csv`), "id,title\n1,apple\n");
      }
    }
    writeFileSync(join(folder, file), content);
    const outcome = await pearl(["bench", "--task", task, "--data", folder, "-q"]);
    rmSync(folder, { recursive: true });
    expect(outcome).toMatchObject({ code: 1, stdout: "", stderr: expect.stringMatching(message) });
    expect(outcome.stderr.trimEnd().split("\n")).toHaveLength(1);
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
  it("downloads from a mirror into the data folder", async () => {
    const server = createServer((request, response) => response.end(`id,title\n0,${request.url}\n`));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const folder = mkdtempSync(join(tmpdir(), "pearl-data-"));
    try {
      const environment = { PEARL_DATA_ENDPOINT: endpoint };
      const outcome = await pearl(["data", "autofj", "--data", folder], { environment });
      expect(outcome.code).toBe(0);
      expect(outcome.stdout).toContain("150 files downloaded, 0 already existed");
      expect(existsSync(join(folder, "autofj", "Wrestler", "gt.csv"))).toBe(true);
      const again = await pearl(["data", "autofj", "--data", folder], { environment });
      expect(again.stdout).toContain("0 files downloaded, 150 already existed");
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
