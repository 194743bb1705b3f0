/** Encodes a table's phrases into a file of embeddings: reading, encoding and writing overlap. */
import { join } from "node:path";
import { UsageError } from "../errors.js";
import { objectName } from "../files/object-storage/client.js";
import { inTemporaryFolder, writeTemporary } from "../files/object-storage/temporary-folder.js";
import { isObjectAddress, isPostgresAddress, refuseUnknownAddress } from "../files/place.js";
import { type Part, type PartHead, readArray } from "../files/shards/part-file.js";
import { shardRange } from "../files/shards/shard.js";
import { isDevice } from "../files/whole-file.js";
import type { EmbeddingFormat } from "../table/format.js";
import { parseAddress, tableOf } from "../table/postgres/address.js";
import { type RowRange, Table, type TableDescription, type TableOptions } from "../table/table.js";
import {
  checkColumn,
  EmbeddingWriter,
  type EmbeddingWriterOptions,
} from "../table/write/embedding-writer.js";
import { copyTable } from "../table/write/output.js";
import { standardOutput, throughTemporaryFile } from "../table/write/standard-output.js";
import { modelIdentity } from "./model-identity.js";
import {
  type EmbeddingMatrix,
  type EncodeOptions,
  type PhraseEncoder,
  truncatedDimension,
} from "./phrase-encoder.js";

/** Options of {@link encodeTable}: how the table is read, encoded and written. */
export interface EncodeTableOptions
  extends Pick<
    EncodeOptions,
    "prompt" | "promptName" | "batchSize" | "truncateDim" | "normalize" | "signal"
  > {
  /** How the input is read. */
  readonly table?: TableOptions;
  /** Format of the output; default by the file's name. */
  readonly format?: EmbeddingFormat;
  /** Name of the column that holds the vectors; default "embedding". */
  readonly embeddingColumn?: string;
  /** Encode only a shard of the rows, and write a part in place of a table: {@link mergeEncoded} joins the parts. */
  readonly part?: PartHead;
  /** "continue" keeps the finished part of an interrupted run; default "start-over". */
  readonly resume?: "continue" | "start-over";
  /** Called with what a user should know, such as that the rest of an older run was replaced. */
  readonly onNote?: (note: string) => void;
  /** Called with the rows finished and in all. */
  readonly onProgress?: (finished: number, total: number) => void;
}

/** What {@link encodeTable} wrote: rows are those of the table or of its part. */
export interface EncodeTableReport {
  readonly path: string;
  /** The file of keys that goes with an .npy file. */
  readonly keysPath?: string;
  readonly bytes: number;
  readonly rows: number;
  readonly dimension: number;
  /** Rows that an earlier run had finished. */
  readonly resumedRows: number;
  /** Rows with an empty phrase: their vector is zero. */
  readonly empty: number;
  /** Phrases longer than the model reads. */
  readonly truncated: number;
  /** Time spent on reading, encoding and writing. */
  readonly seconds: number;
}

/** Rows encoded at a time: enough to sort by length, few enough to keep memory flat, also of long vectors. */
const CHUNK_ROWS = 16_384;
const CHUNK_BYTES = 10 * 2 ** 20;

/** An encoder, or how to load one: an error in the table then shows before a model is downloaded. */
export type EncoderSource = PhraseEncoder | ((table: TableDescription) => Promise<PhraseEncoder>);

/**
 * Reads `input`, encodes its phrase column and writes `output` with every input column and the vectors, in the
 * input's order. The output appears under its name when it is complete; "-" is standard output, s3://... an object in
 * object storage, and postgres://...?table=NAME a table in PostgreSQL.
 * @throws UsageError, TableError, ModelError
 */
export async function encodeTable(
  input: string,
  output: string,
  encoder: EncoderSource,
  options: EncodeTableOptions = {},
): Promise<EncodeTableReport> {
  options.signal?.throwIfAborted();
  const { resume } = options;
  return writeTo(output, options, (path, format) =>
    // A temporary file is gone when the run ends.
    encodeToFile(input, path, encoder, { ...options, format, resume: path === output ? resume : "never" }),
  );
}

