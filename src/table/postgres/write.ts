/** Writes rows as a table of PostgreSQL: in one transaction, so that readers see the old table or the whole new one. */
import { randomBytes } from "node:crypto";
import { TableError } from "../../errors.js";
import { type Cell, jsonOfCell, nameOfColumn, type OutputColumn, textOfCell } from "../cell.js";
import { identifier, literal } from "../read/database.js";
import { tableOf } from "./address.js";
import { connectPostgres, inTransaction, type PostgresConnection } from "./connection.js";
import { findRelation, longestNameBytes, lookUp, type Relation, sameValues } from "./relation.js";
import { isLockTimeout } from "./trouble.js";

/** Marks a table that another run may replace. */
const mark = "written by pearl";

/** @throws TableError for a column whose name PostgreSQL would cut */
export function checkNameLengths(place: string, names: readonly string[]): void {
  const long = names.find((name) => Buffer.byteLength(name) > longestNameBytes);
  if (long !== undefined)
    throw new TableError(
      `${place}: PostgreSQL takes names of ${longestNameBytes} bytes, and the column "${long}" has ${Buffer.byteLength(long)}. ` +
        "Give it a shorter name in the table that is read.",
    );
}

/**
 * @param batches rows of one cell for each column, some at a time
 * @throws TableError, also for a table that exists and was not written by pearl
 */
export const writePostgresRows = (
  address: string,
  columns: readonly OutputColumn[],
  batches: AsyncIterable<readonly (readonly Cell[])[]>,
): Promise<void> =>
  withTarget(address, async ({ connection, existing, fresh, name }) => {
    checkNameLengths(connection.shown, columns.map(nameOfColumn));
    const types = columns.map((column) => (typeof column === "string" ? "text" : postgresType(column.type)));
    const declared = columns.map((column, index) => `${identifier(nameOfColumn(column))} ${types[index]}`);
    await inTransaction(connection, async () => {
      await connection.query(`CREATE TABLE ${fresh} (${declared.join(", ")})`);
      await connection.query(`COMMENT ON TABLE ${fresh} IS ${literal(mark)}`);
      await connection.copyIn(`COPY ${fresh} FROM STDIN (FORMAT csv)`, csvParts(batches, types));
      if (existing !== undefined) await connection.query(`DROP TABLE ${existing.sql}`);
      await connection.query(`ALTER TABLE ${fresh} RENAME TO ${identifier(name)}`);
    });
  });

/**
 * Refuses before the work what {@link writePostgresRows} would refuse after it: its statements run without rows and are taken back.
 * A table that others read for long is not waited for.
 * @throws TableError
 */
export const checkPostgresOutput = (address: string): Promise<void> =>
  withTarget(address, async ({ connection, existing, fresh }) => {
    await connection.query("BEGIN");
    try {
      await connection.query(`CREATE TABLE ${fresh} ()`);
      await connection.query("SET LOCAL lock_timeout = '1s'");
      if (existing !== undefined) await connection.query(`DROP TABLE ${existing.sql}`);
    } catch (error) {
      if (!isLockTimeout(error)) throw error;
    } finally {
      await connection.query("ROLLBACK").catch(() => undefined);
    }
  });

/** The table with the number that each writing changes; undefined where pearl has written none. @throws TableError */
export async function writtenTable(address: string): Promise<string | undefined> {
  const connection = await connectPostgres(address);
  try {
    const found = await lookUp(connection, tableOf(address));
    return found?.comment === mark ? `table ${found.oid}` : undefined;
  } finally {
    await connection.close();
  }
}

/**
 * Writes into a cell in one statement, so that no change of others is lost.
 * @param texts of the row as they were read, the cell's first
 * @returns whether a row has them @throws TableError
 */
export async function changeCell(
  address: string,
  value: string,
  texts: readonly (readonly [column: string, text: string])[],
): Promise<boolean> {
  const connection = await connectPostgres(address);
  try {
    const { sql } = await findRelation(connection, tableOf(address));
    const names = texts.map(([name]) => identifier(name));
    const areSame = names.map((name, place) => `coalesce(${name}::text, '') = $${place + 2}`).join(" AND ");
    const change = `UPDATE ${sql} SET ${names[0]} = $1 WHERE ${areSame} RETURNING 1`;
    return (await connection.query(change, [value, ...texts.map(([, text]) => text)])).length > 0;
  } finally {
    await connection.close();
  }
}

