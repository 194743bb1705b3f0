/** `pearl cluster` and `pearl dedupe` as users run them. */
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { pearl } from "../run-cli.js";

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "pearl-cluster-"));
  await writeFile(
    join(folder, "names.csv"),
    [
      "id,name,group",
      "1,The New York Times,",
      "2,Acme Inc.,x",
      '3,"Acme, Inc",x',
      "4,New York Times,daily",
      "5,Season 2009,",
      "6,Season 2010,",
      "7,,",
    ].join("\n"),
  );
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const run = (...parameters: string[]) => pearl(parameters, { cwd: folder });
const lines = async (name: string): Promise<string[]> =>
  (await readFile(join(folder, name), "utf8")).trimEnd().split("\n");

describe("pearl cluster", () => {
  it("prints groups of two or more rows, the threshold and the estimated precision", async () => {
    const { code, stdout, stderr } = await run("cluster", "names.csv", "-c", "name", "--threshold", "0.7");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^The New York Times\n {2}0\.\d\d {2}New York Times\n/m);
    expect(stdout).not.toContain("Season");
    expect(stderr).toContain(
      "5 groups, 2 with two or more rows; similarity at least 0.70, estimated precision",
    );
  });

  it("adds group, representative and similarity to every row, even if the table has a column named group", async () => {
    const { code, stdout } = await run(
      "cluster",
      "names.csv",
      "-c",
      "name",
      "--k",
      "2",
      "-o",
      "grouped.csv",
      "-q",
    );
    expect(code).toBe(0);
    expect(stdout).toBe("wrote grouped.csv: 7 rows in 3 groups\n");
    const rows = await lines("grouped.csv");
    expect(rows[0]).toBe("id,name,group,group_,representative,similarity");
    expect(rows).toHaveLength(8);
    expect(rows[1].startsWith("1,The New York Times,")).toBe(true);
  });

  it("rejects wrong options and names before any work", async () => {
    const both = await run("cluster", "names.csv", "-c", "name", "--k", "2", "--threshold", "0.5");
    expect(both.code).toBe(1);
    expect(both.stderr).toContain("give only one of threshold, k and precision");
    const ending = await run("cluster", "names.csv", "-c", "name", "-o", "groups.xlsx");
    expect(ending.stderr).toContain("groups.xlsx: rows are written as .csv, .tsv, .jsonl or .parquet");
    const column = await run("cluster", "names.csv", "-c", "title");
    expect(column.code).toBe(1);
    expect(column.stderr).toContain("title");
    expect((await run("cluster", "names.csv", "--precision", "2")).code).toBe(2);
  });
});

describe("pearl dedupe", () => {
  it("keeps the most complete row of each group and lists the removed rows", async () => {
    const { code, stdout } = await run(
      ...["dedupe", "names.csv", "-c", "name", "--threshold", "0.7", "--groups", "went.csv", "-q"],
    );
    expect(code).toBe(0);
    expect(stdout).toBe(
      "wrote names.deduped.csv: 5 rows, removed 2 duplicates from 7 rows\nwrote went.csv\n",
    );
    expect((await lines("names.deduped.csv")).map((line) => line.split(",")[0])).toEqual([
      "id",
      "2",
      "4",
      "5",
      "6",
      "7",
    ]);
    const went = await lines("went.csv");
    expect(went[0]).toBe("group_,kept,row,similarity,id,name,group");
    expect(went.slice(1).map((line) => line.split(",").slice(0, 3).join(" "))).toEqual([
      "1 yes 2",
      "1 no 3",
      "2 yes 4",
      "2 no 1",
    ]);
  });

  it("never overwrites its input table", async () => {
    const { code, stderr } = await run("dedupe", "names.csv", "-c", "name", "-o", "names.csv");
    expect(code).toBe(1);
    expect(stderr).toContain("names.csv is the input table");
    expect((await readdir(folder)).some((name) => name.includes("partial"))).toBe(false);
  });
});
