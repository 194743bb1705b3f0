/** Indexes tables of phrases: encodes them, and adds them to an index with their columns. */
import {
  type EncoderSource,
  type EncodeTableOptions,
  type EncodeTableReport,
  encodeAhead,
} from "../encoder/encode-table.js";
import { type PhraseEncoder, truncatedDimension } from "../encoder/phrase-encoder.js";
import { PearlError, TableError, UsageError, VectorIndexError } from "../errors.js";
import { isObjectAddress } from "../files/place.js";
import { writeWholeFolder } from "../files/whole-folder.js";
import { findColumn, namedColumn } from "../table/columns.js";
import { rowsTable } from "../table/read/import.js";
import { shownPath } from "../table/read/source.js";
import { Table, type TableDescription } from "../table/table.js";
import type { IndexLayout } from "./index-types.js";
import { type AddOptions, type CreateIndexOptions, VectorIndex } from "./vector-index.js";

/** Settings shared by `indexTable` and `addTable`. */
interface IndexTableWork extends Pick<EncodeTableOptions, "table" | "batchSize" | "signal" | "onNote"> {
  /** Called with the stage ("encoding", "building the graph") and the rows finished and in all. */
  readonly onProgress?: (stage: string, finished: number, total: number) => void;
}

/** Settings of `indexTable`. */
export interface IndexTableOptions
  extends IndexTableWork,
    Pick<CreateIndexOptions, "keyColumn" | "backend" | "precision">,
    Pick<EncodeTableOptions, "truncateDim"> {
  /** Text prepended to every phrase and every query. Default none. */
  readonly prompt?: string;
  /** What loads the model again, kept in the index. Default: the encoder's folder or name. */
  readonly modelName?: string;
  /** "continue" continues an interrupted build of the same table. Default "start-over": fails if the index exists. */
  readonly resume?: "continue" | "start-over";
}

/** Settings of `addTable`. */
export interface AddTableOptions extends IndexTableWork, Pick<AddOptions, "existing"> {}

/** The result of adding a table to an index. */
export interface IndexTableReport extends Omit<EncodeTableReport, "keysPath" | "bytes"> {
  /** Rows added by this run. `rows` counts all rows of the index, `resumedRows` those of an interrupted build. */
  readonly added: number;
  /** What answers a search now, as in {@link IndexDescription}. */
  readonly searchedBy: string;
}

/**
 * Makes an index of a table: its phrases' vectors with all its columns. Interrupted or killed, it leaves an index of
 * the rows done so far, and `resume: "continue"` adds the others. One in object storage (s3://...) is uploaded when it is whole.
 * @throws TableError, ModelError, VectorIndexError
 */
export async function indexTable(
  file: string,
  path: string,
  encoder: EncoderSource,
  options: IndexTableOptions = {},
): Promise<IndexTableReport> {
  options.signal?.throwIfAborted();
  if (isObjectAddress(path)) {
    if (options.resume === "continue")
      throw new UsageError("--resume continues an index in a folder, not in object storage: leave it out");
    const build = (folder: string) => indexTable(file, folder, encoder, options);
    return { ...(await writeWholeFolder(path, build)), path };
  }
  const begun = options.resume === "continue" ? await reopen(path) : undefined;
  try {
    return (await finished(begun, options)) ?? (await build(file, path, encoder, options, begun));
  } finally {
    await begun?.close();
  }
}

/** @param unfinished the index of an interrupted build, which may be of another table */
async function build(
  file: string,
  path: string,
  encoder: EncoderSource,
  options: IndexTableOptions,
  unfinished: VectorIndex | undefined,
): Promise<IndexTableReport> {
  const started = performance.now();
  const column = options.table?.column ?? unfinished?.layout.phraseColumn;
  const table = await Table.open(file, { signal: options.signal, ...options.table, column });
  try {
    if (unfinished !== undefined) await checkSameBuild(unfinished, table, options);
    const { rowCount } = table.description;
    const columns = keptColumns(table, options);
    const keyColumn = options.keyColumn && (await checkKeys(table, columns, options.keyColumn));
    const loaded = typeof encoder === "function" ? await encoder(table.description) : encoder;
    const index = unfinished ?? (await createIndex(path, loaded, table, columns, { ...options, keyColumn }));
    try {
      index.checkModel(await loaded.fingerprint());
      // Locks the index, before its rows are counted.
      await index.markBuild({ source: table.identity, rows: rowCount });
      const resumedRows = unfinished === undefined ? 0 : (await index.describe()).rows;
      const report = await addAll(index, table, loaded, { ...options, resumedRows, started });
      await index.markBuild(undefined);
      return report;
    } finally {
      if (index !== unfinished) await index.close();
    }
  } finally {
    await table.close();
  }
}

