/** Types of cells from table to table: what is read as a number, a list or a null is written as one. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { clusterTable } from "../../../src/group/tables/cluster-table.js";
import { dedupeTable } from "../../../src/group/tables/dedupe-table.js";
import { joinTables } from "../../../src/join/join-tables.js";
import { Table } from "../../../src/table/table.js";
import { readWholeTable } from "../../../src/table/whole-table.js";
import { EmbeddingWriter } from "../../../src/table/write/embedding-writer.js";
import { writeRows } from "../../../src/table/write/text-rows.js";
import { query, testFolder } from "../folder.js";

const { file } = testFolder();

const lines = [
  '{"id": 1, "name": "Acme", "price": 1.50, "sold": true, "note": null, "tags": ["a","b"], "at": {"x": 1.0, "k": [1,2]}, "big": 9007199254740993}',
  '{"id": 2, "name": "Toyota", "price": 2, "sold": false, "note": "", "tags": [], "huge": 123456789012345678901234567890}',
  '{"name": "Zürich \\"AG\\", {Ltd}", "mixed": "5", "price": 1e3}',
  '{"name": "", "mixed": 5, "id": 18446744073709551615}',
];

const without = (line: string): string => line.replaceAll(/(?<=[:,]) /g, "");

/** Writes all rows of a table under another name, as the commands do. */
async function copy(from: string, to: string): Promise<void> {
  const { typed, phrases } = await readWholeTable(from, { column: "name" });
  await writeRows(to, typed.columns, [phrases.map((_, row) => typed.cells(row))]);
}

const linesOf = (path: string): string[] => readFileSync(path, "utf8").trimEnd().split("\n");

describe("rows of a JSONL table", () => {
  const input = file("rows.jsonl", `${lines.join("\n")}\n`);

  it("come back with every digit, null, nested value and absent key", async () => {
    await copy(input, file("copy.jsonl"));
    const keys = ["id", "name", "price", "sold", "note", "tags", "at", "big", "huge", "mixed"];
    const ordered = (line: string) => {
      const order = (key: string): number => keys.indexOf(key);
      return Object.keys(JSON.parse(line)).sort((a, b) => order(a) - order(b));
    };
    const written = linesOf(file("copy.jsonl"));
    expect(written.slice(0, 2).map(without)).toEqual(lines.slice(0, 2).map(without));
    expect(written.map((line) => JSON.parse(line))).toEqual(lines.map((line) => JSON.parse(line)));
    expect(written.map((line) => Object.keys(JSON.parse(line)))).toEqual(lines.map(ordered));
    expect(written[3]).toContain(":18446744073709551615");
  });

  it("get the types of Parquet, and become JSONL again", async () => {
    await copy(input, file("copy.parquet"));
    const types = await query(
      `SELECT column_name, column_type FROM (DESCRIBE FROM '${file("copy.parquet")}')`,
    );
    expect(Object.fromEntries(types)).toEqual({
      ...{ id: "JSON", name: "VARCHAR", price: "DOUBLE", sold: "BOOLEAN", note: "VARCHAR" },
      ...{ tags: "JSON", at: "JSON", big: "BIGINT", huge: "JSON", mixed: "JSON" },
    });
    await copy(file("copy.parquet"), file("again.jsonl"));
    const known = linesOf(file("again.jsonl")).map((line) =>
      Object.fromEntries(Object.entries(JSON.parse(line)).filter(([, value]) => value !== null)),
    );
    const given = lines.map((line) =>
      Object.fromEntries(Object.entries(JSON.parse(line)).filter(([, value]) => value !== null)),
    );
    expect(known).toEqual(given);
    expect(linesOf(file("again.jsonl"))[0]).toContain('"big":9007199254740993,');
  });

  it("are plain text in CSV: a null and an absent key are empty, nested values are JSON", async () => {
    await copy(input, file("copy.csv"));
    const [header, first] = linesOf(file("copy.csv"));
    expect(header).toBe("id,name,price,sold,note,tags,at,big,huge,mixed");
    expect(first).toBe('1,Acme,1.50,true,,"[""a"",""b""]","{""x"": 1.0, ""k"": [1,2]}",9007199254740993,,');
  });
});

