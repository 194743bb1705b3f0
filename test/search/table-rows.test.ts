/** The rows of a table for an index. */
import { expect, it } from "vitest";
import { tableRows } from "../../src/search/table-rows.js";
import type { Table } from "../../src/table/table.js";

it("ends the reading of every column with that of the phrases", async () => {
  const ended: string[] = [];
  async function* columnValues(name: string): AsyncGenerator<string[]> {
    try {
      for (;;) yield [name];
    } finally {
      ended.push(name);
    }
  }
  const description = { columns: ["id", "name", "city"] };
  const table = { description, columnValues, phrases: () => columnValues("name") } as unknown as Table;
  for await (const { cells } of tableRows(table, ["id", "name", "city", "none"], "name", 0)) {
    expect(cells).toEqual([["id", "name", "city", ""]]);
    break;
  }
  expect(ended.sort()).toEqual(["city", "id", "name"]);
});
