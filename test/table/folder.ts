/** A folder for a test's files, and the steps that most table tests share. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { afterAll, expect } from "vitest";
import { TableError } from "../../src/errors.js";
import { Table, type TableOptions } from "../../src/table/table.js";

/** Makes a folder that is removed when the test file is done. */
export function testFolder(): {
  path: string;
  file: (name: string, content?: string | Uint8Array) => string;
} {
  const path = mkdtempSync(join(tmpdir(), "pearl-test-"));
  afterAll(() => rmSync(path, { recursive: true, force: true }));
  const file = (name: string, content?: string | Uint8Array) => {
    const full = join(path, name);
    if (content !== undefined) writeFileSync(full, content);
    return full;
  };
  return { path, file };
}

/** The one line in which a table that cannot be opened is refused, without the path of its folder. */
export async function refusalOf(path: string, options: TableOptions = {}): Promise<string> {
  const error = await Table.open(path, options).then(
    (table) => table.close(),
    (thrown: unknown) => thrown,
  );
  expect(error, path).toBeInstanceOf(TableError);
  const { message } = error as Error;
  expect(message).not.toContain("\n");
  return message.replaceAll(`${dirname(path)}/`, "");
}

/** Everything a table holds, and how it was read. */
export async function readTable(path: string, options: TableOptions = {}) {
  const table = await Table.open(path, { header: "auto", ...options });
  try {
    const phrases: string[] = [];
    for await (const chunk of table.phrases()) phrases.push(...chunk);
    const columns: Record<string, string[]> = {};
    for (const name of table.description.columns) {
      columns[name] = [];
      for await (const chunk of table.columnValues(name)) columns[name].push(...chunk);
    }
    return { phrases, columns, description: table.description };
  } finally {
    await table.close();
  }
}

/** The rows of a query as plain JSON values, read by a separate DuckDB. */
export async function query(sql: string): Promise<unknown[][]> {
  const instance = await DuckDBInstance.create(":memory:");
  const connection = await instance.connect();
  try {
    return (await connection.runAndReadAll(sql)).getRowsJson();
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

/** A seeded generator of numbers in [0, 1) (mulberry32), so that failures repeat. */
export function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