describe("rows of a Parquet table", () => {
  const input = file("rows.parquet");
  const row =
    "SELECT 1::UTINYINT AS i, 1.50::DECIMAL(9,2) AS d, 170141183460469231731687303715884105727::DECIMAL(38,0)::VARCHAR AS h, " +
    "9007199254740993::BIGINT AS big, TIMESTAMP '2024-01-02 03:04:05.678901' AS ts, " +
    "TIMESTAMPTZ '2024-01-02 03:04:05+00' AS tz, DATE '2024-01-02' AS day, TIME '01:02:03' AS t, '\\xAA'::BLOB AS b, " +
    "[1.5::FLOAT, NULL] AS floats, {a: 1.5::DECIMAL(4,2), t: DATE '2024-01-01'} AS s, MAP{'a': 1} AS m, " +
    "'Acme' AS name, NULL::VARCHAR AS gone, '' AS empty, 'nan'::DOUBLE AS n, true AS ok, ['x', 'it''s \"'] AS tags";
  const make = () =>
    query(`COPY (${row.replace("170141183460469231731687303715884105727", "12345678901234567890")}
      UNION ALL BY NAME SELECT 2 AS i, 'Toyota' AS name) TO '${input}'`);

  it("keep every column's type and value in Parquet", async () => {
    await make();
    await copy(input, file("rows-copy.parquet"));
    const describeTable = (path: string) => query(`DESCRIBE FROM '${path}'`);
    expect(await describeTable(file("rows-copy.parquet"))).toEqual(await describeTable(input));
    const both = `FROM '${input}' EXCEPT ALL FROM '${file("rows-copy.parquet")}'`;
    expect(await query(both)).toEqual([]);
    expect(await query(`SELECT count(*) FROM '${file("rows-copy.parquet")}'`)).toEqual([["2"]]);
  });

  it("become numbers, booleans, nulls and nested values of JSONL", async () => {
    await make();
    await copy(input, file("rows.out.jsonl"));
    const [first, second] = linesOf(file("rows.out.jsonl"));
    expect(first).toContain('"d":1.50,');
    expect(first).toContain('"big":9007199254740993,');
    expect(JSON.parse(first)).toMatchObject({
      ...{ i: 1, ts: "2024-01-02 03:04:05.678901", day: "2024-01-02", floats: [1.5, null] },
      ...{ s: { a: 1.5, t: "2024-01-01" }, m: { a: 1 }, gone: null, empty: "", n: null, ok: true },
      tags: ["x", "it's \""],
    });
    expect(JSON.parse(second)).toMatchObject({ i: 2, d: null, tags: null, empty: null, name: "Toyota" });
  });

  const special = file("special.parquet");
  const makeSpecial = () =>
    query(`COPY (SELECT 'Acme' AS name, {n: 'nan'::DOUBLE, t: 'NaN, "-Infinity"', l: ['-inf'::FLOAT, 1.5::FLOAT, NULL]} AS s,
      {d: 1234567890123456.78::DECIMAL(18,2), "DOUBLE": 1, e: '1.50'} AS wide, ['nan'::FLOAT, 0.1::FLOAT, NULL, 'inf'::FLOAT] AS floats,
      [['-inf'::DOUBLE], [0.1::DOUBLE]] AS deep, MAP{'nan': 'nan'::DOUBLE} AS m, 0.1::FLOAT AS f, 12345678901234567.89::DECIMAL(19,2) AS d
      UNION ALL SELECT NULL, NULL, NULL, [0.5::FLOAT], [], NULL, 'inf'::FLOAT, NULL) TO '${special}'`);

  it("keep numbers within nested values in Parquet, also those that JSON rounds or lacks", async () => {
    await makeSpecial();
    await copy(special, file("special-copy.parquet"));
    const [from, to] = [`FROM '${special}'`, `FROM '${file("special-copy.parquet")}'`];
    expect(await query(`DESCRIBE ${to}`)).toEqual(await query(`DESCRIBE ${from}`));
    expect(await query(`SELECT COLUMNS(*)::VARCHAR ${to}`)).toEqual(
      await query(`SELECT COLUMNS(*)::VARCHAR ${from}`),
    );
  });

  it("are JSON with null for what JSON lacks, and the same from commands that write vectors", async () => {
    await makeSpecial();
    await copy(special, file("special.jsonl"));
    const table = await Table.open(special, { column: "name" });
    const vectors = { dimension: 1, fingerprint: "x" };
    const writer = await EmbeddingWriter.create(table, file("vectors.jsonl"), vectors);
    await writer.append(new Float32Array(2));
    await writer.finish();
    await table.close();
    const written = linesOf(file("special.jsonl"));
    expect(linesOf(file("vectors.jsonl")).map((line) => line.replace(/,"embedding":.*/, "}"))).toEqual(
      written,
    );
    expect(written.map((line) => JSON.parse(line))).toEqual([
      {
        ...{ name: "Acme", s: { n: null, t: 'NaN, "-Infinity"', l: [null, 1.5, null] } },
        ...{ wide: { d: 1234567890123456.8, DOUBLE: 1, e: "1.50" }, floats: [null, 0.1, null, null] },
        ...{ deep: [[null], [0.1]], m: { nan: null }, f: 0.1, d: Number("12345678901234567.89") },
      },
      { name: null, s: null, wide: null, floats: [0.5], deep: [], m: null, f: null, d: null },
    ]);
    expect(written[0]).toContain('"wide":{"d":1234567890123456.78,');
    expect(written[0]).toContain('"f":0.1,"d":12345678901234567.89}');
  });
});

