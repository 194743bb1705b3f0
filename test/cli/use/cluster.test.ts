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
    expect(stdout.split("\n")).toEqual([
      "wrote names.deduped.csv: 7 rows in, 2 groups of duplicates, 5 rows out",
      "wrote names.deduped.removed.csv: 2 removed rows",
      "wrote went.csv",
      '  2 rows: "Acme Inc.", "Acme, Inc"',
      '  2 rows: "New York Times", "The New York Times"',
      "",
    ]);
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

  it("writes the removed rows beside the output, so that no row is lost, unless told not to", async () => {
    const dedupe = ["dedupe", "names.csv", "-c", "name", "--threshold", "0.7"];
    await run(...dedupe, "-o", "kept.jsonl");
    const [kept, removed] = [await lines("kept.jsonl"), await lines("kept.removed.jsonl")];
    const rows = [...kept, ...removed].map((line) => Number(JSON.parse(line).id));
    expect(rows.sort()).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(JSON.parse(removed[0])).toMatchObject({ row: 1, kept_row: 4, name: "The New York Times" });
    await run(...dedupe, "-o", "alone.csv", "--no-removed");
    expect((await readdir(folder)).filter((name) => name.startsWith("alone"))).toEqual(["alone.csv"]);
  });

  it("says that a precision cannot be promised, and the best that can be, also as JSON", async () => {
    const bays = ["Marlin", "Marlon", "Merlin", "Marlyn", "Marlinn", "Marline"].map(
      (name) => `International ${name} Fishing Association`,
    );
    await writeFile(
      join(folder, "bays.csv"),
      ["name,depth", ...bays.map((bay, row) => `${bay},${row}`)].join("\n"),
    );
    const { stdout, stderr } = await run(
      ...["dedupe", "bays.csv", "-c", "name", "--precision", "0.99", "--json", "bays.json"],
    );
    expect(stdout).toContain("6 rows in, 0 groups of duplicates, 6 rows out");
    expect(stderr).toMatch(
      /no group reaches a precision of 0\.99: the best that can be promised is 0\.\d+, with --precision/,
    );
    expect(stderr).toContain("only equal phrases were grouped");
    const report = JSON.parse((await lines("bays.json")).join("\n"));
    expect(report).toMatchObject({ rows: 6, kept: 6, removed: 0, promise: { asked: 0.99, isKept: false } });
    expect(report.promise.best).toBeLessThan(0.99);
  });

  it("never overwrites its input table", async () => {
    const { code, stderr } = await run("dedupe", "names.csv", "-c", "name", "-o", "names.csv");
    expect(code).toBe(1);
    expect(stderr).toContain("names.csv is the input table");
    expect((await readdir(folder)).some((name) => name.includes("partial"))).toBe(false);
  });
});

describe("a column that was not named", () => {
  const people = Array.from(
    { length: 30 },
    (_, row) => `${row},${row % 2 ? "Mr" : "Ms"},Person ${"abcdef"[row % 6]}${row}`,
  );
  beforeAll(async () => {
    await writeFile(join(folder, "people.csv"), ["id,title,full name", ...people].join("\n"));
    const twice = ["Acme Inc.", "Borealis Shipping", "Cedar Mills"].flatMap((name) => [
      `${name},1`,
      `${name},2`,
    ]);
    await writeFile(join(folder, "twice.csv"), ["name,branch", ...twice].join("\n"));
    await writeFile(join(folder, "list.txt"), "Acme Inc.\nAcme Inc.\nacme inc\n");
  });

  it.each(["dedupe", "cluster"])(
    "stops %s on a category, shows the columns and the command, and writes nothing",
    async (command) => {
      const before = await readdir(folder);
      const { code, stdout, stderr } = await run(command, "people.csv", "-q", "-o", "out.csv");
      expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
      expect(stderr).toContain(
        'people.csv: the column "title" was not named, and has only 2 different values in 30 rows',
      );
      const [, cure] = /^ {2}(pearl .*)$/m.exec(stderr) ?? [];
      expect(cure).toBe(`pearl ${command} people.csv -q -o out.csv -c "full name"`);
      expect(stderr).toMatch(
        /column +filled +distinct +examples\n +full name +30 +30 +Person a0 \| Person b1 \| Person c2/,
      );
      expect(await readdir(folder)).toEqual(before);
      // The command that the message shows is the cure.
      const named = await run(command, "people.csv", "-q", "-c", "full name", "-o", `${command}d.csv`);
      expect(named.code).toBe(0);
    },
  );

  it("stops dedupe before it removes more than a third of the rows", async () => {
    const stopped = await run("dedupe", "twice.csv", "-q");
    expect(stopped.code).toBe(1);
    expect(stopped.stderr).toContain('the column "name" was not named, and 3 of 6 rows would be removed');
    expect(await readdir(folder)).not.toContain("twice.deduped.csv");
    expect((await run("dedupe", "twice.csv", "-q", "-c", "name")).stdout).toContain("3 rows out");
  });

  it("leaves no choice in a list of one column, and so does not stop", async () => {
    expect((await run("dedupe", "list.txt", "-q")).stdout).toContain(
      "3 rows in, 1 group of duplicates, 1 row out",
    );
  });
});
