/** Writes the rows of a table to another place, with their types. */
import { type Cell, cellOfType } from "../cell.js";
import { Table } from "../table.js";
import { writeRows } from "./text-rows.js";

/** @returns the number of rows @throws TableError */
export async function copyTable(from: string, to: string): Promise<number> {
  const table = await Table.open(from, { column: "1" });
  try {
    const { columns } = table;
    async function* batches(): AsyncGenerator<Cell[][]> {
      for await (const lines of table.jsonRows())
        yield lines.map((line) => {
          const texts = JSON.parse(line) as (string | null)[];
          const exacts = texts.splice(columns.length) as string[];
          return columns.map(({ type }, index) => cellOfType(type, texts[index], exacts[index]));
        });
    }
    return await writeRows(to, columns, batches(), undefined, table.description);
  } finally {
    await table.close();
  }
}
