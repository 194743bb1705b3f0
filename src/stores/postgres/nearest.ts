/** The rows nearest to some vectors, found by the server with pgvector. */
import { inTransaction } from "../../table/postgres/connection.js";
import { identifier } from "../../table/read/database.js";
import type { IndexTable } from "./index-rows.js";

/** A row near a query, and its cosine with it. */
export interface NearRow {
  readonly key: string;
  readonly score: number;
}

/** Queries of one statement. */
const queriesAtOnce = 256;
/** Rows that an HNSW index looks at, at least and at most. */
const [leastEffort, mostEffort] = [200, 1000];

/**
 * The k rows nearest to each query that are still in the source, best first: by the HNSW index where that is cheaper than
 * comparing all rows. Where rows that were removed since the last sync take places of others, it asks for more.
 * @param schema of pgvector
 * @param queries [queries, dimension]; a zero vector finds nothing
 */
export async function nearestRows(
  table: IndexTable,
  schema: string,
  queries: Float32Array,
  k: number,
): Promise<NearRow[][]> {
  const { connection, side } = table;
  const { dimension } = side.settings;
  const vectorAt = (place: number) => queries.subarray(place * dimension, (place + 1) * dimension);
  const nearest: NearRow[][] = Array.from({ length: queries.length / dimension }, () => []);
  const open = (): number[] =>
    [...nearest.keys()].filter(
      (place) => nearest[place].length < k && vectorAt(place).some((value) => value !== 0),
    );
  const take = async (sql: string, limit: number): Promise<void> => {
    const places = open();
    for (let first = 0; first < places.length; first += queriesAtOnce) {
      const some = places.slice(first, first + queriesAtOnce);
      const vectors = some.map((place) => `[${vectorAt(place).join(",")}]`);
      for (const place of some) nearest[place] = [];
      const rows = await connection.query<NearRow & { place: number }>(sql, [vectors, limit]);
      for (const { place, key, score } of rows)
        if (nearest[some[place]].length < k) nearest[some[place]].push({ key, score });
    }
  };
  if (k <= mostEffort) {
    const effort = Math.min(mostEffort, Math.max(leastEffort, 2 * k));
    await connection.query(`SET hnsw.ef_search = ${effort}`);
    for (const limit of [k, effort]) await take(nearSql(table, schema, "nearest"), limit);
  }
  // The index finds no more rows than it looks at.
  if (open().length > 0)
    await inTransaction(connection, async () => {
      await connection.query("SET LOCAL enable_indexscan = off");
      await take(nearSql(table, schema, "all"), k);
    });
  return nearest;
}

/**
 * $1: vectors as text, which become vectors before any row is compared; $2: a limit for each.
 * @param among the rows that must be in the source: so many nearest ones, where the plan of the index does not depend on the
 *   source, which may have no index itself; or all, and so many are found
 */
function nearSql({ source, side }: IndexTable, schema: string, among: "nearest" | "all"): string {
  const live = `EXISTS (SELECT FROM ${source.sql} t WHERE t.${identifier(side.settings.key)} = s.key)`;
  const [inside, outside] = among === "all" ? [live, "true"] : ["true", live];
  const distance = `embedding OPERATOR(${schema}.<=>) q.vector`;
  const near = `SELECT s.key, ${distance} AS distance FROM ${side.sql} s
    WHERE embedding IS NOT NULL AND ${inside} ORDER BY ${distance} LIMIT $2`;
  return `SELECT q.place::int - 1 AS place, s.key::text AS key, 1 - s.distance AS score
    FROM unnest($1::text[]::${schema}.vector[]) WITH ORDINALITY q(vector, place), LATERAL (${near}) s
    WHERE ${outside} ORDER BY q.place, s.distance`;
}
