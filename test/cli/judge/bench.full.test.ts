/** The slow tests beside bench.test.ts. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { writeData } from "../../benchmark/small-data.js";
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
});
