/** `pearl index` and `pearl search` as users run them: a table in, hits out, and clear errors. */
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { VectorIndex } from "../../../src/search/vector-index.js";
import { readAllColumns } from "../../../src/table/whole-table.js";
import { pearl } from "../run-here.js";

const folder = mkdtempSync(join(tmpdir(), "pearl-search-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const cwd = folder;
const papers = [
  ["p1", "The New York Times", "1851"],
  ["p2", "Los Angeles Times", "1881"],
  ["p3", 'Zürich, "Limmatstadt"', "1780"],
  ["p4", "", "0"],
];
const csv = (rows: readonly (readonly string[])[]): string =>
  `${["id,name,year", ...rows.map((row) => row.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(","))].join("\n")}\n`;

beforeAll(async () => {
  writeFileSync(join(folder, "papers.csv"), csv(papers));
  const built = await pearl(["index", "build", "papers.csv", "-o", "papers", "-c", "name", "--key", "id"], {
    cwd,
  });
  expect(built.stderr).toContain("1 row without a phrase");
  expect(built).toMatchObject({
    code: 0,
    stdout: "papers: 4 rows added, 4 in all × 600 dimensions; exact\n",
  });
});

describe("pearl search", () => {
  it("shows the best rows with their score, key and columns", async () => {
    const { stdout, code } = await pearl(["search", "papers", "new york time", "-k", "2"], { cwd });
    expect(code).toBe(0);
    const lines = stdout.split("\n");
    expect(lines[0]).toBe("new york time");
    expect(lines[1]).toMatch(/SCORE {2}KEY {2}name +year/);
    expect(lines[2]).toMatch(/0\.[6-9]\d+ {2}p1 +The New York Times +1851/);
  });

  it("writes the hits for a file of queries into a table", async () => {
    writeFileSync(join(folder, "queries.txt"), "NY Times\nzurich\n");
    const run = await pearl(["search", "papers", "--queries", "queries.txt", "-o", "hits.csv", "-k", "1"], {
      cwd,
    });
    expect(run).toMatchObject({ code: 0 });
    expect(run.stdout).toContain("2 hits for 2 queries");
    const [heading, , second] = readFileSync(join(folder, "hits.csv"), "utf8").split("\n");
    expect(heading).toBe("query,rank,score,key,row_id,row_name,row_year");
    expect(second).toMatch(/^zurich,1,0\.\d{4},p3,p3,"Zürich, ""Limmatstadt""",1780$/);
  });

  it.each(["csv", "tsv", "jsonl", "parquet"])(
    "keeps the other columns of the queries' table in %s",
    async (ending) => {
      writeFileSync(join(folder, "asked.csv"), "rank,name,key\n7,NY Times,a\n8,zurich,\n");
      const hits = `asked-hits.${ending}`;
      const options = ["--queries", "asked.csv", "-c", "name", "-o", hits, "-k", "2"];
      expect(await pearl(["search", "papers", ...options], { cwd })).toMatchObject({ code: 0 });
      const { columns } = await readAllColumns(join(folder, hits));
      expect(Object.keys(columns).slice(0, 6)).toEqual([
        "query",
        "query_rank",
        "query_key",
        "rank",
        "score",
        "key",
      ]);
      expect(columns.query_rank).toEqual(["7", "7", "8", "8"]);
      expect(columns.query_key).toEqual(["a", "a", "", ""]);
      expect(columns.rank).toEqual(["1", "2", "1", "2"]);
    },
  );

  it("reads queries from a pipe and prints a line of JSON for each, without hits for an empty one", async () => {
    const options = ["search", "papers", "-k", "1", "--json"];
    const { stdout } = await pearl(options, { cwd, input: "zuerich limmatstadt\n\nny times\n" });
    const [first, second] = stdout.split("\n").map((line) => line && JSON.parse(line));
    expect(first.hits).toHaveLength(1);
    expect(first.hits[0]).toMatchObject({ key: "p3", row: { name: 'Zürich, "Limmatstadt"', year: "1780" } });
    expect(second).toEqual({ query: "", hits: [] });
  });

  it("answers typed queries in the form and to the file that is asked for", async () => {
    const typed = { cwd, input: "ny times\n", isTerminal: true } as const;
    const shown = await pearl(["search", "papers", "-k", "1", "--json"], typed);
    expect(JSON.parse(shown.stdout)).toMatchObject({ query: "ny times", hits: [{ key: "p1" }] });
    const written = await pearl(["search", "papers", "-k", "1", "-o", "typed.csv"], typed);
    expect(written.stdout).toContain("wrote typed.csv: 1 hit for 1 query");
  });

  it("refuses a model other than the index's", async () => {
    cpSync(join(folder, "papers"), join(folder, "strange"), { recursive: true });
    const path = join(folder, "strange", "index.json");
    const manifest = readFileSync(path, "utf8");
    writeFileSync(
      path,
      manifest.replace(/"fingerprint": "\w+"/, '"fingerprint": "0123"').replace("crc32", "of"),
    );
    const search = await pearl(["search", "strange", "phrase"], { cwd });
    expect(search).toMatchObject({ code: 1, stdout: "" });
    expect(search.stderr).toMatch(
      /strange holds vectors of \S+ \(fingerprint 0123\), not of the model given/,
    );
  });

  it("says what is wrong with the arguments", async () => {
    const none = await pearl(["search", "nowhere", "x"], { cwd });
    expect(none).toMatchObject({ code: 1 });
    expect(none.stderr).toContain("pearl index build FILE -o nowhere");
    const both = await pearl(["search", "papers", "x", "--queries", "queries.txt"], { cwd });
    expect(both).toMatchObject({ code: 2 });
    const ending = await pearl(["search", "papers", "x", "-o", "hits.xls"], { cwd });
    expect(ending.stderr).toContain(".csv, .tsv, .jsonl, .parquet or .xlsx");
    expect((await pearl(["index", "delete", "papers"], { cwd })).code).toBe(2);
  });
});

describe("pearl index", () => {
  it("adds, replaces and deletes rows, and reports the counts", async () => {
    const index = join(folder, "changing");
    cpSync(join(folder, "papers"), index, { recursive: true });
    const more = [
      ["p2", "Neue Zürcher Zeitung", "1780"],
      ["p9", "Le Monde", "1944"],
    ];
    writeFileSync(join(folder, "more.csv"), csv(more));
    const replaced = await pearl(["index", "add", "changing", "more.csv", "--replace"], { cwd });
    expect(replaced.stdout).toContain("2 rows added, 5 in all");
    const deleted = await pearl(["index", "delete", "changing", "--phrases", "Le Monde", "nothing"], { cwd });
    expect(deleted.stdout).toBe("changing: 1 row deleted, 4 left\n");
    const info = await pearl(["index", "info", "changing", "--json"], { cwd });
    expect(JSON.parse(info.stdout)).toMatchObject({
      rows: 4,
      keyColumn: "id",
      phraseColumn: "name",
      dimension: 600,
    });
    const check = await pearl(["index", "check", "changing"], { cwd });
    expect(check).toMatchObject({ code: 0, stdout: "changing: every row is as it was written\n" });
    const opened = await VectorIndex.open(index);
    const cells: (readonly string[])[] = [];
    for await (const entry of opened.entries()) cells.push(entry.cells);
    await opened.close();
    expect(cells).toEqual([papers[0], papers[2], papers[3], more[0]]);
  });

  it("reports errors before any work, and leaves no files behind", async () => {
    writeFileSync(join(folder, "twice.csv"), csv([papers[0], papers[1], papers[0]]));
    const twice = await pearl(["index", "build", "twice.csv", "-o", "new", "--key", "id"], { cwd });
    expect(twice).toMatchObject({ code: 1, stdout: "" });
    expect(twice.stderr).toMatch(/rows 1 and 3 have the same id, p1/);
    const missing = await pearl(["index", "build", "papers.csv", "-o", "new", "--key", "number"], { cwd });
    expect(missing.stderr).toMatch(/no column "number".*id, name, year/);
    expect(existsSync(join(folder, "new"))).toBe(false);
    writeFileSync(join(folder, "other.csv"), "id,title\n1,x\n");
    const other = await pearl(["index", "add", "papers", "other.csv"], { cwd });
    expect(other.stderr).toMatch(/no column "name"/);
    const again = await pearl(["index", "build", "papers.csv", "-o", "papers", "-q"], { cwd });
    expect(again).toMatchObject({ code: 1 });
    expect(again.stderr).toContain("papers is already an index");
  });
});
