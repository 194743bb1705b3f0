/** Golden records as files, in every format. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, expect, it } from "vitest";
import { dedupeTable } from "../../../src/group/tables/dedupe-table.js";
import { Database } from "../../../src/table/read/database.js";
import { readWholeTable } from "../../../src/table/whole-table.js";

let folder: string;
const folders: string[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "pearl-golden-"));
  folders.push(folder);
});
afterAll(() => {
  for (const name of folders) rmSync(name, { recursive: true });
});
const path = (name: string): string => join(folder, name);
const linesOf = (name: string): string[] => readFileSync(path(name), "utf8").trimEnd().split("\n");

const table = [
  "name,phone,price,2019,system",
  "Acme Ltd,,9.50,7,web",
  "Bosch,0711 4000,,8,crm",
  "Acme Ltd,030 1234567,10.50,,crm",
  "acme ltd,030 7654321,9.50,9,shop",
  '"Fiat, ""Group""", n/a,3,,web',
];
const options = {
  encoder: "none",
  likely: "remove",
  threshold: 0.99,
  table: { column: "name", header: "present" },
} as const;

it("are written beside the kept rows, with the origin of each cell, and say their rules", async () => {
  writeFileSync(path("t.csv"), `${table.join("\r\n")}\r\n`);
  const outputs = { kept: path("kept.csv"), golden: path("golden.csv"), goldenOrigins: path("golden.jsonl") };
  const survivors = { phone: "source:system=crm>web", price: "mean", system: "union" } as const;
  const report = await dedupeTable(path("t.csv"), outputs, { ...options, survivors, fill: "none" });
  expect(report.survivors).toEqual({ ...survivors, name: "frequent", "2019": "frequent" });
  expect(report.lacking).toBe(0);
  const golden = readFileSync(path("golden.csv"), "utf8");
  expect(golden.split("\r\n")).toEqual([
    table[0],
    "Bosch,0711 4000,,8,crm",
    "Acme Ltd,030 1234567,9.8333,7,web; crm; shop",
    // as the kept rows have it
    linesOf("kept.csv")[3].trimEnd(),
    "",
  ]);
  expect(linesOf("kept.csv")[1].trimEnd()).toBe("Bosch,0711 4000,,8,crm");
  const origins = linesOf("golden.jsonl").map((line) => JSON.parse(line));
  expect(origins.map(({ record, rows, sources }) => ({ record, rows, sources }))).toEqual([
    { record: 1, rows: [2], sources: ["crm"] },
    { record: 2, rows: [1, 3, 4], sources: ["web", "crm", "shop"] },
    { record: 3, rows: [5], sources: ["web"] },
  ]);
  expect(origins[1].cells).toEqual({
    name: { value: "Acme Ltd", rule: "frequent", rows: [1, 3] },
    phone: { value: "030 1234567", rule: "source:system=crm>web", rows: [3] },
    price: { value: "9.8333", rule: "mean", rows: [1, 3, 4] },
    "2019": { value: "7", rule: "frequent", rows: [1] },
    system: { value: "web; crm; shop", rule: "union", rows: [1, 3, 4] },
  });
  expect(origins[2].cells.phone).toEqual({ value: " n/a", rule: "source:system=crm>web", rows: [] });
});

it("keep the types of JSON lines and Parquet; joined values are text, and a mean is a number", async () => {
  const rows = [
    '{"name":"Acme","n":1,"k":12,"t":["a"]}',
    '{"name":"Acme","n":4,"k":13}',
    '{"name":"Bosch","n":2,"k":null}',
  ];
  writeFileSync(path("t.jsonl"), `${rows.join("\n")}\n`);
  const survivors = { n: "mean", k: "union" } as const;
  const golden = { kept: path("kept.jsonl"), golden: path("golden.jsonl") };
  await dedupeTable(path("t.jsonl"), golden, { ...options, table: { column: "name" }, survivors });
  expect(linesOf("golden.jsonl")).toEqual(['{"name":"Acme","n":2.5,"k":"12; 13","t":["a"]}', rows[2]]);
  const database = await Database.open();
  try {
    const columns = `name, n::BIGINT AS n, k::DECIMAL(6, 2) AS k, t::VARCHAR[] AS t`;
    await database.run(
      `COPY (SELECT ${columns} FROM read_json('${path("t.jsonl")}')) TO '${path("t.parquet")}' (FORMAT parquet)`,
      "t",
    );
    const outputs = { kept: path("kept.parquet"), golden: path("golden.parquet") };
    await dedupeTable(path("t.parquet"), outputs, { ...options, table: { column: "name" }, survivors });
  } finally {
    await database.close();
  }
  const written = await readWholeTable(path("golden.parquet"), { column: "name" });
  expect(written.typed.columns.map(({ type }) => type)).toEqual([
    "VARCHAR",
    "DOUBLE",
    "VARCHAR",
    "VARCHAR[]",
  ]);
  expect(written.columns).toMatchObject({
    name: ["Acme", "Bosch"],
    n: ["2.5", "2.0"],
    k: ["12.00; 13.00", ""],
  });
});

it("are gone where the kept rows cannot be written, and no rule is applied to a table before it is checked", async () => {
  writeFileSync(path("t.csv"), table.join("\n"));
  mkdirSync(path("kept.csv"));
  const outputs = {
    kept: path("kept.csv"),
    golden: path("golden.csv"),
    goldenOrigins: path("origins.jsonl"),
  };
  await expect(dedupeTable(path("t.csv"), outputs, options)).rejects.toThrow("kept.csv");
  const stages: string[] = [];
  const wrong = dedupeTable(
    path("t.csv"),
    { ...outputs, kept: path("other.csv") },
    {
      ...{ ...options, survivors: { name: "max" } },
      onProgress: (stage) => void stages.push(stage),
    },
  );
  await expect(wrong).rejects.toThrow("the rule max needs numbers or dates");
  expect(stages).toEqual([]);
  for (const name of ["golden.csv", "origins.jsonl", "other.csv"]) expect(existsSync(path(name))).toBe(false);
});
