/** Brings a table of PostgreSQL into a database, row after row from one snapshot, with every column's type. */
import { openFingerprint } from "../../files/checksums/fingerprint.js";
import { type Database, identifier } from "../read/database.js";
import { type Imported, rowsTable, typedTable } from "../read/import.js";
import type { TableOptions } from "../table.js";
import { tableOf } from "./address.js";
import { connectPostgres, cursorRows } from "./connection.js";
import { findRelation, keyArray, type Relation } from "./relation.js";

const rowsAtOnce = 4096;
const textsTable = "pearl_texts";

type Texts = readonly (string | null)[];

/** @param onBytes receives the bytes of text read so far @throws TableError, also where the signal is aborted */
export async function importPostgres(
  database: Database,
  address: string,
  onBytes: (bytes: number) => void,
  { only, signal }: Pick<TableOptions, "only" | "signal"> = {},
): Promise<Imported> {
  const table = tableOf(address);
  const connection = await connectPostgres(address);
  // The statement under way rejects.
  signal?.addEventListener("abort", connection.close);
  const { shown } = connection;
  const hash = openFingerprint();
  let relation: Relation;
  try {
    signal?.throwIfAborted();
    relation = await findRelation(connection, table);
    await connection.query("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
    const batches = rowsOf(relation, only, (sql) => cursorRows(connection, sql, rowsAtOnce, "transaction"));
    async function* noted(): AsyncGenerator<Texts[]> {
      let bytes = 0;
      for await (const rows of batches) {
        const text = JSON.stringify(rows);
        hash.add(text);
        bytes += text.length;
        onBytes(bytes);
        yield rows;
      }
    }
    await database.appendTexts(textsTable, relation.columns.length, noted(), (text) => text, shown);
  } finally {
    signal?.removeEventListener("abort", connection.close);
    await connection.close();
  }
  const types = await fittingTypes(database, relation, shown);
  const casts = types.map((type, index) => `CAST(c${index} AS ${type}) AS c${index}`);
  await database.createTable(rowsTable, `SELECT ${casts.join(", ")} FROM ${textsTable}`, shown);
  await database.run(`DROP TABLE ${textsTable}`, shown);
  const names = relation.columns.map(({ name }) => name);
  return typedTable(database, shown, names, types, `${relation.sql} sha256 ${hash.end()}`);
}

/** The columns' types, but JSON or text where a value is not one of DuckDB's type. */
async function fittingTypes(
  database: Database,
  { columns }: Relation,
  shown: string,
): Promise<readonly string[]> {
  const misfits = columns.map(({ duckdbType }, index) => `bool_or(${misfit(`c${index}`, duckdbType)})`);
  const [found] = await database.run(`SELECT ${misfits.join(", ")} FROM ${textsTable}`, shown);
  return columns.map(({ duckdbType }, index) => {
    if (!found[index]) return duckdbType;
    return duckdbType.endsWith("]") ? "JSON" : "VARCHAR";
  });
}

/** Whether DuckDB refuses or alters a text: NaN among decimals, years before Christ, a list of lists. */
function misfit(text: string, type: string): string {
  if (type === "VARCHAR") return "false";
  if (type.endsWith("]")) return `starts_with(${text}, '[[')`;
  return `${text} LIKE '% BC' OR (${text} IS NOT NULL AND TRY_CAST(${text} AS ${type}) IS NULL)`;
}

/** The cells of all rows as text, in the order of the primary key where there is one. */
async function* rowsOf(
  { sql, columns, primaryKey }: Relation,
  only: TableOptions["only"],
  select: (sql: string) => AsyncGenerator<Record<string, string | null>[]>,
): AsyncGenerator<Texts[]> {
  const texts = columns.map(({ text }, index) => `${text} AS c${index}`);
  const order = primaryKey.length === 0 ? "" : ` ORDER BY ${primaryKey.map(identifier).join(", ")}`;
  const type = columns.find(({ name }) => name === only?.column)?.type;
  const where = only && type ? ` WHERE ${identifier(only.column)} = ANY(${keyArray(only.values, type)})` : "";
  for await (const rows of select(`SELECT ${texts.join(", ")} FROM ${sql}${where}${order}`))
    yield rows.map((row) => columns.map((_, index) => row[`c${index}`]));
}
