/** Writes the rows of a table to another place, with their types. */
import { type Cell, cellOfType } from "../cell.js";
import { Table } from "../table.js";
import { writeRows } from "./text-rows.js";

const rowsAtOnce = 2048;

/** @returns the number of rows @throws TableError */
export async function copyTable(from: string, to: string): Promise<number> {
  const table = await Table.open(from, { column: "1" });
  try {
    const { columns } = table;
    async function* batches(): AsyncGenerator<Cell[][]> {
      let batch: Cell[][] = [];
      for await (const lines of table.jsonRows()) {
        for (const line of lines) {
          const texts = JSON.parse(line) as (string | null)[];
          batch.push(columns.map(({ type }, index) => cellOfType(type, texts[index])));
          if (batch.length < rowsAtOnce) continue;
          yield batch;
          batch = [];
        }
      }
      yield batch;
    }
    return await writeRows(to, columns, batches());
  } finally {
    await table.close();
  }
}
