/** Keeps embeddings of a table in PostgreSQL in step with it: new and changed rows are encoded, those of lost rows removed. */
import { encodeAhead } from "../../encoder/encode-table.js";
import { type PhraseEncoder, truncatedDimension } from "../../encoder/phrase-encoder.js";
import { TableError } from "../../errors.js";
import { formatCount } from "../../files/count-text.js";
import { choosePhraseColumn, findColumn, listed } from "../../table/columns.js";
import { parseAddress } from "../../table/postgres/address.js";
import {
  connectPostgres,
  cursorRows,
  inTransaction,
  type PostgresConnection,
} from "../../table/postgres/connection.js";
import { findRelation, keyArray, type Relation } from "../../table/postgres/relation.js";
import { pauseAfterLoss } from "../../table/postgres/trouble.js";
import { identifier } from "../../table/read/database.js";
import { copiedColumns, copyRows, type KeyedRow, type VectorStorage } from "./binary-copy.js";
import { followChanges } from "./follow.js";
import {
  checkSettings,
  creation,
  findExtension,
  findSide,
  indexCreation,
  keyOf,
  lockSync,
  noteWithoutExtension,
  type SideSettings,
  type SideTable,
  sqlOfSide,
  type VectorExtension,
} from "./side-table.js";

/** What a table is before its model is loaded. */
export interface FoundTable {
  /** One line for people. */
  readonly summary: string;
  /** The model of the embeddings that exist. */
  readonly model?: string;
}

/** Settings of {@link syncTable}. */
export interface SyncTableOptions {
  /** The table; default the one that the address names (`?table=`). */
  readonly table?: string;
  /** The column of phrases. Default: that of an earlier run, or the one that looks like it. */
  readonly column?: string;
  /** The columns that a search shows. Default: those of an earlier run, or all. */
  readonly columns?: readonly string[];
  /** A column without repeated values. Default: that of an earlier run, or the primary key. */
  readonly key?: string;
  /** Text prepended to every phrase and every query. Default none. */
  readonly prompt?: string;
  /** Keep the first n dimensions. */
  readonly truncateDim?: number;
  /** What loads the model again, kept beside the embeddings. Default: the encoder's folder or name. */
  readonly modelName?: string;
  /** "print" changes nothing and gives the statements in the report. Default "run". */
  readonly changes?: "run" | "print";
  /** "follow" runs until `signal` aborts, and syncs whenever the table changes. Default "once". */
  readonly until?: "once" | "follow";
  /** "install" makes the trigger that tells of changes, which "follow" needs. Default "leave". */
  readonly trigger?: "install" | "leave";
  readonly signal?: AbortSignal;
  readonly onNote?: (note: string) => void;
  /** Called with the rows encoded and to encode. */
  readonly onProgress?: (done: number, total: number) => void;
  /** Opens the session. Default: by the package `pg`. */
  readonly connect?: (address: string) => Promise<PostgresConnection>;
}

/** What {@link syncTable} did. */
export interface SyncReport extends Difference {
  /** The table of embeddings, as SQL writes it. */
  readonly embeddings: string;
  readonly dimension: number;
  readonly storage: VectorStorage;
  /** Rows with an empty phrase: kept, but no search finds them. */
  readonly empty: number;
  /** Phrases longer than the model reads. */
  readonly truncated: number;
  /** The statements that were run, or with `changes: "print"` those that would be. */
  readonly statements: readonly string[];
  readonly seconds: number;
}

/** Rows that are encoded together and written in one transaction: enough to sort by length, and flat memory. */
const batchRows = 4096;
const batchBytes = 10 * 2 ** 20;

type EncoderOf = PhraseEncoder | ((found: FoundTable) => Promise<PhraseEncoder>);

/**
 * Brings the table `NAME_embeddings` in step with the table NAME. Each batch is one transaction: a run that is killed at any
 * moment, or loses its connection, leaves whole batches, and the next continues with the same ones.
 * @throws TableError, ModelError for embeddings of another model, LockedError while another sync of the table runs
 */
export async function syncTable(
  address: string,
  encoder: EncoderOf,
  options: SyncTableOptions = {},
): Promise<SyncReport> {
  const { connect = connectPostgres, signal } = options;
  signal?.throwIfAborted();
  let loaded = typeof encoder === "function" ? undefined : encoder;
  const load = async (found: FoundTable): Promise<PhraseEncoder> => {
    loaded ??= await (encoder as (found: FoundTable) => Promise<PhraseEncoder>)(found);
    return loaded;
  };
  const counts: Counts = { added: 0, changed: 0, removed: 0, empty: 0, truncated: 0 };
  const started = performance.now();
  let lost = 0;
  let isKnown = false;
  for (;;) {
    let connection: PostgresConnection | undefined;
    try {
      connection = await connect(address);
      isKnown = true;
      const sync = new Sync(connection, load, options, counts, () => {
        lost = 0;
      });
      const report = await sync.run(options.table ?? parseAddress(address).table);
      return { ...report, seconds: (performance.now() - started) / 1000 };
    } catch (error) {
      if (!isKnown) throw error;
      await pauseAfterLoss(error, lost++, options);
    } finally {
      await connection?.close();
    }
  }
}

const storageOf = (extension: VectorExtension | undefined): VectorStorage =>
  extension === undefined ? "real[]" : "vector";

type Counts = { -readonly [Name in "added" | "changed" | "removed" | "empty" | "truncated"]: number };

/** The work of one connection. */
class Sync {
  constructor(
    private readonly connection: PostgresConnection,
    private readonly load: (found: FoundTable) => Promise<PhraseEncoder>,
    private readonly options: SyncTableOptions,
    private readonly counts: Counts,
    /** Called when a batch is written and when a pass ends. */
    private readonly onAdvance: () => void,
  ) {}