/**
 * Adds a table's rows to an index. Columns are found by name; those that the index does not have are left out, and
 * those that the table does not have stay empty.
 * @throws TableError where the phrase or key column is missing, VectorIndexError, ModelError, LockedError
 */
export async function addTable(
  index: VectorIndex,
  file: string,
  encoder: EncoderSource,
  options: AddTableOptions = {},
): Promise<IndexTableReport> {
  options.signal?.throwIfAborted();
  const started = performance.now();
  // Refused before any work, where it is refused.
  await index.lock();
  const { phraseColumn, keyColumn, columns } = index.layout;
  const table = await Table.open(file, {
    ...{ signal: options.signal, ...options.table },
    column: options.table?.column ?? phraseColumn,
  });
  try {
    const names = table.description.columns;
    const sources = columnSources(table.description, index.layout);
    if (keyColumn !== undefined) {
      const keys = await checkKeys(table, names, sources[columns.indexOf(keyColumn)] ?? keyColumn);
      // Before any row is added: they are added in batches.
      if (options.existing !== "replace")
        for await (const some of table.columnValues(keys)) await index.refuseKeys(some);
    }
    const missing = columns.filter((_, place) => sources[place] === undefined);
    if (missing.length > 0)
      options.onNote?.(`The table has no ${missing.join(", ")}; these cells stay empty.`);
    const surplus = names.filter((name) => !sources.includes(name) && name !== table.description.column);
    if (surplus.length > 0)
      options.onNote?.(`The index has no ${surplus.join(", ")}; these columns were left out.`);
    const loaded = typeof encoder === "function" ? await encoder(table.description) : encoder;
    index.checkModel(await loaded.fingerprint());
    return await addAll(index, table, loaded, { ...options, resumedRows: 0, started });
  } finally {
    await table.close();
  }
}

/**
 * Encodes all rows of an index again, by another model. Keys, columns and deletions stay.
 * @throws VectorIndexError, ModelError, LockedError
 */
export async function rebuildIndex(
  index: VectorIndex,
  encoder: PhraseEncoder,
  options: Omit<IndexTableWork, "table"> &
    Pick<IndexTableOptions, "prompt" | "truncateDim" | "modelName"> = {},
): Promise<IndexTableReport> {
  const started = performance.now();
  const { signal, batchSize, prompt, truncateDim, modelName = encoder.model.name } = options;
  const dimension = truncatedDimension(encoder, truncateDim);
  const counts = { added: 0, resumedRows: 0, empty: 0, truncated: 0 };
  await index.rebuild(
    { dimension, model: { fingerprint: await encoder.fingerprint(), name: modelName, prompt } },
    async (phrases) => {
      const matrix = await encoder.encodeMatrix(phrases, { prompt, truncateDim, batchSize, signal });
      counts.empty += matrix.empty;
      counts.truncated += matrix.truncated;
      return matrix.data;
    },
    { signal, onProgress: (done, total) => options.onProgress?.("encoding", done, total) },
  );
  await index.optimise({
    signal,
    onProgress: (done, all) => options.onProgress?.("building the graph", done, all),
  });
  const { path, rows, searchedBy, note } = await index.describe();
  if (note !== undefined) options.onNote?.(note);
  return { path, rows, dimension, searchedBy, ...counts, seconds: (performance.now() - started) / 1000 };
}

