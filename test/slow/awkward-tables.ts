/** Five tables of kinds that people have and tools stumble over; each lists the companies of the samples. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";

/** Two rows of the same company, written alike but for case and dots, follow the samples'. */
const twins = ["TOYOTA MOTOR CORPORATION", "Siemens A.G."];
const companies = readFileSync("data/companies.csv", "utf8").trim().split("\n").slice(1);
export const names = [...companies.map((line) => line.split(",")[1]), ...twins];

const lines = (rows: readonly string[]): string => `${rows.join("\n")}\n`;

/** Objects with nested values, a number beyond double precision, a null, and a key that some rows lack. */
const objectOf = (name: string, row: number): string =>
  `{"id":${row},"name":${JSON.stringify(name)},"tags":["x",${row}],"address":{"zip":null},` +
  `"big":12345678901234567890,"active":${row % 3 === 0}${row % 2 ? ',"share":1.50' : ""}}`;

export interface AwkwardTable {
  readonly file: string;
  readonly column: string;
  readonly write: (folder: string) => void | Promise<void>;
}

const text = (file: string, column: string, content: string | Uint8Array): AwkwardTable => ({
  ...{ file, column },
  write: (folder) => writeFileSync(join(folder, file), content),
});

export const semicolons = text(
  "firmen.csv",
  "Firma",
  // The mark of UTF-8, and then bytes that are not UTF-8.
  Buffer.from(`\xef\xbb\xbf${lines(["Firma;Ort", ...names.map((name) => `${name};Köln`)])}`, "latin1"),
);

export const awkwardTables: readonly AwkwardTable[] = [
  text("one.txt", "phrase", lines(names)),
  text("nested.jsonl", "name", lines(names.map(objectOf))),
  { file: "lists.parquet", column: "name", write: writeLists },
  text(
    "wide.csv",
    "name",
    lines([
      ["id", "name", ...Array.from({ length: 198 }, (_, column) => `c${column}`)].join(),
      ...names.map((name, row) =>
        [row, name, ...Array.from({ length: 198 }, (_, i) => (i % 7 ? (i * row) % 11 : ""))].join(),
      ),
    ]),
  ),
];

async function writeLists(folder: string): Promise<void> {
  const rows = names.map(
    (name, row) => `(${row}, '${name.replaceAll("'", "''")}', ['x', NULL], {'a': ${row}})`,
  );
  const instance = await DuckDBInstance.create();
  const connection = await instance.connect();
  const target = join(folder, "lists.parquet");
  await connection.run(
    `COPY (FROM (VALUES ${rows}) t(id, name, tags, place)) TO '${target}' (FORMAT parquet)`,
  );
  connection.closeSync();
  instance.closeSync();
}

/** The columns of a Parquet file with their types. */
export async function parquetTypes(path: string): Promise<Record<string, string>> {
  const instance = await DuckDBInstance.create();
  const connection = await instance.connect();
  const reader = await connection.runAndReadAll(`DESCRIBE FROM '${path}'`);
  connection.closeSync();
  instance.closeSync();
  return Object.fromEntries(reader.getRows().map(([name, type]) => [String(name), String(type)]));
}
