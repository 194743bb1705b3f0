/** Tables of database files. `test/fixtures/shop.db` is as Python wrote it with test/fixtures/shop.py. */
import { chmodSync, copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync, gzipSync } from "node:zlib";
import { DuckDBInstance } from "@duckdb/node-api";
import sqlite from "node-sqlite3-wasm";
import { beforeAll, describe, expect, it } from "vitest";
import { Table } from "../../../src/table/table.js";
import { readWholeTable } from "../../../src/table/whole-table.js";
import { readTable, refusalOf, testFolder } from "../folder.js";

const { path: folder, file } = testFolder();
// The kind of a file shows in its bytes, not in its name.
const shop = file("shop.csv");
copyFileSync(fileURLToPath(new URL("../../fixtures/shop.db", import.meta.url)), shop);

/** Makes an SQLite file. */
function made(name: string, sql: string): string {
  const database = new sqlite.Database(file(name));
  database.exec(sql);
  database.close();
  return file(name);
}

const typesOf = async (path: string): Promise<Record<string, string>> => {
  const table = await Table.open(path);
  await table.close();
  return Object.fromEntries(table.columns.map(({ name, type }) => [name, type]));
};

describe("an SQLite file", () => {
  it("gives the rows of a table in its own order, each column with the type that holds its values", async () => {
    const { columns, description } = await readTable(`${shop}?table=customers`);
    expect(columns).toEqual({
      id: ["1", "2", "9007199254740993"],
      name: ["Zoë & Söhne", "Acme", ""],
      balance: ["1.5", "2.0", ""],
      born: ["2024-01-31", "", "31.1.24"],
      // Two bytes of a picture, and four that are text.
      photo: ["FFD8", "jpeg", ""],
      note: ["text", "7", "0.1"],
      'Größe "m"': ["3.0", "4.0", ""],
    });
    expect(await typesOf(`${shop}?table=customers`)).toEqual({
      ...{ id: "BIGINT", name: "VARCHAR", balance: "DOUBLE", born: "VARCHAR", photo: "VARCHAR" },
      ...{ note: "VARCHAR", 'Größe "m"': "DOUBLE" },
    });
    expect(description.summary).toMatch(
      /: SQLite, table "customers", 3 rows; phrases from "name" of id, name/,
    );
  });

  it("gives a table without row numbers, a view, and a table without rows", async () => {
    expect((await readTable(`${shop}?table=größte orders`)).columns).toEqual({
      code: ["a", "b"],
      amount: ["-9223372036854775808", "1"],
    });
    const view = await readWholeTable(`${shop}?table=NAMES`);
    expect([0, 1].map(view.typed.cells)).toEqual([
      ["Zoë & Söhne", { json: "5.0" }],
      ["Acme", { json: String(2 / 0.3) }],
    ]);
    expect((await readTable(`${shop}?table=main.empty`)).description.rowCount).toBe(0);
    expect(await typesOf(`${shop}?table=empty`)).toEqual({ id: "BIGINT", rate: "DOUBLE", name: "VARCHAR" });
  });

  it("gives its only table without its name, and lists several", async () => {
    const one = made("one.db", "CREATE TABLE t (a TEXT); INSERT INTO t VALUES ('x')");
    expect((await readTable(one)).columns).toEqual({ a: ["x"] });
    const names = 'customers, empty, "größte orders", names';
    expect(await refusalOf(shop)).toMatch(
      new RegExp(
        `^shop.csv has several tables\\. Name one: \\S*shop\\.csv\\?table=customers\\S* \\(${names}\\)`,
      ),
    );
    expect(await refusalOf(`${shop}?table=custmers`)).toBe(
      `shop.csv: no table "custmers". Its tables are ${names}. Did you mean "customers"?`,
    );
    expect(await refusalOf(`${shop}?table=people`)).toMatch("Choose one of these.");
    expect(await refusalOf(made("none.db", "CREATE TABLE t (a); DROP TABLE t"))).toBe(
      "none.db has no tables. Give a database with at least one.",
    );
  });

  it("keeps numbers that no double holds as text where others have a fraction", async () => {
    const mixed = made(
      "mixed.db",
      "CREATE TABLE t (n); INSERT INTO t VALUES (0.5), (9007199254740993), (1e300)",
    );
    expect((await readTable(mixed, { column: "n" })).columns).toEqual({
      n: ["0.5", "9007199254740993", "1e+300"],
    });
  });

  it("is refused with its row where a text is not UTF-8", async () => {
    const latin = made(
      "latin.db",
      "CREATE TABLE t (a TEXT); INSERT INTO t VALUES ('x'), (CAST(x'4DFC' AS TEXT))",
    );
    expect(await refusalOf(latin)).toBe(
      "latin.db, row 2: text that is not UTF-8. Correct it in the database.",
    );
  });

  it("is read with what its log holds, unchanged, and with nothing left beside it", async () => {
    const writer = new sqlite.Database(file("writer.db"));
    writer.exec("PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; CREATE TABLE t (a TEXT)");
    writer.exec("INSERT INTO t VALUES ('new')");
    const apart = join(folder, "apart");
    mkdirSync(apart);
    for (const ending of ["", "-wal"])
      copyFileSync(file(`writer.db${ending}`), join(apart, `live.db${ending}`));
    writer.close();
    chmodSync(join(apart, "live.db-wal"), 0o444);
    const before = readdirSync(apart).map((name) => readFileSync(join(apart, name)));
    chmodSync(apart, 0o555);
    const { columns } = await readTable(join(apart, "live.db"));
    chmodSync(apart, 0o755);
    expect(columns).toEqual({ a: ["new"] });
    expect(readdirSync(apart)).toEqual(["live.db", "live.db-wal"]);
    expect(readdirSync(apart).map((name) => readFileSync(join(apart, name)))).toEqual(before);
  });

  it("is refused where a journal beside it undoes what was written, but not by an old journal", async () => {
    const torn = made("torn.db", "CREATE TABLE t (a TEXT); INSERT INTO t VALUES ('x')");
    writeFileSync(`${torn}-journal`, Buffer.from("d9d505f920a163d7", "hex"));
    expect(await refusalOf(torn)).toBe(
      "torn.db: another program writes it, or was stopped while it did. Wait, or let SQLite tidy up: sqlite3 FILE .tables",
    );
    writeFileSync(`${torn}-journal`, Buffer.alloc(512));
    expect((await readTable(torn)).columns).toEqual({ a: ["x"] });
  });

  it("is refused where it is cut off or in UTF-16", async () => {
    const bytes = readFileSync(shop);
    expect(await refusalOf(`${file("cut.db", bytes.subarray(0, 1024))}?table=customers`)).toBe(
      "cut.db?table=customers: SQLite cannot read it (database disk image is malformed). Close what writes it, restore it if it is damaged, or make a copy in UTF-8: sqlite3 FILE .dump | sqlite3 copy.db",
    );
    // A table in UTF-16 with a page of 512 bytes, as Python writes it.
    const packed =
      "H4sIABJiDmsC/wsO9MksSVVIyy/KTSxRMGZgYmBkZHBQUGBgADIhGAYYgZgFiY8shwswMeglM/KCNDPuZQCiUUBN4MjIpigoyJhawpDIkMSQw5DKUAKETM4MQQyuDI4MIUBSAUg6Mjgx+IDZJQwaQKUgOpWhAkhqMkDi5hcDEI2CEQVYGJkEnzAAAHeJMDoABAAA";
    expect(await refusalOf(file("wide.db", gunzipSync(Buffer.from(packed, "base64"))))).toMatch(
      /SQLite cannot read it .* make a copy in UTF-8/,
    );
  });

  it("reports how far it is, and ends where the signal says so", async () => {
    const long = made(
      "long.db",
      "CREATE TABLE t (a); WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9000) INSERT INTO t SELECT 'ab' || i FROM n",
    );
    const done: number[] = [];
    const abort = new AbortController();
    const reading = Table.open(long, {
      signal: abort.signal,
      onProgress: (progress) => {
        if (progress.total > 0) return;
        done.push(progress.done);
        abort.abort(new Error("enough"));
      },
    });
    await expect(reading).rejects.toThrow("enough");
    // The first 4,096 texts: two letters, and the digits of 1 to 4,096.
    expect(done).toEqual([4096 * 2 + 9 + 90 * 2 + 900 * 3 + 3097 * 4]);
  });

  it("is read where it is gzipped", async () => {
    const packed = file("shop.db.gz", gzipSync(readFileSync(shop)));
    expect((await readTable(`${packed}?table=names`)).phrases).toEqual(["Zoë & Söhne", "Acme"]);
  });
});

