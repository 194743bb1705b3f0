/** `pearl join` as users run it; the contents of tables are tested in test/join/join-tables.full.test.ts. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { pearl } from "../run-here.js";

const folder = mkdtempSync(join(tmpdir(), "pearl-join-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const run = (...parameters: string[]) => pearl(["join", ...parameters], { cwd: folder });

const names =
  "The New York Times,Los Angeles Times,The Washington Post,Chicago Tribune,The Boston Globe,Boston Herald," +
  "San Francisco Chronicle,Toyota Motor Corporation,Procter & Gamble,Deutsche Bahn AG,Siemens AG," +
  "World Health Organization,European Central Bank,1998 Winter Olympics,2002 Winter Olympics," +
  "Henry VII of England,Henry VIII of England,Volkswagen Group,Johns Hopkins University,University of Chicago";
writeFileSync(join(folder, "left.csv"), `name,n\n${names.replaceAll(",", ",1\n")},1\n`);
writeFileSync(
  join(folder, "right.tsv"),
  "title\tnote\nwashington post\ta\nToyota Motors Corp.\tb\nKung Fu Panda\tc\nWinter Olympics 2002\td\n",
);
const both = ["left.csv", "right.tsv"];

describe("pearl join", () => {
  it("writes the joined table, and prints what was compared and how precise it is", async () => {
    const { code, stdout, stderr } = await run(...both, "--on", "name=title", "-o", "joined.csv");
    expect(stderr).toMatch(/left\.csv: comma-separated.*20 rows/);
    expect(stderr).toContain(
      "\ncompared name = title\nmany-to-one: the default where one column is compared\na precision of 0.9 is not established: only 3 pairs",
    );
    expect(stderr).toMatch(/check them\..*--review-out FILE.*compare more columns.*--labels FILE/);
    expect(stdout).toMatch(/^wrote joined\.csv: 3 matches for 3 of 4 right rows \(75\.0 %\), not verified, /);
    expect(code).toBe(0);
    const joined = readFileSync(join(folder, "joined.csv"), "utf8");
    expect(joined).toMatch(/^left_name,left_n,right_title,right_note,probability\n/);
    expect(joined).toMatch(/\n2002 Winter Olympics,1,Winter Olympics 2002,d,0\.9/);
  });

  it("names what it did not compare where it chose the one column, and not where --on names it", async () => {
    const chosen = await run(
      ...both,
      "-m",
      "none",
      "--keep-unmatched",
      "-o",
      "chosen.csv",
      "--json",
      "chosen.json",
    );
    expect(chosen.stderr).toContain(
      "\ncompared name = title\nnot compared: n (no counterpart), note (no counterpart)\nmany-to-one: ",
    );
    const { dropped } = JSON.parse(readFileSync(join(folder, "chosen.json"), "utf8"));
    expect(dropped).toContainEqual({ name: "note", reason: "no counterpart" });
    const named = await run(...both, "-m", "none", "--on", "name=title", "-o", "chosen.csv");
    expect(named.stderr).not.toContain("not compared");
  });

  it("says that a column to ignore has no effect beside those to compare", async () => {
    const { code, stderr } = await run(...both, "--on", "name=title", "--ignore", "note", "-m", "none");
    expect(code).toBe(0);
    expect(stderr).toMatch(/^--ignore has no effect: --on names all columns that are compared\n/);
  });

  it("applies review decisions, writes them as training pairs, and prints CSV without --output", async () => {
    writeFileSync(
      join(folder, "decided.csv"),
      "decision,left,right\nno,The Washington Post,washington post\nyes,2002 Winter Olympics,Winter Olympics 2002\n",
    );
    const options = "--on name=title -m none --review decided.csv --pairs-out pairs.csv -q";
    const { code, stdout, stderr } = await run(...both, ...options.split(" "));
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain("2002 Winter Olympics,1,Winter Olympics 2002,d,1.0000\n");
    expect(stdout).not.toContain("washington post");
    const pairs = readFileSync(join(folder, "pairs.csv"), "utf8");
    expect(pairs).toBe(
      "text,positive,negative\nWinter Olympics 2002,2002 Winter Olympics,1998 Winter Olympics\n",
    );
  });

  it("compares all columns of tables that name them differently, a line for each, also as JSON", async () => {
    const heading = "company,town,founded";
    const rows = names
      .split(",")
      .slice(0, 12)
      .map((name, row) => [name, `Town ${"abcdefghijkl"[row].repeat(4)}`, `${1900 + 7 * row}`]);
    writeFileSync(join(folder, "firms.csv"), `${heading}\n${rows.map((row) => row.join()).join("\n")}\n`);
    const others = rows
      .slice(2, 10)
      .map(([name, town, year]) => [year, name.toUpperCase().slice(0, -1), town]);
    writeFileSync(
      join(folder, "list.csv"),
      `since,who,place\n${others.map((row) => row.join()).join("\n")}\n`,
    );
    const tables = ["firms.csv", "list.csv"];
    const { code, stdout, stderr } = await run(...tables, "-o", "all.csv", "--json", "all.json");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^wrote all\.csv: 8 matches for 8 of 8 right rows \(100\.0 %\), not verified/);
    expect(stderr).toMatch(/column +kind +filled +distinct +agrees +differs\n/);
    for (const pair of ["company = who", "town = place", "founded = since"])
      expect(stderr).toMatch(new RegExp(`\\n${pair} +\\w+ +100 % +\\d+ +\\+\\d+\\.\\d +-\\d+\\.\\d\\n`));
    expect(stderr).toMatch(/\none-to-one/);
    const report = JSON.parse(readFileSync(join(folder, "all.json"), "utf8"));
    expect(report).toMatchObject({
      ...{ matches: 8, matchedRows: 8, rightRows: 8, leftRows: 12, kind: "one-to-one", dropped: [] },
      promise: { target: 0.9, established: false, reason: expect.stringMatching(/^only 8 pairs/) },
    });
    expect(report.low).toBeLessThanOrEqual(report.estimate);
    expect(report.columns[0]).toMatchObject({ name: "company", other: "who", kind: "name", filled: 1 });
  });

  it("stops where columns that were not named leave out more than a third of the rows, and shows the cure", async () => {
    writeFileSync(join(folder, "short.csv"), "short,party\nqx,washington post\nzw,Winter Olympics 2002\n");
    const tables = ["left.csv", "short.csv", "-q", "-o", "short-joined.csv"];
    const stopped = await run(...tables, "--ignore", "party");
    expect({ code: stopped.code, stdout: stopped.stdout }).toEqual({ code: 1, stdout: "" });
    expect(stopped.stderr).toContain(
      'the columns "name" and "short" were not named, and 2 of 2 rows would be left out without a match',
    );
    const [, cure] = /^ {2}pearl join (left\.csv short\.csv .*--on name=party)$/m.exec(stopped.stderr) ?? [];
    expect(existsSync(join(folder, "short-joined.csv"))).toBe(false);
    // Nothing is left out, or the column is named: no reason to stop.
    expect((await run(...tables, "--ignore", "party", "--keep-unmatched")).code).toBe(0);
    expect(await run(...cure.split(" "))).toMatchObject({ code: 0, stderr: "" });
    expect(readFileSync(join(folder, "short-joined.csv"), "utf8")).toContain(
      "The Washington Post,1,qx,washington post",
    );
  });

  it("says why each pair matches, in the table and for programs, and which rows the answers changed", async () => {
    writeFileSync(join(folder, "no.csv"), "decision,left,right\nno,The Washington Post,washington post\n");
    const files = ["-o", "why.csv", "--explain", "--explain-out", "why.jsonl", "--json", "why.json"];
    const { stderr } = await run(...both, "--on", "name=title", ...files, "--review", "no.csv");
    expect(readFileSync(join(folder, "why.csv"), "utf8")).toContain(
      '"""Toyota Motor Corporation"" ≈ ""Toyota Motors Corp."": same word ""Toyota""; ',
    );
    const lines = readFileSync(join(folder, "why.jsonl"), "utf8").trimEnd().split("\n");
    const explained = lines.map((line) => JSON.parse(line));
    expect(explained.find(({ left_row: row }) => row === 8)).toMatchObject({
      right_row: 2,
      why: expect.stringContaining('"Corp" short for "Corporation"'),
      phrases: { left: "Toyota Motor Corporation", right: "Toyota Motors Corp." },
    });
    expect(stderr).toContain("the known pairs changed the matches of 1 row that they judge\n");
    const { labelEffect } = JSON.parse(readFileSync(join(folder, "why.json"), "utf8"));
    expect(labelEffect).toEqual({ decided: 1, gained: 0, lost: 0, replaced: 0 });
  });

  const wrong: [string, string[], number, RegExp][] = [
    ["explanations that are no JSON", [...both, "--explain-out", "why.csv"], 2, /end its name in \.jsonl/],
    ["one file twice", ["left.csv", "left.csv"], 2, /same file.*pearl dedupe/s],
    ["a precision in percent", [...both, "--precision", "90"], 2, /between 0 and 1/],
    ["a kind that is none", [...both, "--kind-of", "name=shoe"], 2, /COLUMN=KIND; kinds are name, text/],
    [
      "an output it cannot write",
      [...both, "-o", "out.docx"],
      2,
      /\.csv, \.tsv, \.jsonl, \.parquet or \.xlsx/,
    ],
    ["pairs without labels", [...both, "--pairs-out", "p.csv"], 2, /--labels or --review/],
  ];
  it.each(wrong)("names %s", async (_, parameters, exitCode, message) => {
    const { code, stderr, stdout } = await run(...parameters);
    expect(stderr).toMatch(message);
    expect({ code, stdout }).toEqual({ code: exitCode, stdout: "" });
  });
});
