/**
 * The table of embeddings beside a table of PostgreSQL: `customers_embeddings` holds a key, the hash of the text and the
 * embedding of each row of `customers`. Its comment says which column, which key and which model it belongs to.
 */
import { setTimeout as sleep } from "node:timers/promises";
import * as v from "valibot";
import { LockedError, ModelError, TableError, VectorIndexError } from "../../errors.js";
import { fingerprint } from "../../files/checksums/fingerprint.js";
import { parseJson } from "../../files/json.js";
import { findColumn, listed } from "../../table/columns.js";
import { addressOfTable } from "../../table/postgres/address.js";
import type { PostgresConnection } from "../../table/postgres/connection.js";
import { findRelation, longestNameBytes, lookUp, type Relation } from "../../table/postgres/relation.js";
import { identifier, literal } from "../../table/read/database.js";
import type { VectorStorage } from "./binary-copy.js";

const settingsSchema = v.object({
  pearl: v.literal(1, "written by a newer pearl"),
  /** The table with its schema, as SQL writes it. */
  table: v.string(),
  key: v.string(),
  column: v.string(),
  /** What a search shows; default all columns. */
  columns: v.optional(v.array(v.string())),
  dimension: v.pipe(v.number(), v.integer(), v.minValue(1)),
  model: v.object({ fingerprint: v.string(), name: v.optional(v.string()), prompt: v.optional(v.string()) }),
  /** Where a build made the table, too; else it is somebody's own. */
  index: v.optional(v.object({ unfinished: v.optional(v.object({ source: v.string(), rows: v.number() })) })),
});

/** What a table of embeddings belongs to. */
export type SideSettings = v.InferOutput<typeof settingsSchema>;

/** A table of embeddings that exists. */
export interface SideTable {
  readonly sql: string;
  readonly name: string;
  readonly storage: VectorStorage;
  readonly settings: SideSettings;
}

/** A table with its embeddings, and the connection to both. */
export interface IndexTable {
  readonly connection: PostgresConnection;
  readonly source: Relation;
  readonly side: SideTable;
  /** What rows of the source, called t, must meet to be found: SQL, given a parameter that is an array of these values. */
  readonly where?: { readonly sql: (parameter: string) => string; readonly values: readonly string[] };
}

/** pgvector as it is installed in a database. */
export interface VectorExtension {
  /** The schema of its types and operators, as SQL writes it. */
  readonly schema: string;
}

/** Where an index of pgvector ends. */
const mostIndexed = 2000;
/** Up to this dimension a row with its embedding fits on a page, where a scan reads it without a detour. */
const mostInline = 1900;

/** A name with an ending, its own end cut off where both are too long. */
function nameWith(name: string, ending: string): string {
  let start = name;
  while (Buffer.byteLength(start + ending) > longestNameBytes) start = start.slice(0, -1);
  return start + ending;
}

const suffix = "_embeddings";

const nameOfSide = ({ name }: Relation): string => nameWith(name, suffix);

/** A name that belongs to one table of embeddings: where it must be cut, it holds a hash of the table's. */
export function nameBeside(source: Relation, ending: string): string {
  const whole = `${source.name}${suffix}${ending}`;
  if (Buffer.byteLength(whole) <= longestNameBytes) return whole;
  return nameWith(source.name, `_${fingerprint(source.sql).slice(0, 8)}${ending}`);
}

/** The same with its schema, as SQL writes it. */
export const sqlOfSide = (source: Relation): string =>
  `${identifier(source.schema)}.${identifier(nameOfSide(source))}`;

export async function findExtension(connection: PostgresConnection): Promise<VectorExtension | undefined> {
  const [found] = await connection.query<VectorExtension>(
    "SELECT extnamespace::regnamespace::text AS schema FROM pg_extension WHERE extname = 'vector'",
  );
  return found;
}