async function createIndex(
  path: string,
  encoder: PhraseEncoder,
  table: Table,
  columns: readonly string[],
  { keyColumn, backend, precision, prompt, truncateDim, modelName }: IndexTableOptions,
): Promise<VectorIndex> {
  return VectorIndex.create(path, {
    dimension: truncatedDimension(encoder, truncateDim),
    columns,
    types: columns.map((name) => table.columns.find((column) => column.name === name)!.type),
    phraseColumn: table.description.column,
    ...{ keyColumn, backend, precision },
    model: { fingerprint: await encoder.fingerprint(), name: modelName ?? encoder.model.name, prompt },
  });
}

/** The index of an earlier build; undefined where there is none at all. */
const reopen = (path: string): Promise<VectorIndex | undefined> =>
  VectorIndex.open(path).catch((error: unknown) => {
    if (error instanceof PearlError && /is not an index|there is no table/.test(error.message))
      return undefined;
    throw error;
  });

/** The report of a build that had finished before; undefined where rows are missing. */
async function finished(
  begun: VectorIndex | undefined,
  { onNote }: IndexTableOptions,
): Promise<IndexTableReport | undefined> {
  const found = await begun?.describe();
  if (found === undefined || found.unfinished !== undefined) return undefined;
  const { path, rows, dimension, searchedBy } = found;
  onNote?.(`${path} is finished: there is nothing to resume. \`pearl index add\` adds rows to it.`);
  const counts = { added: 0, resumedRows: rows, empty: 0, truncated: 0, seconds: 0 };
  return { path, rows, dimension, searchedBy, ...counts };
}

/** @throws VectorIndexError where the build was of another table, of other columns, or with other settings */
async function checkSameBuild(
  index: VectorIndex,
  table: Table,
  { keyColumn, prompt, precision, backend, truncateDim }: IndexTableOptions,
): Promise<void> {
  const { path, unfinished } = await index.describe();
  if (unfinished?.source !== table.identity)
    throw new VectorIndexError(
      `${path} belongs to another table, or the table has changed. Remove it and build again.`,
    );
  const { layout } = index;
  const { columns, column, path: file } = table.description;
  const key = keyColumn === undefined ? layout.keyColumn : columns[findColumn(file, columns, keyColumn)];
  const settings = [
    ["prompt", prompt, layout.model?.prompt ?? ""],
    ["storage", precision === "float32" ? undefined : precision, layout.precision],
    ["backend", backend === "auto" ? undefined : backend, layout.backend],
    ["truncate-dim", truncateDim, layout.dimension],
  ] as const;
  for (const [name, wanted, begun] of settings)
    if (wanted !== undefined && wanted !== begun)
      throw new VectorIndexError(
        `${path} was begun with another ${name}, ${JSON.stringify(begun)}. Resume without --${name}, or remove ${path} and build again.`,
      );
  if (layout.phraseColumn === column && layout.keyColumn === key) return;
  const cure = layout.keyColumn === undefined ? "without --key" : `--key ${layout.keyColumn}`;
  throw new VectorIndexError(
    `${path} was begun with other columns. Resume with -c ${layout.phraseColumn} ${cure}, or remove it and build again.`,
  );
}

/** Encodes and adds the rows that are not in the index yet, and prepares it for searching. */
async function addAll(
  index: VectorIndex,
  table: Table,
  encoder: PhraseEncoder,
  options: AddTableOptions & { readonly resumedRows: number; readonly started: number },
): Promise<IndexTableReport> {
  const { dimension, model } = index.layout;
  const { signal, batchSize, existing, resumedRows, started, onNote, onProgress } = options;
  const total = table.description.rowCount;
  const batches = tableRows(table, columnSources(table.description, index.layout), resumedRows);
  const settings = { prompt: model?.prompt, truncateDim: dimension, batchSize, signal };
  const fingerprint = await encoder.fingerprint();
  const counts = { added: 0, resumedRows, empty: 0, truncated: 0 };
  try {
    for await (const { chunk, matrix } of encodeAhead(encoder, batches, ({ phrases }) => phrases, settings)) {
      await index.add({ vectors: matrix.data, cells: chunk.cells }, { fingerprint, existing });
      counts.added += matrix.rows;
      counts.empty += matrix.empty;
      counts.truncated += matrix.truncated;
      onProgress?.("encoding", resumedRows + counts.added, total);
      signal?.throwIfAborted();
    }
  } catch (error) {
    if (signal?.aborted)
      onNote?.(`stopped with ${resumedRows + counts.added} of ${total} rows in the index; they are safe`);
    throw error;
  }
  await index.optimise({
    signal,
    onProgress: (done, all) => onProgress?.("building the graph", done, all),
  });
  const { path, rows, searchedBy, note } = await index.describe();
  if (note !== undefined) onNote?.(note);
  return { path, rows, dimension, searchedBy, ...counts, seconds: (performance.now() - started) / 1000 };
}

