/** Writes a table with the vectors that the shards of `encodeTable` computed. */

import { type Part, readArray } from "../files/shards/part-file.js";
import { Table } from "../table/table.js";
import { EmbeddingWriter } from "../table/write/embedding-writer.js";
import { type EncodeTableOptions, type EncodeTableReport, writeTo } from "./encode-table.js";

type MergeOptions = Pick<
  EncodeTableOptions,
  "table" | "format" | "embeddingColumn" | "signal" | "onProgress" | "onNote"
>;

/** Numbers of vectors in memory at a time. */
const numbersAtOnce = 2 ** 20;

/**
 * Writes what {@link import("./encode-table.js").encodeTable} writes in one run, byte for byte, without a model.
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
