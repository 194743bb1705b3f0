/** Tables in PostgreSQL as outputs: whole or as they were, with the types and values of what was read. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readWholeTable } from "../../../src/table/whole-table.js";
import { writeRows } from "../../../src/table/write/text-rows.js";
import { pearl } from "../../cli/run-here.js";
import { noServer, type Server, startServer } from "../../stores/postgres/server.js";

const folder = mkdtempSync(join(tmpdir(), "pearl-postgres-write-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe.skipIf(noServer !== undefined)("an output in PostgreSQL", () => {
  let server: Server;
  beforeAll(async () => {
    server = await startServer();
  });
  const run = async (...words: string[]) => {
    const outcome = await pearl([...words, "-q"], { cwd: folder, environment: server.environment });
    expect(outcome, outcome.stderr).toMatchObject({ code: 0 });
    return outcome;
  };
  const address = (table: string): string => `${server.address}&table=${table}`;
  const data = (name: string): string => resolve(`data/${name}.csv`);

  it("holds the rows that a file holds", async () => {
    const join = ["join", data("companies"), data("suppliers"), "-m", "pearl-strings", "-o"];
    await run(...join, "joined.csv");
    await run(...join, "postgres://?table=joined");
    const [file, table] = [
      await readWholeTable(`${folder}/joined.csv`),
      await readWholeTable(address("joined")),
    ];
    const numbers = ({ columns: { probability, ...texts } }: typeof file) => ({
      ...texts,
      probability: probability.map(Number),
    });
    expect(numbers(table)).toEqual(numbers(file));
    expect(table.phrases.length).toBeGreaterThan(10);
    await run("dedupe", data("customers"), "-m", "pearl-strings", "-o", "postgres://?table=kept");
    const tables = await server.sql(
      "SELECT relname AS name FROM pg_class WHERE relname LIKE 'kept%' ORDER BY 1",
    );
    expect(tables[0]).toEqual({ name: "kept" });
    expect(tables).toContainEqual({ name: "kept_removed" });
  });

  it("keeps types and values of a table in PostgreSQL", async () => {
    await server.sql(
      `CREATE TABLE typed AS SELECT 7 AS id, 9007199254740993 AS big, 0.1::double precision AS share, 12.50::numeric(10,2) AS price,
       true AS open, E'a "b", \\\\c\\n''d''' AS name, NULL::text AS nothing, '' AS empty, date '2024-02-29' AS day,
       timestamp '2024-02-29 10:11:12.5' AS moment, '01234567-89ab-cdef-0123-456789abcdef'::uuid AS kind,
       '{"a": [1, 2]}'::jsonb AS data, '"abc"'::jsonb AS word, '"7"'::jsonb AS digit, '""'::jsonb AS blank, ARRAY[0.5, -1.25]::real[] AS vector, NULL::int AS missing`,
    );
    await run(
      "dedupe",
      "postgres://?table=typed",
      "-c",
      "name",
      "-m",
      "pearl-strings",
      "-o",
      "postgres://?table=copy",
    );
    const types = (table: string) =>
      server.sql(
        `SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute WHERE attrelid = '${table}'::regclass AND attnum > 0 ORDER BY attnum`,
      );
    expect(await types("copy")).toEqual(await types("typed"));
    expect(await server.sql("SELECT * FROM copy")).toEqual(await server.sql("SELECT * FROM typed"));
  });

  it("holds embeddings as real[], those of a file", async () => {
    const encode = ["encode", data("companies"), "-c", "name", "-m", "pearl-strings", "-o"];
    await run(...encode, "encoded.jsonl");
    await run(...encode, "postgres://?table=encoded");
    const lines = readFileSync(join(folder, "encoded.jsonl"), "utf8").trimEnd().split("\n");
    const found = await server.sql<{ name: string; embedding: number[] }>(
      "SELECT name, embedding FROM encoded ORDER BY id::int",
    );
    expect(found).toEqual(
      lines.map((line) => {
        const { name, embedding } = JSON.parse(line);
        return { name, embedding: embedding.map((value: number) => expect.closeTo(value, 6)) };
      }),
    );
  });

  it("is replaced when the new rows are whole, and stays as it was where they fail", async () => {
    await writeRows(address("public.whole"), ["name"], [[["old"]]]);
    const failing = function* () {
      yield Array.from({ length: 5000 }, (_, row) => [`new ${row}`]);
      throw new Error("no more rows");
    };
    await expect(writeRows(address("whole"), ["name"], failing())).rejects.toThrow("no more rows");
    expect(await server.sql("SELECT * FROM whole")).toEqual([{ name: "old" }]);
    expect(await server.sql("SELECT relname FROM pg_class WHERE relname LIKE 'pearl%'")).toEqual([]);
    await writeRows(address("whole"), [{ name: "n", type: "BIGINT" }], [[[{ json: "1" }]], [[null]]]);
    expect(await server.sql("SELECT n::int FROM whole")).toEqual([{ n: 1 }, { n: null }]);
  });

  describe("is refused before the work", () => {
    const refused = async (table: string): Promise<string> => {
      const words = ["encode", "no-such-file.csv", "-o", `postgres://?table=${table}`];
      const { code, stderr } = await pearl(words, { cwd: folder, environment: server.environment });
      expect(code).toBe(1);
      return stderr;
    };

    it("where another program's table has its name", async () => {
      await server.sql("CREATE TABLE others (name text)");
      expect(await refused("others")).toContain("the table others exists, and pearl did not write it");
    });

    it("where a view shows the table that it would replace", async () => {
      await writeRows(address("shown"), ["name"], [[["old"]]]);
      await server.sql("CREATE VIEW viewer AS SELECT * FROM shown");
      expect(await refused("shown")).toMatch(
        /other objects depend on it \(view viewer depends on table shown\)\. Remove these first/,
      );
      expect(await server.sql("SELECT * FROM viewer")).toEqual([{ name: "old" }]);
    });

    it("and not where others read the table", async () => {
      await writeRows(address("read"), ["name"], [[["old"]]]);
      await server.sql("BEGIN; SELECT * FROM read");
      expect(await refused("read")).toContain("no-such-file.csv");
      await server.sql("COMMIT");
    });
  });
});