type Write<Format> = (path: string, format: Format) => Promise<EncodeTableReport>;

/** Lets `write` make the output's file, which goes where the output lies. @throws UsageError for --resume elsewhere; ObjectStorageError */
async function writeTo(
  output: string,
  { format, resume }: Pick<EncodeTableOptions, "format" | "resume">,
  write: Write<EmbeddingFormat | undefined>,
): Promise<EncodeTableReport> {
  refuseUnknownAddress(output);
  const isResumed = resume === "continue";
  if (isPostgresAddress(output)) {
    if (isResumed) throw new UsageError("--resume continues a file, not a table in PostgreSQL: leave it out");
    return toPostgres(output, write);
  }
  if (isObjectAddress(output)) {
    if (isResumed)
      throw new UsageError("--resume continues a file, not an object in object storage: leave it out");
    return toObjectStorage(output, (path) => write(path, format));
  }
  if (format === "npy" && (output === standardOutput || (await isDevice(output))))
    throw new UsageError("an .npy file has its keys beside it: name a file with -o");
  if (output !== standardOutput) return write(output, format);
  if (isResumed) throw new UsageError("--resume continues a file: name it with -o");
  return { ...(await throughTemporaryFile((path) => write(path, format ?? "csv"))), path: standardOutput };
}

/** Lets `write` make a file first: the table in PostgreSQL appears when it is whole. */
async function toPostgres(output: string, write: Write<EmbeddingFormat>): Promise<EncodeTableReport> {
  tableOf(output);
  return inTemporaryFolder(async (folder) => {
    const path = join(folder, "output.parquet");
    const report = await writeTemporary(() => write(path, "parquet"));
    await copyTable(path, output);
    return { ...report, path: parseAddress(output).shown };
  });
}

/** Lets `write` make files first, and uploads them. @throws ObjectStorageError */
async function toObjectStorage(
  output: string,
  write: (path: string) => Promise<EncodeTableReport>,
): Promise<EncodeTableReport> {
  const { uploadFile } = await import("../files/object-storage/write.js");
  return inTemporaryFolder(async (folder) => {
    const report = await writeTemporary(() => write(join(folder, objectName(output))));
    const keysPath = report.keysPath && output + report.keysPath.slice(report.path.length);
    if (report.keysPath && keysPath) await uploadFile(report.keysPath, keysPath);
    await uploadFile(report.path, output);
    return { ...report, path: output, keysPath };
  });
}

type EncodeToFileOptions = Omit<EncodeTableOptions, "resume"> & Pick<EmbeddingWriterOptions, "resume">;

async function encodeToFile(
  input: string,
  output: string,
  encoder: EncoderSource,
  options: EncodeToFileOptions,
): Promise<EncodeTableReport> {
  const table = await Table.open(input, { signal: options.signal, ...options.table });
  let writer: EmbeddingWriter | undefined;
  try {
    // The merge writes the column, unless it writes .npy, and takes its name from the parts.
    if (options.part && options.format !== "npy") checkColumn(table, options.embeddingColumn);
    const loaded = typeof encoder === "function" ? await encoder(table.description) : encoder;
    const started = performance.now();
    const dimension = truncatedDimension(loaded, options.truncateDim);
    const { rowCount } = table.description;
    const { part } = options;
    const model = part && (await modelIdentity(loaded));
    // Whole chunks: a vector's last bits depend on what is encoded with it.
    const range = part ? shardRange(rowCount, part.shard, chunkRowsOf(dimension)) : { from: 0, to: rowCount };
    writer = await EmbeddingWriter.create(table, output, {
      dimension,
      format: part ? "npy" : options.format,
      column: options.embeddingColumn,
      resume: options.resume,
      range,
      fingerprint: await settingsFingerprint(loaded, table, options),
    });
    if (writer.note !== undefined) options.onNote?.(writer.note);
    const resumedRows = writer.rowsDone;
    const { fallenFrom, ...counts } = await encodeRows(table, range, loaded, writer, options);
    const kept = { report: Float64Array.of(dimension, counts.empty, counts.truncated) };
    // no other shard has such a part: a merge does not mix devices without being told
    const fallen = fallenFrom === undefined ? "" : `, from row ${fallenFrom + 1} on cpu`;
    const written = await writer.finish(part && { head: { ...part, model: model + fallen }, kept });
    const { path, keysPath, bytes, rows } = written;
    const seconds = (performance.now() - started) / 1000;
    return { path, keysPath, bytes, rows, dimension, resumedRows, ...counts, seconds };
  } finally {
    await writer?.close();
    await table.close();
  }
}

