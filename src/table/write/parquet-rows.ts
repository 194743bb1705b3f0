/** Writes rows as Parquet: cells are gathered as text in a temporary database, which gives columns their types. */
import { PearlError } from "../../errors.js";
import { replaceFile } from "../../files/whole-file.js";
import { type Cell, isNested, jsonOfCell, nameOfColumn, type OutputColumn, textOfCell } from "../cell.js";
import { Database, identifier, literal } from "../read/database.js";
import { writeTrouble } from "../trouble.js";
import { keyName, nameColumns } from "./parquet-vectors.js";
import { standardOutput, throughTemporaryFile } from "./standard-output.js";

export async function writeParquetRows(
  path: string,
  columns: readonly OutputColumn[],
  batches: AsyncIterable<readonly (readonly Cell[])[]>,
): Promise<void> {
  const types = columns.map((column) => (typeof column === "string" ? "VARCHAR" : column.type));
  const storedText = (cell: Cell, column: number): string | null =>
    cell === undefined || cell === null
      ? null
      : isNested(types[column])
        ? (typeof cell === "object" && cell.exact) || (jsonOfCell(cell) as string)
        : textOfCell(cell);
  const values = columns.map((_, index) => {
    const text = isNested(types[index]) ? `CAST(c${index} AS JSON)` : `c${index}`;
    return `CAST(${text} AS ${types[index]}) AS ${identifier(keyName(index))}`;
  });
  const database = await Database.open();
  try {
    await database.appendTexts("rows", columns.length, batches, storedText, path);
    const copy = async (target: string): Promise<void> => {
      const sql = `COPY (SELECT ${values.join(", ")} FROM rows) TO ${literal(target)} (FORMAT parquet)`;
      await database.runInOneThread(sql, path);
      await nameColumns(target, columns.map(nameOfColumn));
    };
    await (path === standardOutput ? throughTemporaryFile(copy) : replaceFile(path, copy));
  } catch (error) {
    throw error instanceof PearlError ? error : writeTrouble(error, path);
  } finally {
    await database.close();
  }
}
