import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { TableError, UsageError } from "../../src/errors.js";
import { type JoinTablesOptions, joinTables } from "../../src/join/join-tables.js";
import { readLabelsFile } from "../../src/join/labels-file.js";

const folder = mkdtempSync(join(tmpdir(), "pearl-join-tables-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const file = (name: string, content: string | Buffer): string => {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
};
const read = (path: string): string => readFileSync(path, "utf8");

const names = [
  "The New York Times",
  "Los Angeles Times",
  "The Washington Post",
  "Chicago Tribune",
  "The Boston Globe",
  "Boston Herald",
  "San Francisco Chronicle",
  "Toyota Motor Corporation",
  "Procter & Gamble",
  "Deutsche Bahn AG",
  "Siemens AG",
  "World Health Organization",
  "European Central Bank",
  "1998 Winter Olympics",
  "2002 Winter Olympics",
  "Henry VII of England",
  "Henry VIII of England",
  "Volkswagen Group",
  "Johns Hopkins University",
  "University of Chicago",
];
const left = file("left.csv", `id,name\n${names.map((name, row) => `${row + 1},${name}`).join("\n")}\n`);
const right = file(
  "right.tsv",
  "title\tnote\nwashington post\ta\nToyota Motors Corp.\tb\nKung Fu Panda\tc\nWinter Olympics 2002\td\nHenry 8th of England\te\n",
);
const on = [{ left: "name", right: "title" }];
const out = join(folder, "joined.csv");
const run = (options: JoinTablesOptions = {}, tables = [left, right]) =>
  joinTables(tables[0], tables[1], out, { encoder: "none", on, ...options });

describe("joinTables", () => {
  it("writes every column of both tables in the right table's order, with unmatched rows and reasons if asked", async () => {
    const report = await run({ unmatched: "keep", explain: "column" });
    expect(report).toMatchObject({ matches: 4, matchedRows: 4, leftRows: 20, rightRows: 5 });
    const [heading, ...rows] = read(out).trim().split("\n");
    expect(heading).toBe("left_id,left_name,right_title,right_note,score,estimated_precision,why");
    expect(rows.map((row) => row.split(",")[3])).toEqual(["a", "b", "c", "d", "e"]);
    expect(rows[0]).toMatch(/^3,The Washington Post,washington post,a,-?\d+\.\d{4},0\.\d{4},/);
    expect(rows[2]).toBe('"","",Kung Fu Panda,c,"","",""');
    expect(rows[3]).toMatch(/same words ""\w+"", ""\w+"", ""\w+""; numbers agree/);
  });

  it("applies the decisions of a review file, and writes confirmed pairs for training", async () => {
    const reviewPath = join(folder, "review.csv");
    const { reviewed } = await run({ reviewPath });
    const [heading, ...rows] = read(reviewPath).trim().split("\n");
    expect(rows).toHaveLength(reviewed!);
    expect(heading).toMatch(/^decision,left,right,second_best_left,estimated_precision,joined/);
    const doubts = rows.map((row) => Math.abs(Number(/,(0\.\d{4}),(?:yes|no),/.exec(row)![1]) - 0.5));
    expect(doubts).toEqual([...doubts].sort((a, b) => a - b));
    const answer = (row: string): string =>
      row.includes("washington post") ? "no" : row.includes("8th") ? "yes" : '""';
    const decided = file(
      "decided.csv",
      `${[heading, ...rows.map((row) => row.replace(/^""/, answer(row)))].join("\n")}\n`,
    );
    const labels = await readLabelsFile(decided);
    expect(labels).toHaveLength(2);
    const pairsPath = join(folder, "pairs.csv");
    const again = await run({ labels, pairsPath, reviewPath });
    expect(again.pairs).toEqual({ pairs: 1, withNegative: 1 });
    expect(read(out)).not.toContain("The Washington Post");
    expect(read(out)).toMatch(/Henry VIII of England,Henry 8th of England,e,-?[\d.]+,1\.0000/);
    expect(read(reviewPath)).not.toContain("Henry 8th");
    expect(read(pairsPath)).toBe(
      "text,positive,negative\nHenry 8th of England,Henry VIII of England,Henry VII of England\n",
    );
  });

  it("reads tables of different formats, and suggests a cure for another encoding", async () => {
    const marked = file("marked.csv", `\ufeffname\nZürich Versicherung\n${names.join("\n")}\n`);
    const lines = file("lines.jsonl", '{"title":"Zurich Versicherung"}\n');
    await run({}, [marked, lines]);
    expect(read(out)).toContain("Zürich Versicherung,Zurich Versicherung,");
    const latin = file("latin.csv", Buffer.from("name\nZürich\nSiemens AG\n", "latin1"));
    await expect(run({}, [latin, lines])).rejects.toThrow(
      /latin\.csv, line 2: bytes that are not UTF-8.*iconv/,
    );
  });

  it("names a missing column and the table that lacks it", async () => {
    await expect(run({ on: [{ left: "name" }] })).rejects.toThrow(
      /right\.tsv: no column "name".*title, note/,
    );
    await expect(run({ block: { left: "city" } })).rejects.toThrow(/left\.csv: no column "city"/);
  });

  it("rejects the same file as both tables, and a table without rows", async () => {
    await expect(run({}, [left, join(folder, ".", "left.csv")])).rejects.toThrow(UsageError);
    await expect(run({}, [left, file("empty.csv", "title,note\n")])).rejects.toThrow(TableError);
  });

  it("warns of duplicates, empty cells and a single row, but still joins", async () => {
    const dirty = file(
      "dirty.csv",
      `name,x\n${[...names, "siemens ag", ""].map((name) => `${name},1`).join("\n")}\n`,
    );
    const notes: string[] = [];
    const report = await run({ onNote: (note) => notes.push(note) }, [dirty, right]);
    expect(report.matches).toBeGreaterThan(0);
    expect(notes.join("\n")).toMatch(
      /warning: left table: 1 of 22 rows repeat the name=title of another row/,
    );
    expect(notes.join("\n")).toMatch(/name=title is empty in 1 of 22 rows/);
    const one = await run({}, [file("one.csv", "name,x\nThe Washington Post,1\n"), right]);
    expect(one.warnings.join()).toMatch(/1 row is too few/);
  });

  it("leaves no partial file if it cannot write", async () => {
    const nowhere = join(folder, "missing", "out.csv");
    await expect(joinTables(left, right, nowhere, { encoder: "none", on })).rejects.toThrow(/missing/);
    expect(existsSync(join(folder, "missing"))).toBe(false);
    expect(readdirSync(folder).filter((name) => name.includes("partial"))).toEqual([]);
  });
});

describe("readLabelsFile", () => {
  it("finds its columns by name or position, and skips undecided rows", async () => {
    const pairs = await readLabelsFile(file("three.csv", "a,b,c\nx,y,1\nx,z,0\nv,w,\n"));
    expect(pairs).toEqual([
      { left: "x", right: "y", match: true },
      { left: "x", right: "z", match: false },
    ]);
    const matches = await readLabelsFile(file("two.tsv", "right\tleft\ny\tx\nz\tv\n"));
    expect(matches[0]).toEqual({ left: "x", right: "y", match: true });
  });

  it("asks for decisions if the review file has none", async () => {
    const untouched = file("untouched.csv", "decision,left,right\n,x,y\n,v,w\n");
    await expect(readLabelsFile(untouched)).rejects.toThrow("untouched.csv: no row has a decision");
  });

  it("names the row of an unknown decision, contradictions and missing columns", async () => {
    const odd = file("odd.csv", "left,right,decision\nx,y,yes\nx,z,perhaps\n");
    await expect(readLabelsFile(odd)).rejects.toThrow('odd.csv, row 2: "perhaps" is not a decision');
    const both = file("both.csv", "left,right,match\nx,y,yes\nx,y,no\n");
    await expect(readLabelsFile(both)).rejects.toThrow(/both as a match and as a non-match/);
    await expect(readLabelsFile(file("single.csv", "left\nx\ny\n"))).rejects.toThrow(/expected left, right/);
    await expect(readLabelsFile(file("gap.csv", "left,right,match\nx,,yes\n"))).rejects.toThrow(
      /row 1: left or right is empty/,
    );
  });
});