async function encodeRows(
  table: Table,
  range: Required<RowRange>,
  encoder: PhraseEncoder,
  writer: EmbeddingWriter,
  options: EncodeToFileOptions,
): Promise<{ empty: number; truncated: number; fallenFrom: number | undefined }> {
  const { prompt, promptName, batchSize, truncateDim, normalize, signal, onNote, onProgress } = options;
  const total = range.to - range.from;
  let finished = writer.rowsDone;
  const chunkRows = chunkRowsOf(truncateDim ?? encoder.dimension);
  const earlier = await writer.keptCounts(chunkRows);
  let empty = 0;
  let truncated = 0;
  const { device } = encoder;
  /** The first row of a chunk that was finished after the device had failed. */
  let fallenFrom: number | undefined;
  for (const [place, counts] of earlier.entries()) {
    empty += counts[0];
    truncated += counts[1];
    if (counts[2] === 1) fallenFrom ??= range.from + place * chunkRows;
  }
  // A vector's last bits depend on what is encoded with it: an interrupted chunk is encoded again as it was.
  let known = finished - earlier.length * chunkRows;
  const rest = { from: range.from + finished - known, to: range.to, chunkRows };
  const chunks = encodeAhead(encoder, table.phrases(rest), (phrases) => phrases, {
    ...{ prompt, promptName, batchSize, truncateDim, normalize, signal },
    onRows: (rows) => onProgress?.(finished + rows, total),
  });
  try {
    for await (const { matrix } of chunks) {
      const skipped = Math.min(known, matrix.rows);
      const added = matrix.data.subarray(skipped * matrix.dimension);
      const hasFallen = encoder.device !== device;
      if (hasFallen) fallenFrom ??= range.from + finished;
      await writer.append(added, [matrix.empty, matrix.truncated, Number(hasFallen)]);
      finished += matrix.rows - skipped;
      known -= skipped;
      empty += matrix.empty;
      truncated += matrix.truncated;
      onProgress?.(finished, total);
    }
  } catch (error) {
    const rest = writer.isResumable ? "the same command with --resume continues" : "they are not kept";
    if (signal?.aborted) onNote?.(`stopped with ${finished} of ${total} rows encoded; ${rest}`);
    throw error;
  }
  return { empty, truncated, fallenFrom };
}

/**
 * Encodes chunk after chunk, each while the caller works on the one before.
 * @param settings.onRows called with the finished rows of the first chunk
 */
