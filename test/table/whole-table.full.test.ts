/** Tables whole in memory or in a file: their values, and which of them are missing. */
import { describe, expect, it, vi } from "vitest";
import { Database } from "../../src/table/read/database.js";
import { readWholeTable } from "../../src/table/whole-table.js";
import { query, testFolder } from "./folder.js";

const { file, path: folder } = testFolder();

describe("missing values of a table with types", () => {
  it.each([{}, { cellFolder: folder }])("take a bit each (%j)", async (options) => {
    const rows = 20_000;
    const path = file("nulls.parquet");
    await query(`COPY (SELECT CASE WHEN i % 3 = 0 THEN 'n' || i END AS name, CASE WHEN i % 7 = 0 THEN i::INT END AS n, '' AS empty
      FROM range(${rows}) r(i)) TO '${path}'`);
    const run = vi.spyOn(Database.prototype, "run");
    const { typed } = await readWholeTable(path, { column: "name", ...options });
    // No result is an array of many rows: those cost hundreds of bytes each.
    for (const { value } of run.mock.settledResults)
      expect((value as unknown[] | undefined)?.length ?? 0).toBeLessThan(1000);
    run.mockRestore();
    for (let row = 0; row < rows; row++)
      expect(typed.cells(row)).toEqual([
        row % 3 === 0 ? `n${row}` : null,
        row % 7 === 0 ? { json: String(row) } : null,
        "",
      ]);
  });
});