describe("a name with ?table=", () => {
  it("is refused where the file is no database", async () => {
    expect(await refusalOf(`${file("plain.parquet", "a,b\n1,2\n")}?table=a`)).toBe(
      "plain.parquet?table=a: the file is no SQLite or DuckDB database, or is encrypted. Leave out ?table=, or name a database.",
    );
    expect(await refusalOf(file("missing.db?table=a"))).toMatch(/^missing\.db\?table=a: no such file/);
  });
});

describe("a DuckDB file", () => {
  const path = file("shop.duckdb.data");
  const parquet = file("shop.parquet");
  beforeAll(async () => {
    const instance = await DuckDBInstance.create(path);
    const connection = await instance.connect();
    for (const sql of [
      `CREATE TABLE customers AS SELECT * FROM (VALUES
       (1, 'Zoë', 1.50::DECIMAL(9, 2), DATE '2024-01-31', [1, NULL], {'a': 0.1, 'b': 'x'}, '\\xFF'::BLOB, 'b'::ENUM ('a', 'b')),
       (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)) v (id, name, price, born, list, struct, bytes, grade)`,
      `COPY customers TO '${parquet}'`,
      'CREATE SCHEMA "old ones"',
      'CREATE TABLE "old ones"."people ""x""" AS SELECT 7 AS name',
      "CREATE VIEW named AS SELECT name FROM customers WHERE name IS NOT NULL",
      `CREATE VIEW elsewhere AS SELECT * FROM read_text('${shop}')`,
      "CHECKPOINT",
      "INSERT INTO customers (name) VALUES ('in the log')",
    ])
      await connection.run(sql);
    // As another process leaves them.
    for (const ending of ["", ".wal"]) copyFileSync(path + ending, file(`logged${ending}`));
    await connection.run("DELETE FROM customers WHERE name = 'in the log'");
    connection.closeSync();
    instance.closeSync();
  });

  it("gives the values and types that a Parquet file of the same table gives", async () => {
    const before = readFileSync(path);
    const [found, expected] = [
      await readWholeTable(`${path}?table=customers`),
      await readWholeTable(parquet),
    ];
    expect(found.columns).toEqual(expected.columns);
    expect([0, 1].map(found.typed.cells)).toEqual([0, 1].map(expected.typed.cells));
    expect(found.description.summary).toMatch(': DuckDB, table "customers", 2 rows; phrases from "name"');
    expect(readFileSync(path)).toEqual(before);
    expect(readdirSync(folder).filter((name) => name.startsWith("shop.duckdb.data"))).toHaveLength(1);
  });

  it("gives a table of another schema, and a view", async () => {
    expect((await readTable(`${path}?table=old ones.people "x"`)).columns).toEqual({ name: ["7"] });
    expect((await readTable(`${path}?table=named`)).columns).toEqual({ name: ["Zoë"] });
    expect(await refusalOf(path)).toMatch(
      /several tables\. Name one: .*table=customers.* \(customers, elsewhere, named, "old ones\.people "x""\)\.$/,
    );
  });

  it("gives no rows of a view that reads another file", async () => {
    expect(await refusalOf(`${path}?table=elsewhere`)).toMatch(
      /DuckDB cannot read it \(Permission Error: .*\)\. Close what writes it, restore it if it is damaged, or export the table as Parquet\.$/,
    );
  });

  it("is read with what its log holds", async () => {
    expect((await readTable(`${file("logged")}?table=named`)).columns).toEqual({
      name: ["Zoë", "in the log"],
    });
  });
});
