/** Reading a table reports how much is done: bytes of the file while it is read and stored, cells while it is loaded. */
import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import type { ReadingProgress } from "../../src/table/table.js";
import { readWholeTable } from "../../src/table/whole-table.js";
import { writeRows } from "../../src/table/write/text-rows.js";
import { newFolder } from "../setup/new-folder.js";

const rows = 200_000;
const folder = newFolder();

/** Reads a table and returns the reports of each stage. */
async function reports(path: string) {
  const stages: Record<ReadingProgress["stage"], [done: number, total: number][]> = {
    ...{ reading: [], storing: [], loading: [] },
  };
  await readWholeTable(path, {
    column: "1",
    onProgress: ({ stage, done, total }) => stages[stage].push([done, total]),
  });
  for (const all of Object.values(stages)) {
    const done = all.map(([count]) => count);
    expect(done).toEqual(done.toSorted((a, b) => a - b));
  }
  return stages;
}

describe("progress of reading", () => {
  const csv = Array.from({ length: rows }, (_, row) => `name of row ${row},${row}`);
  const json = Array.from({ length: rows }, (_, row) => `{"name":"name of row ${row}","n":${row}}`);

  it.each([
    ["CSV", "t.csv", ["name,n", ...csv].join("\n"), 2],
    ["gzip, by its packed size", "t.csv.gz", gzipSync(["name,n", ...csv].join("\n")), 2],
    ["JSONL, whose lines are loaded too", "t.jsonl", json.join("\n"), 3],
  ])("of %s reaches the file's size and its number of cells", async (_, name, content, cells) => {
    const path = join(folder, name);
    writeFileSync(path, content);
    const { size } = statSync(path);
    const { reading, storing, loading } = await reports(path);
    expect(reading.at(-1)).toEqual([size, size]);
    expect(storing.every(([done, total]) => done >= 0 && done <= size && total === size)).toBe(true);
    expect(loading.length).toBeGreaterThan(2);
    expect(loading.at(-1)).toEqual([cells * rows, cells * rows]);
  });

  it("of Parquet counts what is stored and loaded", async () => {
    const path = join(folder, "t.parquet");
    await writeRows(path, ["name"], [csv.map((line) => [line])]);
    const { reading, loading } = await reports(path);
    expect(reading).toEqual([]);
    expect(loading.at(-1)).toEqual([rows, rows]);
  });
});
