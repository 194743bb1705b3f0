/** `pearl cluster` as users run it. */
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { pearl } from "../run-here.js";
import { names } from "./names.js";

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "pearl-cluster-"));
  await writeFile(join(folder, "names.csv"), names);
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

  it("says that likely groups are not verified, also as JSON", async () => {
    const { stderr } = await run("cluster", "names.csv", "-c", "name", "--json", "likely.json");
    expect(stderr).toContain("a precision of 0.9 is not established: one column alone gives one estimate");
    const report = JSON.parse((await lines("likely.json")).join("\n"));
    expect(report).toMatchObject({ rows: 7, promise: { target: 0.9, established: false } });
    // One of the likely rows at most is the same words.
    expect(report.low).toBeLessThan(0.5);
  });

  it("adds group, representative and similarity to every row, even if the table has a column named group", async () => {
    const { code, stdout } = await run(..."cluster names.csv -c name --k 2 -o grouped.csv -q".split(" "));
    expect(code).toBe(0);
    expect(stdout).toBe("wrote grouped.csv: 7 rows in 3 groups\n");
    const rows = await lines("grouped.csv");
    expect(rows[0]).toBe("id,name,group,group_,representative,similarity");
    expect(rows).toHaveLength(8);
    expect(rows[1].startsWith("1,The New York Times,")).toBe(true);
  });

  it("rejects wrong options and names before any work", async () => {
    const both = await run("cluster", "names.csv", "-c", "name", "--k", "2", "--threshold", "0.5");
    expect(both.code).toBe(2);
    expect(both.stderr).toContain("give only one of threshold, k and precision");
    const ending = await run("cluster", "names.csv", "-c", "name", "-o", "groups.docx");
    expect(ending.code).toBe(2);
    expect(ending.stderr).toContain("groups.docx: rows are written as .csv, .tsv, .jsonl, .parquet or .xlsx");
    const column = await run("cluster", "names.csv", "-c", "title");
    expect(column.code).toBe(1);
    expect(column.stderr).toContain("title");
    expect((await run("cluster", "names.csv", "--precision", "2")).code).toBe(2);
  });
});

describe("a column that was not named", () => {
  it("stops cluster on a category, shows the columns and the command, and writes nothing", async () => {
    const people = Array.from(
      { length: 30 },
      (_, row) => `${row},${row % 2 ? "Mr" : "Ms"},Person ${"abcdef"[row % 6]}${row}`,
    );
    await writeFile(join(folder, "people.csv"), ["id,title,full name", ...people].join("\n"));
    const before = await readdir(folder);
    const { code, stdout, stderr } = await run("cluster", "people.csv", "-q", "-o", "out.csv");
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toContain(
      'people.csv: the column "title" was not named, and has only 2 different values in 30 rows',
    );
    expect(stderr).toContain('pearl cluster people.csv -q -o out.csv -c "full name"');
    expect(stderr).toMatch(
      /column +filled +distinct +examples\n +full name +30 +30 +Person a0 \| Person b1 \| Person c2/,
    );
    expect(await readdir(folder)).toEqual(before);
    // The command that the message shows is the cure.
    const named = await run("cluster", "people.csv", "-q", "-c", "full name", "-o", "clustered.csv");
    expect(named.code).toBe(0);
  });
});
