/** The embeddings that an address means. */
import { VectorIndexError } from "../../errors.js";
import { listed } from "../../table/columns.js";
import { addressOfTable } from "../../table/postgres/address.js";
import type { PostgresConnection } from "../../table/postgres/connection.js";
import { findRelation, lookUp } from "../../table/postgres/relation.js";
import { findSide, type SideTable, sideOf } from "./side-table.js";

/** @param table default: the only one of the database that has embeddings @throws VectorIndexError, TableError */
export const sideAt = (connection: PostgresConnection, table: string | undefined): Promise<SideTable> =>
  table === undefined ? onlySide(connection) : sideNamed(connection, table);

/** The embeddings of a table, by its name or by their own. */
async function sideNamed(connection: PostgresConnection, wanted: string): Promise<SideTable> {
  const relation = await findRelation(connection, wanted);
  const side = sideOf(relation, connection) ?? (await findSide(connection, relation));
  if (side !== undefined) return side;
  throw new VectorIndexError(
    `${connection.shown}: ${wanted} has no embeddings. Make them first: pearl sync ADDRESS --table ${wanted}`,
  );
}

async function onlySide(connection: PostgresConnection): Promise<SideTable> {
  const found = await connection.query<{ name: string }>(
    `SELECT format('%I.%I', n.nspname, c.relname) AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE c.relkind = 'r' AND obj_description(c.oid, 'pg_class') LIKE '{"pearl":%' ORDER BY 1`,
  );
  const relations = await Promise.all(found.map(({ name }) => lookUp(connection, name)));
  const sides = relations.flatMap((relation) => (relation && sideOf(relation, connection)) ?? []);
  if (sides.length === 1) return sides[0];
  const { shown } = connection;
  if (sides.length === 0)
    throw new VectorIndexError(
      `${shown}: no table has embeddings. Make them first: pearl sync ADDRESS --table NAME`,
    );
  const tables = sides.map(({ settings }) => settings.table.replaceAll(/^"public"\.|"/g, ""));
  const example = addressOfTable(shown, tables[0]);
  throw new VectorIndexError(
    `${shown}: ${tables.length} tables have embeddings (${listed(tables)}). Name one, as in ${example}`,
  );
}