it("Parquet keeps names that differ only in case", async () => {
  const path = file("case.parquet");
  await writeRows(path, ["Name", { name: "name", type: "INTEGER[]" }], [[["a", { json: "[1]" }]]]);
  const names = await query(`SELECT name FROM parquet_schema('${path}') WHERE name ILIKE 'name%'`);
  expect(names).toEqual([["Name"], ["name"]]);
  expect(await query(`FROM '${path}'`)).toEqual([["a", [1]]]);
});

describe("commands that write rows", () => {
  it("pass cells on with their types, and add numbers as numbers", async () => {
    const left = file("left.jsonl", '{"id":1,"name":"Acme Ltd"}\n{"id":2,"name":"Toyota Motor"}\n');
    const right = file("right.jsonl", '{"key":true,"name":"Acme Ltd","n":null}\n{"name":"Zürich"}\n');
    await joinTables(left, right, file("joined.jsonl"), { encoder: "none", unmatched: "keep" });
    const [matched, alone] = linesOf(file("joined.jsonl")).map((line) => JSON.parse(line));
    expect(matched).toMatchObject({ left_id: 1, right_key: true, right_n: null, right_name: "Acme Ltd" });
    expect(typeof matched.probability).toBe("number");
    expect(alone).toEqual({
      ...{ left_id: null, left_name: null, right_name: "Zürich", probability: null },
    });
    const input = file("names.jsonl", '{"id":1,"name":"Acme"}\n{"id":2,"name":"ACME","x":[1]}\n');
    await clusterTable(input, file("grouped.jsonl"), { threshold: 0.8 });
    const grouped = linesOf(file("grouped.jsonl")).map((line) => JSON.parse(line));
    expect(grouped[0]).toEqual({ id: 1, name: "Acme", group: 1, representative: "ACME", similarity: 1 });
    const outputs = { kept: file("kept.parquet"), groups: file("groups.jsonl") };
    await dedupeTable(input, outputs, { threshold: 0.8, table: { column: "name" } });
    expect(await query(`FROM '${outputs.kept}'`)).toEqual([["2", "ACME", "[1]"]]);
    expect(linesOf(outputs.groups).map((line) => JSON.parse(line).row)).toEqual([2, 1]);
  });
});