  async run(table: string | undefined): Promise<Omit<SyncReport, "seconds">> {
    const { connection, options } = this;
    if (table === undefined)
      throw new TableError(
        `${connection.shown}: which table? Name it with --table, or end the address in ?table=NAME.`,
      );
    const source = await findRelation(connection, table);
    const isPrinted = options.changes === "print";
    if (!isPrinted) await lockSync(connection, source, options.signal);
    const existing = await findSide(connection, source);
    const { encoder, settings } = await this.#settings(source, existing);
    if (existing !== undefined) checkSettings(existing, settings, connection.shown);
    const extension = await findExtension(connection);
    if (extension === undefined) options.onNote?.(await noteWithoutExtension(connection));
    const made = creation(source, settings, extension, existing);
    const indexes = indexCreation(source, settings, extension);
    const sql = sqlOfSide(source);
    const report = (rows: number, ran: readonly string[]) => ({
      embeddings: sql,
      rows,
      ...this.counts,
      dimension: settings.dimension,
      storage: storageOf(extension),
      statements: ran,
    });
    if (isPrinted) {
      const wanted = statements(source, sql, settings, existing !== undefined);
      const { rows, ...found } = await differenceOf(connection, wanted);
      const { copy, removal } = wanted;
      Object.assign(this.counts, found);
      return report(rows, [...made, removal, copy, ...indexes]);
    }
    if (made.length > 0)
      await inTransaction(connection, async () => {
        for (const statement of made) await connection.query(statement);
      });
    let rows = 0;
    const pass = async (keys?: readonly string[]): Promise<void> => {
      const wanted = statements(source, sql, settings, true, keys);
      const found = await this.#pass(wanted, settings, encoder, extension);
      rows = keys === undefined ? found.rows : rows + found.added - found.removed;
      for (const index of indexes) await connection.query(index);
      this.onAdvance();
    };
    await (options.until === "follow" || options.trigger === "install"
      ? followChanges(connection, source, settings, pass, options)
      : pass());
    return report(rows, made);
  }

  /** The settings of this run: what is not given is as before. */
  async #settings(source: Relation, existing: SideTable | undefined) {
    const { connection, options, load } = this;
    const before = existing?.settings;
    const place = `${connection.shown}: ${source.name}`;
    const names = source.columns.map(({ name }) => name);
    const named = (wanted: string): string => names[findColumn(place, names, wanted)];
    const key = await keyOf(connection, source, options.key ?? before?.key);
    const infos = source.columns.map(({ name, duckdbType }) => ({
      name,
      isText: duckdbType === "VARCHAR",
      sample: ["-"],
    }));
    const column = names[choosePhraseColumn(place, infos, options.column ?? before?.column)];
    const chosen = before?.index === undefined ? options.columns?.map(named) : undefined;
    const columns = chosen ?? before?.columns;
    const summary = `${place}: phrases from "${column}" of ${listed(names)}, rows by ${key}`;
    const encoder = await load({ summary, model: before?.model.name });
    const prompt = options.prompt ?? before?.model.prompt;
    const fingerprint = await encoder.fingerprint();
    const dimensionBefore = fingerprint === before?.model.fingerprint ? before.dimension : undefined;
    const settings: SideSettings = {
      pearl: 1,
      table: source.sql,
      ...{ key, column, columns },
      dimension: truncatedDimension(encoder, options.truncateDim ?? dimensionBefore),
      model: {
        fingerprint,
        name: options.modelName ?? before?.model.name ?? encoder.model.name,
        prompt,
      },
      index: before?.index,
    };
    return { encoder, settings: JSON.parse(JSON.stringify(settings)) as SideSettings };
  }

  /** Brings the embeddings in step with the table as it is now. @returns what differed before */
  async #pass(
    wanted: Statements,
    settings: SideSettings,
    encoder: PhraseEncoder,
    extension: VectorExtension | undefined,
  ): Promise<Difference> {
    const { connection, options, counts } = this;
    const { signal, onNote, onProgress } = options;
    const found = await differenceOf(connection, wanted);
    if (found.removed > 0) {
      await connection.query(wanted.removal);
      counts.removed += found.removed;
    }
    const total = found.added + found.changed;
    if (total === 0) return found;
    const { dimension, model } = settings;
    const storage = storageOf(extension);
    const rowsAtOnce = Math.max(1, Math.min(batchRows, Math.floor(batchBytes / (4 * dimension))));
    const chunks = encodeAhead(
      encoder,
      cursorRows<PendingRow>(connection, wanted.pending, rowsAtOnce),
      (rows) => rows.map(({ phrase }) => phrase),
      { prompt: model.prompt, truncateDim: dimension, signal },
    );
    let done = 0;
    try {
      for await (const { chunk, matrix } of chunks) {
        await writeBatch(connection, wanted, chunk, { vectors: matrix.data, dimension, storage });
        this.onAdvance();
        done += chunk.length;
        const changed = chunk.filter(({ isChanged }) => isChanged).length;
        counts.changed += changed;
        counts.added += chunk.length - changed;
        counts.empty += matrix.empty;
        counts.truncated += matrix.truncated;
        onProgress?.(done, total);
        signal?.throwIfAborted();
      }
    } catch (error) {
      if (signal?.aborted)
        onNote?.(
          `stopped with ${formatCount(done)} of ${formatCount(total)} rows written; the same command continues`,
        );
      throw error;
    }
    return found;
  }
}

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
async function writeBatch(
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
