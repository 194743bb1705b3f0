/** Rows found by the server: the nearest to some vectors (pgvector), those that share words or letters, and a sample. */
import { inTransaction } from "../../table/postgres/connection.js";
import { identifier } from "../../table/read/database.js";
import { mostVisited, phraseTerms } from "../../text/phrase-terms.js";
import type { IndexTable, SideTable } from "./side-table.js";

/** A row near a query, and its cosine with it. */
export interface NearRow {
  readonly key: string;
  readonly score: number;
}

/** Whether a row of embeddings, called s, is still in the source and meets the condition, and values from parameter `from` on. */
export const isLive = ({ source, side, where }: IndexTable, from: number) => ({
  live: `EXISTS (SELECT FROM ${source.sql} t WHERE t.${identifier(side.settings.key)} = s.key
    AND ${where?.sql(`$${from}::text[]`) ?? "true"})`,
  values: where === undefined ? [] : [where.values],
});

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
  const { live, values } = isLive(table, 3);
  const take = async (sql: string, limit: number): Promise<void> => {
    const places = open();
    for (let first = 0; first < places.length; first += queriesAtOnce) {
      const some = places.slice(first, first + queriesAtOnce);
      const vectors = some.map((place) => `[${vectorAt(place).join(",")}]`);
      for (const place of some) nearest[place] = [];
      const rows = await connection.query<NearRow & { place: number }>(sql, [vectors, limit, ...values]);
      for (const { place, key, score } of rows)
        if (nearest[some[place]].length < k) nearest[some[place]].push({ key, score });
    }
  };
  if (k <= mostEffort) {
    const effort = Math.min(mostEffort, Math.max(leastEffort, 2 * k));
    await connection.query(`SET hnsw.ef_search = ${effort}`);
    for (const limit of [k, effort]) await take(nearSql(side, schema, "true", live), limit);
  }
  // The index finds no more rows than it looks at.
  if (open().length > 0)
    await inTransaction(connection, async () => {
      await connection.query("SET LOCAL enable_indexscan = off");
      await take(nearSql(side, schema, live, "true"), k);
    });
  return nearest;
}

/**
 * $1: vectors as text, which become vectors before any row is compared; $2: a limit for each.
 * @param inside what rows must meet before they are counted against the limit
 * @param outside what the nearest rows must meet: the plan of the index then does not depend on the source, which may have no
 *   index itself
 */
function nearSql({ sql }: SideTable, schema: string, inside: string, outside: string): string {
  const distance = `embedding OPERATOR(${schema}.<=>) q.vector`;
  const near = `SELECT s.key, ${distance} AS distance FROM ${sql} s
    WHERE embedding IS NOT NULL AND ${inside} ORDER BY ${distance} LIMIT $2`;
  return `SELECT q.place::int - 1 AS place, s.key::text AS key, 1 - s.distance AS score
    FROM unnest($1::text[]::${schema}.vector[]) WITH ORDINALITY q(vector, place), LATERAL (${near}) s
    WHERE ${outside} ORDER BY q.place, s.distance`;
}

/** The keys of the k rows that share the rarest words and letters with a phrase: as WordSearch does in a folder. */
export async function keysByTerms(table: IndexTable, phrase: string, k: number): Promise<string[]> {
  const { connection, side } = table;
  const { live, values } = isLive(table, 4);
  const having = `SELECT FROM ${side.sql} WHERE terms @> ARRAY[q.term] LIMIT ${mostVisited + 1}`;
  const rows = await connection.query<{ key: string }>(
    `WITH total AS (SELECT CASE WHEN reltuples > 0 THEN reltuples ELSE (SELECT count(*) FROM ${side.sql}) END AS rows
       FROM pg_class WHERE oid = $3::regclass),
     counted AS (SELECT term, (SELECT count(*) FROM (${having}) h)::float AS rows FROM unnest($1::int[]) q(term)),
     visited AS (SELECT term, ln(1 + total.rows / counted.rows) ^ 2 AS weight,
       sum(counted.rows) OVER (ORDER BY counted.rows, term) AS visited, row_number() OVER (ORDER BY counted.rows, term) AS place
       FROM counted, total WHERE counted.rows > 0),
     followed AS MATERIALIZED (SELECT term, weight FROM visited WHERE visited <= ${mostVisited} OR place = 1)
     SELECT s.key::text AS key FROM ${side.sql} s
     WHERE s.terms && (SELECT array_agg(term) FROM followed)
       AND ${live}
     ORDER BY (SELECT sum(weight) FROM followed WHERE term = ANY(s.terms)) / sqrt(cardinality(s.terms)) DESC, s.key LIMIT $2`,
    [[...phraseTerms(phrase)].map((term) => String(term | 0)), k, side.sql, ...values],
  );
  return rows.map(({ key }) => key);
}

/** Keys drawn at random, the same ones each time. */
export async function sampleKeys({ connection, source, side }: IndexTable, count: number): Promise<string[]> {
  const key = `${identifier(side.settings.key)}::text`;
  const sql = `SELECT ${key} AS key FROM ${source.sql} ORDER BY md5(${key}) LIMIT $1`;
  return (await connection.query<{ key: string }>(sql, [count])).map((row) => row.key);
}

/** The schema of pg_trgm where the synced column has an index of trigrams, without which each search reads the table. */
export async function trigramSchema({ connection, source, side }: IndexTable): Promise<string | undefined> {
  const [found] = await connection.query<{ schema: string }>(
    `SELECT o.opcnamespace::regnamespace::text AS schema FROM pg_index i
     JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0]
     JOIN pg_opclass o ON o.oid = i.indclass[0]
     WHERE i.indrelid = $1::regclass AND a.attname = $2 AND i.indpred IS NULL AND i.indisvalid
     AND o.opcname IN ('gin_trgm_ops', 'gist_trgm_ops') LIMIT 1`,
    [source.sql, side.settings.column],
  );
  return found?.schema;
}

/** The statement that makes the index of trigrams. */
export const trigramCreation = ({ source, side }: IndexTable): string =>
  `CREATE EXTENSION IF NOT EXISTS pg_trgm; CREATE INDEX ON ${source.sql} USING gin (${identifier(side.settings.column)} gin_trgm_ops)`;

/** The keys of the rows whose trigrams are nearest to those of any phrase. @param schema of pg_trgm @param k rows per phrase */
export async function keysByTrigrams(
  { connection, source, side }: IndexTable,
  schema: string,
  phrases: readonly string[],
  k: number,
): Promise<string[]> {
  const column = `t.${identifier(side.settings.column)}`;
  const key = `t.${identifier(side.settings.key)}`;
  const rows = await connection.query<{ key: string }>(
    `SELECT DISTINCT n.key FROM unnest($1::text[]) q(phrase), LATERAL (SELECT ${key}::text AS key FROM ${source.sql} t
     WHERE ${column} OPERATOR(${schema}.%) q.phrase ORDER BY ${schema}.similarity(${column}, q.phrase) DESC, ${key} LIMIT $2) n`,
    [phrases, k],
  );
  return rows.map((row) => row.key);
}
