/**
 * The rows of a left table in PostgreSQL that a join needs: the server finds the candidates of all right rows, the
 * neighbours of the nearest ones, from which the spacing of the left table is measured, and a sample, from which columns are
 * chosen and frequent words are known. The other rows are not read.
 */
import type { PhraseEncoder } from "../encoder/phrase-encoder.js";
import { withEncoder } from "../encoder/with-encoder.js";
import { ModelError, UsageError } from "../errors.js";
import { formatCount } from "../files/count-text.js";
import { isPostgresAddress } from "../files/place.js";
import { cellsOfColumn, pairText } from "../match/columns/column-names.js";
import { PostgresStore } from "../search/store/postgres-store.js";
import { keysByTrigrams, sampleKeys, trigramCreation, trigramSchema } from "../stores/postgres/nearest.js";
import { readAllColumns, type WholeTable, type WholeTableOptions } from "../table/whole-table.js";
import { isVisible } from "../text/visible.js";
import type { JoinOptions } from "./options.js";

/** Rows of the sample, and those of them by which columns are aligned. */
const [sampledRows, alignedRows] = [5000, 1000];
/** Rows whose nearest ones are searched at once: without pgvector, each time all embeddings are read. */
const searchedAtOnce = 8192;

/** By default 10 candidates: rows by trigrams per right phrase, and twice as many by embedding. */
interface CandidateRowsOptions extends Pick<JoinOptions, "candidates" | "encoder" | "threads" | "signal"> {
  readonly table?: Omit<WholeTableOptions, "column">;
  readonly onNote?: (note: string) => void;
  readonly onProgress?: (stage: string, done: number, total: number) => void;
}

/**
 * @param partnerOf the right column that is compared with a left one, by some rows of the left table
 * @returns the rows that are read, and how many rows the table has
 * @throws UsageError, VectorIndexError for a table without embeddings, ModelError for those of another model
 */
export async function readCandidates(
  address: string,
  right: WholeTable,
  partnerOf: (left: WholeTable, column: string) => string | undefined,
  options: CandidateRowsOptions,
): Promise<{ left: WholeTable; total: number }> {
  if (!isPostgresAddress(address))
    throw new UsageError(
      `${address} is no table in PostgreSQL, in which --in-database finds candidates: leave it out`,
    );
  const { encoder } = options;
  if (encoder === "none") throw new UsageError("--in-database compares embeddings: leave --model none out");
  const store = await PostgresStore.open(address);
  try {
    const { column, key } = store.tables.side.settings;
    const read = (keys: Iterable<string>): Promise<WholeTable> =>
      readAllColumns(address, { ...options.table, only: { column: key, values: [...keys] } });
    const sample = await sampleKeys(store.tables, sampledRows);
    const partner = partnerOf(await read(sample.slice(0, alignedRows)), column);
    const isEmpty = sample.length === 0 || right.phrases.length === 0;
    if (partner === undefined && !isEmpty)
      throw new UsageError(
        `${address} has embeddings of ${column}, with which no column of ${right.description.path} is compared: name it with --on ${pairText(column, "COLUMN")}`,
      );
    const phrases = isEmpty ? [] : [...new Set(cellsOfColumn(right.columns, partner!))].filter(isVisible);
    const near = isEmpty ? [] : await nearKeys(store, address, phrases, { ...options, encoder });
    const left = await read(new Set([...sample, ...near]));
    const { rows: total, searchedBy } = await store.describe();
    const count = formatCount(left.phrases.length);
    options.onNote?.(
      `${address}: read ${count} of ${formatCount(total)} rows, found in the database (${searchedBy})`,
    );
    return { left, total };
  } finally {
    await store.close();
  }
}

/** The keys of the candidates of some phrases, and of the neighbours of the nearest ones. */
async function nearKeys(
  store: PostgresStore,
  address: string,
  phrases: readonly string[],
  options: Omit<CandidateRowsOptions, "encoder"> & { readonly encoder?: PhraseEncoder },
): Promise<Set<string>> {
  const { candidates = 10, encoder, threads, signal, onNote, onProgress } = options;
  const { tables } = store;
  const { dimension, model } = tables.side.settings;
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
  const keys = new Set<string>();
  const nearest = new Set<string>();
  const settings = { prompt: model.prompt, truncateDim: dimension, signal };
  await withEncoder(encoder, { source: model.name, threads, signal }, async (loaded) => {
    const fingerprint = await loaded.fingerprint();
    if (fingerprint !== model.fingerprint)
      throw new ModelError(
        `${address} has embeddings of ${model.name ?? "another model"} (fingerprint ${model.fingerprint}), not of the model ` +
          `given (${fingerprint}). Use the model of the embeddings (--model).`,
      );
    for (const some of parts(phrases)) {
      const { data } = await loaded.encodeMatrix(some, settings);
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
  return keys;
}
