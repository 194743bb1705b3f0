/** A table in PostgreSQL as its catalog describes it: columns with their types, and the column that identifies rows. */
import { TableError } from "../../errors.js";
import { listed, nearestName } from "../columns.js";
import { identifier, literal } from "../read/database.js";
import type { PostgresConnection } from "./connection.js";

/** Bytes of a name; PostgreSQL cuts longer ones without a word. */
export const longestNameBytes = 63;

export type Relation = NonNullable<Awaited<ReturnType<typeof lookUp>>>;
export type RelationColumn = Relation["columns"][number];

/** @throws TableError for a table that does not exist, with the names of those that do */
export async function findRelation(connection: PostgresConnection, wanted: string): Promise<Relation> {
  const found = await lookUp(connection, wanted);
  if (found !== undefined) return found;
  const rows = await connection.query<{ name: string }>(
    `SELECT CASE WHEN pg_table_is_visible(oid) THEN relname ELSE relnamespace::regnamespace || '.' || relname END AS name
     FROM pg_class WHERE relkind IN ('r', 'p', 'v', 'm', 'f')
     AND relnamespace NOT IN (SELECT oid FROM pg_namespace WHERE nspname IN ('pg_catalog', 'information_schema', 'pg_toast'))
     ORDER BY 1`,
  );
  const names = rows.map(({ name }) => name);
  const near = nearestName(names, wanted);
  const cure =
    near !== undefined
      ? `Did you mean "${near}"?`
      : names.length > 0
        ? `Its tables are ${listed(names)}. Choose one of these.`
        : "It has none. Check the name of the database.";
  throw new TableError(`${connection.shown}: there is no table "${wanted}". ${cure}`);
}

/**
 * The table, or undefined. A name is taken as it is; else as SQL reads it: `sales.customers`, `"Sales"."Customers"`.
 * In a transaction SQL must be able to read it: some servers refuse other names, and the transaction ends.
 */
export async function lookUp(connection: PostgresConnection, wanted: string) {
  const select = (name: string) =>
    connection.query<{ oid: string; schema: string; name: string; comment: string | null }>(
      `SELECT c.oid::text AS oid, n.nspname AS schema, c.relname AS name, obj_description(c.oid, 'pg_class') AS comment
       FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = to_regclass(${name})`,
      [wanted],
    );
  const [named] = await select("quote_ident($1)");
  // A name that SQL cannot read at all is not that of a table.
  const [table] = named === undefined ? await select("$1").catch(() => []) : [named];
  if (table === undefined) return undefined;
  const columns = await connection.query<Described>(
    `SELECT a.attname AS name, format_type(a.atttypid, a.atttypmod) AS type, t.typcategory AS category,
       t.typsend::text AS send,
       coalesce((SELECT bool_or(i.indisunique) FROM pg_index i WHERE i.indrelid = a.attrelid AND i.indnkeyatts = 1
         AND i.indkey[0] = a.attnum AND i.indpred IS NULL AND i.indisvalid), false) AS "isUnique",
       a.attnotnull AS "isFilled",
       (SELECT array_position(i.indkey::int2[], a.attnum) FROM pg_index i
         WHERE i.indrelid = a.attrelid AND i.indisprimary) AS place
     FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid
     WHERE a.attrelid = ${table.oid} AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum`,
  );
  const inKey = columns.filter(({ place }) => place !== null).sort((a, b) => a.place! - b.place!);
  return {
    /** Its number in the catalog, which no other table gets. */
    oid: table.oid,
    schema: table.schema,
    name: table.name,
    /** The name as SQL writes it, with its schema. */
    sql: `${identifier(table.schema)}.${identifier(table.name)}`,
    columns: columns.map(({ name, type, category, send, isUnique, isFilled }) => ({
      name,
      /** As SQL writes it, such as `character varying(80)`. */
      type,
      /** The function that gives a value's bytes as COPY in binary reads them. */
      send,
      /** Whether no two rows have the same value, and no row has none. */
      isKey: isUnique && isFilled,
      ...mappedType(type, category, identifier(name)),
    })),
    /** The columns of the primary key, in their order; empty where there is none. */
    primaryKey: inKey.map(({ name }) => name),
    comment: table.comment ?? undefined,
  };
}

/** Keys, given as text, as an array of their type. */
export const keyArray = (keys: readonly string[], type: string): string =>
  `${literal(`{${keys.map((text) => `"${text.replaceAll(/["\\]/g, "\\$&")}"`).join(",")}}`)}::${type}[]`;

interface Described {
  readonly name: string;
  readonly type: string;
  readonly category: string;
  readonly send: string;
  readonly isUnique: boolean;
  readonly isFilled: boolean;
  /** Place in the primary key. */
  readonly place: number | null;
}

/** The DuckDB type with the same values, by type. */
export const sameValues: Readonly<Record<string, string>> = {
  smallint: "SMALLINT",
  integer: "INTEGER",
  bigint: "BIGINT",
  real: "FLOAT",
  "double precision": "DOUBLE",
  boolean: "BOOLEAN",
  date: "DATE",
  uuid: "UUID",
  "timestamp without time zone": "TIMESTAMP",
  "timestamp with time zone": "TIMESTAMPTZ",
};

/**
 * The DuckDB type that holds the same values, and the SQL expression that gives the text for it: lists of numbers stay lists,
 * other values with parts become JSON, and what DuckDB has no type for is text.
 * @param column its name alone
 */
function mappedType(type: string, category: string, column: string): { duckdbType: string; text: string } {
  const plain = type.replace(/\(\d\)/, "");
  if (plain in sameValues) return { duckdbType: sameValues[plain], text: `${column}::text` };
  const decimal = /^numeric\((\d+),(\d+)\)$/.exec(type);
  // DuckDB has no number with more digits behind the point than in all.
  if (decimal !== null && Number(decimal[1]) <= 38 && Number(decimal[2]) <= Number(decimal[1]))
    return { duckdbType: `DECIMAL(${decimal[1]},${decimal[2]})`, text: `${column}::text` };
  if (type === "real[]" || type === "double precision[]")
    return { duckdbType: type === "real[]" ? "FLOAT[]" : "DOUBLE[]", text: `to_json(${column})::text` };
  if (/^vector(\(\d+\))?$/.test(type)) return { duckdbType: "FLOAT[]", text: `${column}::text` };
  if (type === "json" || type === "jsonb") return { duckdbType: "JSON", text: `${column}::text` };
  // Arrays and composite types.
  if (category === "A" || category === "C") return { duckdbType: "JSON", text: `to_json(${column})::text` };
  return { duckdbType: "VARCHAR", text: `${column}::text` };
}
