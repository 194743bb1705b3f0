/** The rows whose embeddings are missing or out of date, and how they are written and removed. */
import { inTransaction, type PostgresConnection } from "../../table/postgres/connection.js";
import { keyArray, type Relation } from "../../table/postgres/relation.js";
import { identifier } from "../../table/read/database.js";
import { copiedColumns, copyRows, type KeyedRow, type VectorStorage } from "./binary-copy.js";
import type { SideSettings } from "./side-table.js";

/** A row to encode. */
export interface PendingRow extends KeyedRow {
  readonly keyText: string;
  /** Whether it has an embedding, of another text. */
  readonly isChanged: boolean;
}

/** How many rows a table has, and how many of them are to be encoded or removed. */
export interface Difference {
  readonly rows: number;
  readonly added: number;
  readonly changed: number;
  readonly removed: number;
}

/** The statements of a table and its embeddings. @param hasSide without it, all rows are new @param keys of the rows to compare; default all */
export function statements(
  source: Relation,
  side: string,
  settings: SideSettings,
  hasSide = true,
  keys?: readonly string[],
) {
  const key = identifier(settings.key);
  const { send, type } = source.columns.find(({ name }) => name === settings.key)!;
  const only = keys && keyArray(keys, type);
  const text = `coalesce(${identifier(settings.column)}::text, '')`;
  const rows = `(SELECT ${key} AS key, ${text} AS phrase, sha256(convert_to(${text}, 'UTF8')) AS hash FROM ${source.sql} WHERE ${key} ${only ? `= ANY(${only})` : "IS NOT NULL"}) t`;
  const none =
    "(SELECT key, hash AS text_hash FROM (SELECT NULL::" +
    `${type} AS key, NULL::bytea AS hash) n WHERE false)`;
  const stored = hasSide ? side : none;
  const joined = `${rows} LEFT JOIN ${stored} s ON s.key = t.key`;
  const isGone = `${only ? `s.key = ANY(${only}) AND ` : ""}NOT EXISTS (SELECT FROM ${source.sql} t WHERE t.${key} = s.key)`;
  return {
    difference: `SELECT count(*)::int AS rows, (count(*) FILTER (WHERE s.key IS NULL))::int AS added,
      (count(*) FILTER (WHERE s.text_hash <> t.hash))::int AS changed,
      (SELECT count(*)::int FROM ${stored} s WHERE ${isGone}) AS removed FROM ${joined}`,
    /** In the order of keys, so that a run that continues another makes the same batches. */
    pending: `SELECT ${send}(t.key) AS key, t.key::text AS "keyText", t.phrase, t.hash, s.key IS NOT NULL AS "isChanged"
      FROM ${joined} WHERE s.key IS NULL OR s.text_hash <> t.hash ORDER BY t.key`,
    removal: `DELETE FROM ${side} s WHERE ${isGone}`,
    /** $1: the keys as text. */
    forget: `DELETE FROM ${side} WHERE key = ANY($1::text[]::${type}[])`,
    copy: `COPY ${side} ${copiedColumns} FROM STDIN (FORMAT binary)`,
  };
}

export type Statements = ReturnType<typeof statements>;

export async function differenceOf(
  connection: PostgresConnection,
  { difference }: Statements,
): Promise<Difference> {
  const [found] = await connection.query<Difference>(difference);
  return found;
}

/** Writes a batch in one transaction: all of it or, with an error, nothing. */
export async function writeBatch(
  connection: PostgresConnection,
  { forget, copy }: Statements,
  rows: readonly PendingRow[],
  { vectors, dimension, storage }: { vectors: Float32Array; dimension: number; storage: VectorStorage },
): Promise<void> {
  await inTransaction(connection, async () => {
    const changed = rows.filter(({ isChanged }) => isChanged).map(({ keyText }) => keyText);
    if (changed.length > 0) await connection.query(forget, [changed]);
    await connection.copyIn(copy, [copyRows(rows, vectors, dimension, storage)]);
  });
}
