/** Tables in PostgreSQL wherever a file may stand: what commands make of them is what they make of the same rows in a file. */
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Table } from "../../../src/table/table.js";
import { readWholeTable } from "../../../src/table/whole-table.js";
import { pearl } from "../../cli/run-here.js";
import { noServer, type Server, startServer } from "../../stores/postgres/server.js";

const folder = mkdtempSync(join(tmpdir(), "pearl-postgres-read-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The values of a table with a column of each type: what SQL writes, and the JSON that pearl writes. */
const typed: Readonly<Record<string, readonly [type: string, value: string, duckdb: string, json: unknown]>> =
  {
    id: ["integer", "7", "INTEGER", 7],
    big: ["bigint", "9007199254740993", "BIGINT", "9007199254740993"],
    share: ["double precision", "0.1", "DOUBLE", 0.1],
    price: ["numeric(10,2)", "12.50", "DECIMAL(10,2)", "12.50"],
    exact: ["numeric", "1234567890123456789012345678901234567890.5", "VARCHAR", undefined],
    open: ["boolean", "true", "BOOLEAN", true],
    name: ["text", "E'quoted \"x\", O''Neil,\\n\\\\line'", "VARCHAR", 'quoted "x", O\'Neil,\n\\line'],
    nothing: ["text", "NULL", "VARCHAR", null],
    empty: ["text", "''", "VARCHAR", ""],
    code: ["character varying(5)", "'a'", "VARCHAR", "a"],
    day: ["date", "'2024-02-29'", "DATE", "2024-02-29"],
    moment: ["timestamp", "'2024-02-29 10:11:12.5'", "TIMESTAMP", "2024-02-29 10:11:12.5"],
    kind: ["uuid", "'01234567-89ab-cdef-0123-456789abcdef'", "UUID", "01234567-89ab-cdef-0123-456789abcdef"],
    tags: ["text[]", "ARRAY['a', NULL, 'b']", "JSON", ["a", null, "b"]],
    data: ["jsonb", `'{"a": [1, 2]}'`, "JSON", { a: [1, 2] }],
    vector: ["real[]", "ARRAY[0.5, -1.25]", "FLOAT[]", [0.5, -1.25]],
  };

describe.skipIf(noServer !== undefined)("a table in PostgreSQL", () => {
  let server: Server;
  let address: (table: string) => string;
  beforeAll(async () => {
    server = await startServer();
    address = (table) => `${server.address}&table=${table}`;
    const columns = Object.entries(typed).map(([name, [type]]) => `${name} ${type}`);
    await server.sql(`CREATE TABLE typed (${columns.join(", ")})`);
    await server.sql(
      `INSERT INTO typed VALUES (${Object.values(typed)
        .map(([, value]) => value)
        .join(", ")})`,
    );
    for (const name of ["companies", "suppliers", "customers"]) {
      const path = resolve(`data/${name}.csv`);
      copyFileSync(path, join(folder, `${name}.csv`));
      const { columns: cells, description } = await readWholeTable(path);
      await server.sql(
        `CREATE TABLE ${name} (${description.columns.map((column) => `"${column}" text`).join(", ")})`,
      );
      const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`;
      const rows = Array.from(
        { length: description.rowCount },
        (_, row) => `(${description.columns.map((column) => quoted(cells[column][row])).join(", ")})`,
      );
      await server.sql(`INSERT INTO ${name} VALUES ${rows.join(", ")}`);
    }
  });
  const run = (...words: string[]) =>
    pearl([...words, "-q"], { cwd: folder, environment: server.environment });

  it("keeps the type and the value of every column", async () => {
    const table = await Table.open(address("typed"));
    expect(Object.fromEntries(table.columns.map(({ name, type }) => [name, type]))).toEqual(
      Object.fromEntries(Object.entries(typed).map(([name, [, , type]]) => [name, type])),
    );
    expect(table.description.summary).toContain('typed: PostgreSQL, 1 row; phrases from "name"');
    await table.close();
    const { columns } = await readWholeTable(address("typed"));
    expect(columns.exact).toEqual([typed.exact[1]]);
    expect(columns.moment).toEqual(["2024-02-29 10:11:12.5"]);
    expect([columns.nothing, columns.empty]).toEqual([[""], [""]]);
    const { code } = await run(
      "dedupe",
      "postgres://?table=typed",
      "-c",
      "name",
      "-o",
      "typed.jsonl",
      "-m",
      "pearl-strings",
    );
    expect(code).toBe(0);
    const line = readFileSync(join(folder, "typed.jsonl"), "utf8");
    for (const [name, [, , , json]] of Object.entries(typed)) {
      // These have more digits than a number of JavaScript.
      if (typeof json === "string" && name !== "name" && /^[\d.]+$/.test(json))
        expect(line).toContain(`"${name}":${json}`);
      else if (json !== undefined) expect(JSON.parse(line)).toHaveProperty(name, json);
    }
  });

  it("is read where its values are none of DuckDB's types, and where its name has a space", async () => {
    await server.sql(
      `CREATE TABLE "Order Details" AS SELECT 'a' AS name, date '0044-03-15 BC' AS day, timestamp '0044-03-15 10:00 BC' AS moment,
       'NaN'::numeric(10,2) AS price, 0.00123::numeric(3,5) AS small, ARRAY[[1,2],[3,4]]::real[] AS grid, 'NaN'::real AS share,
       ARRAY['NaN', 0.5, NULL]::real[] AS vector, date 'infinity' AS ever, NULL::date AS no`,
    );
    const { columns, typed } = await readWholeTable(address("Order Details"), { column: "name" });
    expect(columns).toEqual({
      ...{ name: ["a"], day: ["0044-03-15 BC"], moment: ["0044-03-15 10:00:00 BC"], price: ["NaN"] },
      ...{ small: ["0.00123"], grid: ["[[1,2],[3,4]]"], share: ["nan"], vector: ["[null, 0.5, null]"] },
      ...{ ever: ["infinity"], no: [""] },
    });
    const types = Object.fromEntries(typed.columns.map(({ name, type }) => [name, type]));
    expect(types).toEqual({
      ...{ name: "VARCHAR", day: "VARCHAR", moment: "VARCHAR", price: "VARCHAR", small: "VARCHAR" },
      ...{ grid: "JSON", share: "FLOAT", vector: "FLOAT[]", ever: "DATE", no: "DATE" },
    });
    const copied = `postgres://?table=copied`;
    const words = ["-c", "name", "-m", "pearl-strings", "-o", copied];
    expect(await run("dedupe", "postgres://?table=Order Details", ...words)).toMatchObject({ code: 0 });
    expect(await server.sql("SELECT vector::text, grid::text FROM copied")).toEqual([
      { vector: "{NaN,0.5,NULL}", grid: "[[1, 2], [3, 4]]" },
    ]);
    await expect(Table.open(address("Order Detail"))).rejects.toThrow('Did you mean "Order Details"?');
  });

  it("is read in the order of its primary key, and in one snapshot", async () => {
    await server.sql("CREATE TABLE sorted (a int, b text, name text, PRIMARY KEY (b, a))");
    await server.sql(
      "INSERT INTO sorted SELECT i % 100, 'b' || i / 100, 'n' || i FROM generate_series(9999, 0, -1) i",
    );
    const table = await Table.open(address("sorted"), { column: "name" });
    const phrases: string[] = [];
    for await (const chunk of table.phrases()) phrases.push(...chunk);
    const [{ names }] = await server.sql<{ names: string[] }>(
      "SELECT array_agg(name ORDER BY b, a) AS names FROM sorted",
    );
    expect(phrases).toEqual(names);
    await table.close();
  });

  it.each([
    [["encode", "companies", "-c", "name", "-m", "pearl-strings", "-o"], "encoded.csv"],
    [["join", "companies", "suppliers", "-m", "pearl-strings", "-o"], "joined.csv"],
    [["dedupe", "customers", "-m", "pearl-strings", "-o"], "kept.csv"],
    [["cluster", "companies", "-c", "name", "-m", "pearl-strings", "-o"], "grouped.csv"],
    [["link", "customers", "--store", "store", "-m", "none", "-o"], "linked.csv"],
    [["plot", "companies", "-c", "name", "--title", "map", "-m", "pearl-strings", "-o"], "map.svg"],
  ])("pearl %s gives the same as of a file", async ([command, ...words], name) => {
    const results = ["file", "postgres"].map(async (kind) => {
      const input = (word: string) =>
        !["companies", "suppliers", "customers"].includes(word)
          ? word
          : kind === "file"
            ? `${word}.csv`
            : `postgres://?table=${word}`;
      const given = words.map((word) => (word === "store" ? `${kind}.pearl` : input(word)));
      return [command, ...given, `${kind}-${name}`];
    });
    for (const given of await Promise.all(results)) {
      const outcome = await run(...given);
      expect(outcome, outcome.stderr).toMatchObject({ code: 0 });
    }
    const [file, postgres] = ["file", "postgres"].map((kind) =>
      readFileSync(join(folder, `${kind}-${name}`), "utf8"),
    );
    expect(postgres).toBe(file);
    expect(file.length).toBeGreaterThan(100);
  });

  it("gives default outputs its name, and is resumed while it is unchanged", async () => {
    expect(
      await run("encode", "postgres://?table=companies", "-c", "name", "-m", "pearl-strings"),
    ).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("wrote companies.embeddings.parquet: "),
    });
    const identity = async () => {
      const table = await Table.open(address("companies"));
      await table.close();
      return table.identity;
    };
    const before = await identity();
    expect(await identity()).toBe(before);
    await server.sql("UPDATE companies SET name = 'Other' WHERE name = (SELECT min(name) FROM companies)");
    expect(await identity()).not.toBe(before);
  });

  it("is read until the signal is aborted, also where the server is long silent", async () => {
    await server.sql("CREATE VIEW slow AS SELECT 'a' AS name, pg_sleep(600)::text AS late");
    const signal = AbortSignal.timeout(2_000);
    const reading = readWholeTable(address("slow"), { column: "name", signal });
    await expect(reading).rejects.toMatchObject({ name: "TimeoutError" });
  });

  it("may be the queries of a search, and a table whose types are asked", async () => {
    await server.sql("CREATE TABLE asked (name text)");
    await server.sql("INSERT INTO asked VALUES ('toyota'), ('siemens')");
    expect(
      await run(
        "index",
        "build",
        "postgres://?table=suppliers",
        "-c",
        "supplier",
        "-m",
        "pearl-strings",
        "-o",
        "s.index",
      ),
    ).toMatchObject({ code: 0 });
    const { stdout } = await run(
      "search",
      "s.index",
      "--queries",
      "postgres://?table=asked",
      "-k",
      "1",
      "--json",
    );
    expect(
      stdout
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line).query),
    ).toEqual(["toyota", "siemens"]);
    expect(await run("type", "postgres://?table=asked")).toMatchObject({ code: 0 });
  });
});
