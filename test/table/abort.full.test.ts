/** The reading of a table ends with its signal at every stage, and leaves no temporary files. */
import { mkdirSync, readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { ReadingProgress } from "../../src/table/table.js";
import { readWholeTable } from "../../src/table/whole-table.js";
import { query, testFolder } from "./folder.js";

const { file } = testFolder();
const workFolder = file("work");
mkdirSync(workFolder);

/** Reads a table until its first report of a stage. @returns the reports after it */
async function readUntil(path: string, wanted: ReadingProgress["stage"]) {
  const controller = new AbortController();
  const reason = new Error(`enough ${wanted}`);
  const after: ReadingProgress[] = [];
  const onProgress = (progress: ReadingProgress): void => {
    if (controller.signal.aborted) after.push(progress);
    if (progress.stage === wanted) controller.abort(reason);
  };
  const reading = readWholeTable(path, { column: "1", workFolder, signal: controller.signal, onProgress });
  await expect(reading).rejects.toBe(reason);
  expect(readdirSync(workFolder)).toEqual([]);
  return after;
}

describe("an aborted reading", () => {
  const make = async (name: string, rows: number): Promise<string> => {
    const select = `SELECT 'name of row ' || i AS name, md5(i::VARCHAR) AS hash FROM range(${rows}) t(i)`;
    await query(`COPY (${select}) TO '${file(name)}'`);
    return file(name);
  };

  it.each(["reading", "loading"] as const)("ends at once while it is %s", async (stage) => {
    expect(await readUntil(await make("small.csv", 100_000), stage)).toEqual([]);
  });

  it("ends long before all rows are stored in the database", async () => {
    const after = await readUntil(await make("large.parquet", 2_000_000), "storing");
    for (const { stage, done, total } of after) {
      expect(stage).toBe("storing");
      expect(done).toBeLessThan(total / 2);
    }
  });

  it("does not begin after the abort", async () => {
    const signal = AbortSignal.abort(new Error("before"));
    await expect(readWholeTable(file("small.csv", "name\na\n"), { signal })).rejects.toThrow("before");
  });
});