/** What a database without pgvector means, and the cure. */
export async function noteWithoutExtension(connection: PostgresConnection): Promise<string> {
  const available = await connection.query("SELECT 1 FROM pg_available_extensions WHERE name = 'vector'");
  const first = available.length > 0 ? "" : "install the package of pgvector on the server, then ";
  return (
    "this database is without pgvector: embeddings are real[] and every search is exact. " +
    `For searches by an index, ${first}sync again after: CREATE EXTENSION vector`
  );
}

/** The embeddings of a table, if they exist. @throws TableError where another table has their name */
export async function findSide(
  connection: PostgresConnection,
  source: Relation,
): Promise<SideTable | undefined> {
  const name = nameOfSide(source);
  const found = await lookUp(connection, sqlOfSide(source));
  if (found === undefined) return undefined;
  const side = sideOf(found, connection);
  if (side?.settings.table === source.sql) return side;
  throw new TableError(
    `${connection.shown}: the table ${name} exists and does not hold pearl's embeddings of ${source.name}. ` +
      `Rename it: ALTER TABLE ${identifier(name)} RENAME TO ${identifier(`${name}_old`)}`,
  );
}

/** A table as one of embeddings; undefined where its comment is not pearl's. */
export function sideOf(
  { sql, name, comment, columns }: Relation,
  { shown }: PostgresConnection,
): SideTable | undefined {
  if (!comment?.startsWith('{"pearl":')) return undefined;
  const cure = `Remove the embeddings and sync again: DROP TABLE ${sql}`;
  const settings = parseJson(comment, `${shown}: the comment of ${name}`, settingsSchema, {
    error: TableError,
    cure,
  });
  const isVector = columns.some((column) => column.name === "embedding" && column.type.includes("vector"));
  return { sql, name, settings, storage: isVector ? "vector" : "real[]" };
}

/** The key of a table: a column without repeated or missing values. @throws TableError */
export async function keyOf(
  connection: PostgresConnection,
  source: Relation,
  wanted: string | undefined,
): Promise<string> {
  const { primaryKey, columns, name: table } = source;
  if (wanted === undefined && primaryKey.length !== 1) {
    const found =
      primaryKey.length === 0 ? "no primary key" : `a primary key of ${primaryKey.length} columns`;
    throw new TableError(
      `${connection.shown}: ${table} has ${found}. Name a column whose values tell rows apart with --key.`,
    );
  }
  const names = columns.map(({ name }) => name);
  const column = columns[findColumn(`${connection.shown}: ${table}`, names, wanted ?? primaryKey[0])];
  if (column.isKey) return column.name;
  const sql = identifier(column.name);
  const [repeated] = await connection.query<{ value: string | null; count: number }>(
    `SELECT ${sql}::text AS value, count(*)::int AS count FROM ${source.sql} GROUP BY ${sql}
     HAVING count(*) > 1 OR ${sql} IS NULL LIMIT 1`,
  );
  if (repeated === undefined) return column.name;
  const found =
    repeated.value === null
      ? `has no value in ${repeated.count} rows`
      : `is ${repeated.value} in ${repeated.count} rows`;
  throw new TableError(
    `${connection.shown}: ${table}: ${column.name} ${found}, so it is no key. Name another column with --key.`,
  );
}

/** @throws ModelError for embeddings of another model; TableError for those of another column or key */
export function checkSettings({ sql, name, settings }: SideTable, wanted: SideSettings, shown: string): void {
  const again = `remove them and sync again: DROP TABLE ${sql}`;
  const [stored, given] = [settings.model, wanted.model];
  if (stored.fingerprint !== given.fingerprint || settings.dimension !== wanted.dimension) {
    const use = stored.name === undefined ? "Use their model" : `Use it (--model ${stored.name})`;
    throw new ModelError(
      `${shown}: ${name} holds embeddings of ${stored.name ?? "another model"} with ${settings.dimension} dimensions ` +
        `(fingerprint ${stored.fingerprint}), not of ${given.name ?? "the one given"} with ${wanted.dimension} ` +
        `(${given.fingerprint}). ${use}, or ${again}`,
    );
  }
  const differing = (["column", "key"] as const).find((field) => settings[field] !== wanted[field]);
  if (differing !== undefined)
    throw new TableError(
      `${shown}: ${name} was made with --${differing} ${settings[differing]}, not ${wanted[differing]}. ` +
        `Leave --${differing} out, or ${again}`,
    );
  if ((stored.prompt ?? "") !== (given.prompt ?? ""))
    throw new TableError(
      `${shown}: ${name} was made with the prompt ${JSON.stringify(stored.prompt ?? "")}. Leave --prompt out, or ${again}`,
    );
}

