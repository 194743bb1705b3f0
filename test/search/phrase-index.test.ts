/** The rows of a table for an index. */
import { expect, it } from "vitest";
import { columnSources, tableRows } from "../../src/search/phrase-index.js";
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
  const description = { column: "name", columns: ["id", "name", "city"] };
  const table = { description, columnValues, phrases: () => columnValues("name") } as unknown as Table;
  for await (const { cells } of tableRows(table, ["id", "name", "city", undefined], 0)) {
    expect(cells).toEqual([["id", "name", "city", ""]]);
    break;
  }
  expect(ended.sort()).toEqual(["city", "id", "name"]);
});

it("finds an index's columns in a table by name in any letter case, and its phrases under any name", () => {
  const table = { column: "title", columns: ["ID", "title", "city", "CITY", "2"] };
  const index = { columns: ["id", "name", "CITY", "1"], phraseColumn: "name" };
  expect(columnSources(table, index)).toEqual(["ID", "title", "CITY", undefined]);
  const twice = { columns: ["Id", "ID", "Title"], phraseColumn: "Title" };
  expect(columnSources(table, twice)).toEqual([undefined, "ID", "title"]);
  const keyed = { columns: ["name"], phraseColumn: "name" };
  expect(columnSources(table, keyed)).toEqual(["title"]);
});
