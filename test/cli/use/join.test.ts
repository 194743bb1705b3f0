/** `pearl join` as users run it; the contents of tables are tested in test/join/join-tables.test.ts. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { pearl } from "../run-cli.js";

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
  it("writes the joined table and prints its estimated precision", async () => {
    const { code, stdout, stderr } = await run(...both, "--on", "name=title", "-o", "joined.csv");
    expect(stderr).toMatch(/left\.csv: comma-separated.*20 rows/);
    expect(stderr).toMatch(/matched where the estimated precision is at least 0\.\d\d/);
    expect(stdout).toMatch(
      /^wrote joined\.csv: 3 matches for 3 of 4 right rows \(75\.0 %\), estimated precision 0\.9\d+/,
    );
    expect(code).toBe(0);
    const joined = readFileSync(join(folder, "joined.csv"), "utf8");
    expect(joined).toMatch(/^left_name,left_n,right_title,right_note,score,estimated_precision\n/);
    expect(joined).toMatch(/\n2002 Winter Olympics,1,Winter Olympics 2002,d,/);
  });

  it("applies review decisions, writes them as training pairs, and prints CSV without --output", async () => {
    writeFileSync(
      join(folder, "decided.csv"),
      "decision,left,right\nno,The Washington Post,washington post\nyes,2002 Winter Olympics,Winter Olympics 2002\n",
    );
    const options = [
      "--on",
      "name=title:2",
      "-m",
      "none",
      "--review",
      "decided.csv",
      "--pairs-out",
      "pairs.csv",
    ];
    const { code, stdout, stderr } = await run(...both, ...options, "-q");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain("2002 Winter Olympics,1,Winter Olympics 2002,d,");
    expect(stdout).toContain(",1.0000\n");
    expect(stdout).not.toContain("washington post");
    const pairs = readFileSync(join(folder, "pairs.csv"), "utf8");
    expect(pairs).toBe(
      "text,positive,negative\nWinter Olympics 2002,2002 Winter Olympics,1998 Winter Olympics\n",
    );
  });

  it("stops where columns that were not named leave out more than a third of the rows, and shows the cure", async () => {
    writeFileSync(join(folder, "short.csv"), "short,party\nqx,washington post\nzw,Winter Olympics 2002\n");
    const tables = ["left.csv", "short.csv", "-q", "-o", "short-joined.csv"];
    const stopped = await run(...tables);
    expect({ code: stopped.code, stdout: stopped.stdout }).toEqual({ code: 1, stdout: "" });
    expect(stopped.stderr).toContain(
      'the columns "name" and "short" were not named, and 2 of 2 rows would be left out without a match',
    );
    expect(stopped.stderr).toContain("pearl join left.csv short.csv --on name=party\n");
    expect(existsSync(join(folder, "short-joined.csv"))).toBe(false);
    // Nothing is left out, or the column is named: no reason to stop.
    expect((await run(...tables, "--keep-unmatched")).code).toBe(0);
    expect((await run(...tables, "--on", "name=party")).stdout).toContain("2 matches for 2 of 2 right rows");
  });

  it("says that a precision cannot be promised, what can be and what to do, also as JSON", async () => {
    const strict = [...both, "--on", "name=title", "--precision", "0.9999", "-m", "none", "-o", "none.csv"];
    const { code, stderr } = await run(...strict, "--json", "none.json");
    expect(code).toBe(0);
    expect(stderr).not.toContain("matched where");
    const found = /no match reaches a precision of 0\.9999: the best that can be promised is (0\.\d+)/.exec(
      stderr,
    );
    expect(stderr).toMatch(/--review-out FILE.*--on.*--labels FILE/);
    const { promise, matches } = JSON.parse(readFileSync(join(folder, "none.json"), "utf8"));
    expect(matches).toBe(0);
    expect(promise).toMatchObject({ asked: 0.9999, isKept: false });
    expect(promise.best).toBeGreaterThanOrEqual(Number(found![1]));
    const asked = await run(...strict.with(5, found![1]));
    expect(asked.stderr).toContain("matched where");
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
      columns: [{ column: "name=title", left: "Toyota Motor Corporation", right: "Toyota Motors Corp." }],
    });
    expect(stderr).toContain("the known pairs changed 1 row themselves; of the other rows 0 gained, 0 lost");
    const { labelEffect } = JSON.parse(readFileSync(join(folder, "why.json"), "utf8"));
    expect(labelEffect.rows).toEqual({ decided: 1, gained: 0, lost: 0, replaced: 0 });
    expect(labelEffect.meanEstimate.with).toBeLessThan(labelEffect.meanEstimate.without);
  });

  const wrong: [string, string[], number, RegExp][] = [
    [
      "explanations that are no JSON lines",
      [...both, "--explain-out", "why.csv"],
      2,
      /end its name in \.jsonl/,
    ],
    ["one file twice", ["left.csv", "left.csv"], 2, /same file.*pearl dedupe/s],
    ["a precision in percent", [...both, "--precision", "90"], 2, /between 0 and 1/],
    ["a weight of nothing", [...both, "--on", "name=title:0"], 2, /weight above 0/],
    ["an output it cannot write", [...both, "-o", "out.xlsx"], 1, /\.csv, \.tsv, \.jsonl or \.parquet/],
    ["pairs without labels", [...both, "--pairs-out", "p.csv"], 2, /--labels or --review/],
  ];
  it.each(wrong)("names %s", async (_, parameters, exitCode, message) => {
    const { code, stderr, stdout } = await run(...parameters);
    expect(stderr).toMatch(message);
    expect({ code, stdout }).toEqual({ code: exitCode, stdout: "" });
  });
});