export async function* encodeAhead<Chunk>(
  encoder: PhraseEncoder,
  chunks: AsyncIterable<Chunk>,
  phrasesOf: (chunk: Chunk) => readonly string[],
  { onRows, ...settings }: EncodeOptions & { readonly onRows?: (rows: number) => void },
): AsyncGenerator<{ readonly chunk: Chunk; readonly matrix: EmbeddingMatrix }> {
  const underWay: { readonly chunk: Chunk; readonly matrix: Promise<EmbeddingMatrix> }[] = [];
  const oldest = async () => {
    const { chunk, matrix } = underWay.shift()!;
    return { chunk, matrix: await matrix };
  };
  let report = onRows;
  try {
    for await (const chunk of chunks) {
      settings.signal?.throwIfAborted();
      const phrases = phrasesOf(chunk);
      const first = report;
      report = undefined;
      const onProgress = (done: number, distinct: number): void =>
        first?.(Math.floor((phrases.length * done) / Math.max(1, distinct)));
      const matrix = encoder.encodeMatrix(phrases, { ...settings, onProgress: first && onProgress });
      // It may fail before its turn comes.
      matrix.catch(() => {});
      underWay.push({ chunk, matrix });
      if (underWay.length > 1) yield await oldest();
    }
    while (underWay.length > 0) yield await oldest();
  } finally {
    // The others end too, so that none of them works or reports any more.
    await Promise.allSettled(underWay.map(({ matrix }) => matrix));
  }
}

const chunkRowsOf = (dimension: number): number =>
  Math.max(1, Math.min(CHUNK_ROWS, Math.floor(CHUNK_BYTES / (4 * dimension))));

/** What must be equal for an interrupted run to be continued: the model, the column and everything that changes a vector's bits. */
async function settingsFingerprint(
  encoder: PhraseEncoder,
  { description: { column } }: Table,
  options: EncodeToFileOptions,
): Promise<string> {
  const { prompt = "", promptName, normalize = true, truncateDim, batchSize } = options;
  const model = await modelIdentity(encoder);
  return JSON.stringify({ model, column, prompt, promptName, normalize, truncateDim, batchSize });
}

type MergeOptions = Pick<
  EncodeTableOptions,
  "table" | "format" | "embeddingColumn" | "signal" | "onProgress" | "onNote"
>;

/** Numbers of vectors in memory at a time. */
const numbersAtOnce = 2 ** 20;

/**
 * Writes a table with the vectors that the shards of {@link encodeTable} computed: byte for byte what one run writes, without a
 * model.
 * @param parts all shards, in order, of this table
 * @throws TableError, UsageError
 */
export async function mergeEncoded(
  input: string,
  output: string,
  parts: readonly Part[],
  options: MergeOptions = {},
): Promise<EncodeTableReport> {
  return writeTo(output, options, (path, format) => mergeInto(input, path, parts, { ...options, format }));
}

async function mergeInto(
  input: string,
  output: string,
  parts: readonly Part[],
  { table: reading, format, embeddingColumn: column, signal, onProgress, onNote }: MergeOptions,
): Promise<EncodeTableReport> {
  const started = performance.now();
  const counts = { dimension: 0, empty: 0, truncated: 0 };
  for (const { path, manifest } of parts) {
    const [dimension, empty, truncated] = await readArray(path, manifest.kept.report);
    counts.dimension = dimension;
    counts.empty += empty;
    counts.truncated += truncated;
  }
  const { dimension } = counts;
  const table = await Table.open(input, { signal, ...reading });
  let writer: EmbeddingWriter | undefined;
  try {
    onNote?.(table.description.summary);
    const fingerprint = "merged";
    const settings = { dimension, format, column, fingerprint, resume: "never" } as const;
    writer = await EmbeddingWriter.create(table, output, settings);
    const step = Math.max(1, Math.floor(numbersAtOnce / dimension)) * dimension;
    for (const { path, manifest } of parts) {
      const place = manifest.kept.vectors;
      for (let from = 0; from < place[1]; from += step) {
        signal?.throwIfAborted();
        await writer.append((await readArray(path, place, from, from + step)) as Float32Array);
        onProgress?.(writer.rowsDone, table.description.rowCount);
      }
    }
    const { path, keysPath, bytes, rows } = await writer.finish();
    const seconds = (performance.now() - started) / 1000;
    return { path, keysPath, bytes, rows, resumedRows: 0, ...counts, seconds };
  } finally {
    await writer?.close();
    await table.close();
  }
}