interface Target {
  readonly connection: PostgresConnection;
  readonly existing: Relation | undefined;
  readonly name: string;
  /** A table that does not exist, in the schema of the one that is wanted, as SQL writes it. */
  readonly fresh: string;
}

/** @throws TableError where the table exists and pearl did not write it */
async function withTarget(address: string, work: (target: Target) => Promise<void>): Promise<void> {
  const wanted = tableOf(address);
  const connection = await connectPostgres(address);
  try {
    const existing = await lookUp(connection, wanted);
    if (existing !== undefined && existing.comment !== mark)
      throw new TableError(
        `${connection.shown}: the table ${existing.name} exists, and pearl did not write it. ` +
          `Name another table, or remove it: DROP TABLE ${existing.sql}`,
      );
    const { schema, name } = existing ?? (await newName(connection, wanted));
    const fresh = `${identifier(schema)}.pearl_${randomBytes(6).toString("hex")}`;
    await work({ connection, existing, name, fresh });
  } finally {
    await connection.close();
  }
}

/** The parts of a name that no table has yet. */
export async function newName(
  connection: PostgresConnection,
  wanted: string,
): Promise<{ schema: string; name: string }> {
  const [{ parts, current }] = await connection.query<{ parts: string[]; current: string | null }>(
    `SELECT ${/["\\.]/.test(wanted) ? "parse_ident($1)" : "ARRAY[$1::text]"} AS parts, current_schema()::text AS current`,
    [wanted],
  );
  return { schema: parts.length > 1 ? parts[0] : (current ?? "public"), name: parts[parts.length - 1] };
}

const typesByDuckdb: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.entries(sameValues).map(([type, duckdbType]) => [duckdbType, type])),
  TINYINT: "smallint",
  UTINYINT: "smallint",
  USMALLINT: "integer",
  UINTEGER: "bigint",
  UBIGINT: "numeric",
  HUGEINT: "numeric",
  "TIMESTAMP WITH TIME ZONE": "timestamptz",
  JSON: "jsonb",
  "FLOAT[]": "real[]",
  "DOUBLE[]": "double precision[]",
};

/** The type for a column of a DuckDB type: other nested ones become JSON, and the rest text. */
export function postgresType(type: string): string {
  if (type in typesByDuckdb) return typesByDuckdb[type];
  if (type.startsWith("DECIMAL")) return type.replace("DECIMAL", "numeric");
  return /\]$|^(STRUCT|MAP|UNION)\b/.test(type) ? "jsonb" : "text";
}

async function* csvParts(
  batches: AsyncIterable<readonly (readonly Cell[])[]>,
  types: readonly string[],
): AsyncGenerator<Buffer> {
  for await (const rows of batches) yield csvPart(rows, types);
}

/** Rows as COPY reads them as CSV. @param types of the columns, as SQL writes them */
export const csvPart = (rows: readonly (readonly Cell[])[], types: readonly string[]): Buffer =>
  Buffer.from(
    rows.map((cells) => `${cells.map((cell, column) => csvCell(cell, types[column])).join(",")}\n`).join(""),
  );

/** Whether it is one of PostgreSQL's types for JSON. */
export const isJsonType = (type: string): boolean => type === "json" || type === "jsonb";

/** NULL is empty, and everything else in quotes; only text has an empty value. */
function csvCell(cell: Cell, type: string): string {
  if (cell === null || cell === undefined) return "";
  // Lists may hold NaN, which JSON cannot.
  const text = isJsonType(type)
    ? jsonOfCell(cell)!
    : (type.endsWith("[]") && typeof cell === "object" && cell.exact) || textOfCell(cell);
  if (text === "" && type !== "text") return "";
  const value = type.endsWith("[]") ? text.replace(/^\[(.*)\]$/s, "{$1}") : text;
  return `"${value.replaceAll('"', '""')}"`;
}
