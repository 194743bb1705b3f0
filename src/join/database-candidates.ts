/**
 * The rows of a left table in PostgreSQL that a join needs: the server finds the candidates of all right rows, the
 * neighbours of the nearest ones, from which the spacing of the left table is measured, and a sample, from which columns are
 * chosen and frequent words are known. The other rows are not read.
 */
import type { PhraseEncoder } from "../encoder/phrase-encoder.js";
import { withEncoder } from "../encoder/with-encoder.js";
import { ModelError, UsageError } from "../errors.js";
import { formatCount } from "../files/count-text.js";
import { PostgresStore } from "../search/store/postgres-store.js";
import { keysByTrigrams, sampleKeys, trigramCreation, trigramSchema } from "../stores/postgres/row-search.js";
import { isPostgresAddress } from "../table/postgres/address.js";
import type { TableOptions } from "../table/table.js";
import { readAllColumns, type WholeTable } from "../table/whole-table.js";

/** Rows of the sample, and those of them by which columns are aligned. */
const [sampledRows, alignedRows] = [5000, 1000];
/** Rows whose nearest ones are searched at once: without pgvector, each time all embeddings are read. */
const searchedAtOnce = 8192;

interface CandidateRowsOptions {
  readonly table?: Omit<TableOptions, "column">;
  readonly encoder?: PhraseEncoder | "none";
  /** Rows by trigrams per right phrase, and twice as many by embedding. Default 10. */
  readonly candidates?: number;
  readonly threads?: number;
  readonly signal?: AbortSignal;
  readonly onNote?: (note: string) => void;
  readonly onProgress?: (stage: string, done: number, total: number) => void;
}

/** The rows that are read, and how many rows the table has. */
interface CandidateRows {
  readonly left: WholeTable;
  readonly total: number;
}

/**
 * @param partnerOf the right column that is compared with a left one, by some rows of the left table
 * @throws UsageError, VectorIndexError for a table without embeddings, ModelError for those of another model
 */
export async function readCandidates(
  address: string,
  right: WholeTable,
  partnerOf: (left: WholeTable, column: string) => string | undefined,
  options: CandidateRowsOptions,
): Promise<CandidateRows> {
  const { candidates = 10, encoder, threads, signal, onNote, onProgress } = options;
  if (!isPostgresAddress(address))
    throw new UsageError(`${address} is no table in PostgreSQL, in which --in-database finds candidates: leave it out`);
  if (encoder === "none")
    throw new UsageError("--in-database compares embeddings: leave --model none out");
  const store = await PostgresStore.open(address);
  try {
    const { tables } = store;
    const { column, key, dimension, model } = tables.side.settings;
    const read = (keys: Iterable<string>): Promise<WholeTable> =>
      readAllColumns(address, { ...options.table, only: { column: key, values: [...keys] } });
    const sample = await sampleKeys(tables, sampledRows);
    const partner = partnerOf(await read(sample.slice(0, alignedRows)), column);
    if (partner === undefined)
      throw new UsageError(
        `${address} has embeddings of ${column}, with which no column of ${right.description.path} is compared: name it with --on ${column}=COLUMN`,
      );
    const trigrams = await trigramSchema(tables);
    if (trigrams === undefined)
      onNote?.(`candidates by embedding alone; by letters, too, after: ${trigramCreation(tables)}`);
    const parts = function* (texts: readonly string[]): Generator<string[]> {
      for (let from = 0; from < texts.length; from += searchedAtOnce) {
        signal?.throwIfAborted();
        onProgress?.("finding candidates", from, texts.length);
        yield texts.slice(from, from + searchedAtOnce);
      }
    };
    const phrases = [...new Set(right.columns[partner])].filter((phrase) => phrase.trim() !== "");
    const keys = new Set(sample);
    const nearest = new Set<string>();
    await withEncoder(encoder, { source: model.name, threads, signal }, async (loaded) => {
      const fingerprint = await loaded.fingerprint();
      if (fingerprint !== model.fingerprint)
        throw new ModelError(
          `${address} has embeddings of ${model.name ?? "another model"} (fingerprint ${model.fingerprint}), not of the model ` +
            `given (${fingerprint}). Use the model of the embeddings (--model).`,
        );
      for (const some of parts(phrases)) {
        const { data } = await loaded.encodeMatrix(some, { prompt: model.prompt, truncateDim: dimension, signal });
        for (const hits of await store.nearest(data, 2 * candidates)) {
          for (const hit of hits) keys.add(hit.key);
          if (hits.length > 0) nearest.add(hits[0].key);
        }
        if (trigrams === undefined) continue;
        for (const found of await keysByTrigrams(tables, trigrams, some, candidates)) keys.add(found);
      }
    });
    for (const some of parts([...nearest]))
      for (const hits of await store.nearest(await store.vectorsOf(some), candidates))
        for (const hit of hits) keys.add(hit.key);
    const { rows: total, searchedBy } = await store.describe();
    const left = await read(keys);
    const count = formatCount(left.phrases.length);
    onNote?.(`${address}: read ${count} of ${formatCount(total)} rows, found in the database (${searchedBy})`);
    return { left, total };
  } finally {
    await store.close();
  }
}