const rowsPerBatch = 8192;

/**
 * The table's column for each column of an index: the one of its name, for the phrase column the phrases under any name,
 * and undefined where there is none.
 */
export function columnSources(
  { column: phrases, columns: names }: Pick<TableDescription, "column" | "columns">,
  { columns, phraseColumn }: Pick<IndexLayout, "columns" | "phraseColumn">,
): (string | undefined)[] {
  // One that the index names exactly is not another's in another letter case.
  const others = names.filter((name) => !columns.includes(name));
  const sourceOf = (name: string): string | undefined =>
    names.includes(name) ? name : others[namedColumn(others, name)];
  return columns.map((name) => (name === phraseColumn ? phrases : sourceOf(name)));
}

/**
 * The table's phrases with the cells of an index's rows, batch by batch.
 * @param sources the table's column for each of the index's; empty cells where there is none
 */
export async function* tableRows(
  table: Table,
  sources: readonly (string | undefined)[],
  from: number,
): AsyncGenerator<{ phrases: string[]; cells: string[][] }> {
  const range = { from, chunkRows: rowsPerBatch };
  const isPhrase = sources.map((source) => source === table.description.column);
  const streams = sources.map((source, place) =>
    source === undefined || isPhrase[place] ? undefined : table.columnValues(source, range),
  );
  try {
    for await (const phrases of table.phrases(range)) {
      const parts = await Promise.all(streams.map((stream) => stream?.next()));
      const cells = phrases.map((phrase, row) =>
        sources.map((_, place) => (isPhrase[place] ? phrase : (parts[place]?.value?.[row] ?? ""))),
      );
      yield { phrases, cells };
    }
  } finally {
    await Promise.all(streams.map((stream) => stream?.return(undefined)));
  }
}

/** The columns that the index keeps: all but lists, which are vectors. */
function keptColumns(table: Table, { onNote }: { readonly onNote?: (note: string) => void }): string[] {
  const lists = table.columns.filter(({ type }) => type.endsWith("]")).map(({ name }) => name);
  if (lists.length > 0) onNote?.(`left out, since they hold lists: ${lists.join(", ")}`);
  return table.columns.map(({ name }) => name).filter((name) => !lists.includes(name));
}

/** Checks the keys before any work begins. @returns their column @throws TableError for an empty or repeated key */
async function checkKeys(table: Table, columns: string[], wanted: string): Promise<string> {
  const { path } = table.description;
  const column = columns[findColumn(shownPath(path), columns, wanted)];
  const { text } = table.columns.find(({ name }) => name === column)!;
  const [found] = await table.database.run(
    `SELECT key, first, second FROM (SELECT coalesce(${text}, '') AS key, min(rowid) + 1 AS first,
     list_max(min(rowid, 2)) + 1 AS second FROM ${rowsTable} GROUP BY 1)
     WHERE key = '' OR first < second ORDER BY CASE WHEN key = '' THEN first ELSE second END LIMIT 1`,
    path,
  );
  if (found === undefined) return column;
  const [key, first, second] = found;
  if (key === "")
    throw new TableError(`${path}: row ${first} has no ${column}, which is the key. Give it one.`);
  throw new TableError(
    `${path}: rows ${first} and ${second} have the same ${column}, ${key}. ` +
      "Keys must differ; without --key rows are numbered.",
  );
}