/** The statement that stores the settings of a table of embeddings. */
export const commentOf = (sql: string, settings: SideSettings): string =>
  `COMMENT ON TABLE ${sql} IS ${literal(JSON.stringify(settings))}`;

/** The statements that make a table of embeddings, or bring an existing one up to date; one transaction. */
export function creation(
  source: Relation,
  settings: SideSettings,
  extension: VectorExtension | undefined,
  existing: SideTable | undefined,
): string[] {
  const sql = sqlOfSide(source);
  const { dimension } = settings;
  const vectorType = extension && `${extension.schema}.vector(${dimension})`;
  const comment = commentOf(sql, settings);
  if (existing !== undefined) {
    const isUpgraded = existing.storage === "real[]" && vectorType !== undefined;
    return [
      ...(isUpgraded
        ? [
            `ALTER TABLE ${sql} ALTER COLUMN embedding TYPE ${vectorType} USING embedding::${vectorType}`,
            `ALTER TABLE ${sql} ALTER COLUMN embedding SET STORAGE EXTERNAL`,
          ]
        : []),
      ...(JSON.stringify(existing.settings) === JSON.stringify(settings) ? [] : [comment]),
    ];
  }
  const keyType = source.columns.find(({ name }) => name === settings.key)!.type;
  const storage = vectorType === undefined && dimension <= mostInline ? "PLAIN" : "EXTERNAL";
  return [
    `CREATE TABLE ${sql} (key ${keyType}, text_hash bytea NOT NULL, embedding ${vectorType ?? "real[]"}, terms integer[], PRIMARY KEY (key) INCLUDE (text_hash))`,
    // Floats do not compress.
    `ALTER TABLE ${sql} ALTER COLUMN embedding SET STORAGE ${storage}`,
    comment,
  ];
}

/** The statements that make the index of terms and, with pgvector and up to its limit, the HNSW index. */
export function indexCreation(
  source: Relation,
  { dimension }: SideSettings,
  extension: VectorExtension | undefined,
): string[] {
  const index = (ending: string, columns: string): string =>
    `CREATE INDEX IF NOT EXISTS ${identifier(nameBeside(source, ending))} ON ${sqlOfSide(source)} USING ${columns}`;
  const terms = index("_terms", "gin (terms)");
  if (extension === undefined || dimension > mostIndexed) return [terms];
  return [terms, index("_hnsw", `hnsw (embedding ${extension.schema}.vector_cosine_ops)`)];
}

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

/** Milliseconds that a killed run may hold its lock, and between two tries to take it. */
const [lockMs, pauseMs] = [15_000, 500];

/** Takes the advisory lock of a table for as long as the connection lives. @throws LockedError after 15 seconds */
export async function lockSync(
  connection: PostgresConnection,
  { sql }: Relation,
  signal?: AbortSignal,
): Promise<void> {
  const key = "hashtextextended('pearl sync ' || $1::regclass::oid, 0)";
  for (let waited = 0; ; waited += pauseMs) {
    const [{ taken }] = await connection.query<{ taken: boolean }>(
      `SELECT pg_try_advisory_lock(${key}) AS taken`,
      [sql],
    );
    if (taken) return;
    if (waited >= lockMs)
      throw new LockedError(
        `${connection.shown}: another sync of ${sql} is running. Wait until it has finished.`,
      );
    await sleep(pauseMs, undefined, { signal });
  }
}
