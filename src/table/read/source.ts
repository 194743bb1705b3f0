/** Opens a table's bytes: a file, a gzipped file or standard input, refused early where they are no table. */
import { createReadStream, type Stats } from "node:fs";
import { open, stat } from "node:fs/promises";
import { createGunzip } from "node:zlib";
import { messageOf, TableError } from "../../errors.js";
import { type Signature, signatureOf } from "../format.js";
import { sampleBytes } from "./sniff.js";

/** Standard input's name in place of a path. */
export const standardInput = "-";

/** A path as messages show it. */
export function shownPath(path: string): string {
  return path === standardInput ? "standard input" : path;
}

/** The file's status, or a TableError where it is missing, unreadable, a directory or empty. */
export async function checkFile(path: string): Promise<Stats> {
  let status: Stats;
  try {
    status = await stat(path);
    if (status.isFile()) await (await open(path, "r")).close();
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === "ENOENT" || code === "ENOTDIR") {
      throw new TableError(`${path}: no such file. Check the name and the folder (now in ${process.cwd()}).`);
    }
    if (code === "EACCES" || code === "EPERM") {
      throw new TableError(`${path}: not allowed to read it. Change its permissions or copy it.`);
    }
    throw new TableError(`${path}: cannot be opened (${messageOf(error)}).`, { cause: error });
  }
  if (status.isDirectory()) throw new TableError(`${path} is a directory. Give one file inside it.`);
  if (status.isFile() && status.size === 0) throw emptyFile(path);
  return status;
}

/** The error for a file without a single byte. */
export function emptyFile(path: string): TableError {
  return new TableError(`${shownPath(path)} is empty. Give a table with at least a header or one phrase.`);
}

/** The start of a table and the whole of it, as bytes. */
export interface Source {
  /** The first bytes (after decompression), `sampleBytes` of them or all there are. */
  sample: Buffer;
  /** Whether the sample is all there is. */
  isWhole: boolean;
  /** The signature of the sample. */
  signature: Signature;
  /** Every byte from the start, the sample included. May be read once. */
  chunks: AsyncIterable<Buffer>;
}

/** Opens `path` ("-" is standard input), unpacking gzip on the way. */
export async function openSource(path: string): Promise<Source> {
  const raw: AsyncIterable<Buffer> =
    path === standardInput ? process.stdin : createReadStream(path, { highWaterMark: 1 << 20 });
  const outer = await peek(raw[Symbol.asyncIterator](), 4096);
  const unpacked = signatureOf(outer.start) === "gzip" ? gunzip(path, outer.chunks) : outer.chunks;
  const inner = await peek(unpacked[Symbol.asyncIterator](), sampleBytes);
  return {
    sample: inner.start,
    isWhole: inner.isWhole,
    signature: signatureOf(inner.start),
    chunks: inner.chunks,
  };
}

interface Peeked {
  start: Buffer;
  isWhole: boolean;
  chunks: AsyncIterable<Buffer>;
}

/** Reads at least `bytes` bytes ahead, and gives them back as the first chunk of the rest. */
async function peek(iterator: AsyncIterator<Buffer>, bytes: number): Promise<Peeked> {
  const parts: Buffer[] = [];
  let length = 0;
  let isWhole = false;
  while (length <= bytes) {
    const { value, done } = await iterator.next();
    if (done) {
      isWhole = true;
      break;
    }
    parts.push(value);
    length += value.length;
  }
  const start = Buffer.concat(parts);
  const chunks = (async function* () {
    try {
      if (start.length > 0) yield start;
      if (isWhole) return;
      for (;;) {
        const { value, done } = await iterator.next();
        if (done) return;
        yield value;
      }
    } finally {
      await iterator.return?.();
    }
  })();
  return { start: start.subarray(0, bytes), isWhole: isWhole && start.length <= bytes, chunks };
}

async function* gunzip(path: string, packed: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const unpacker = createGunzip({ chunkSize: 1 << 20 });
  const feeding = (async () => {
    for await (const chunk of packed) {
      if (!unpacker.write(chunk)) await new Promise<void>((resolve) => unpacker.once("drain", resolve));
      if (unpacker.destroyed) return;
    }
    unpacker.end();
  })();
  feeding.catch((error: Error) => unpacker.destroy(error));
  try {
    for await (const chunk of unpacker) yield chunk as Buffer;
  } catch (error) {
    throw new TableError(
      `${shownPath(path)}: the gzip data is damaged or cut off (${messageOf(error)}). Fetch or pack the file again.`,
      { cause: error },
    );
  } finally {
    unpacker.destroy();
  }
}

/** Throws the TableError for bytes that are no text table; `format` names what was expected. */
export function refuseNonText(path: string, signature: Signature): void {
  const shown = shownPath(path);
  const troubles: Partial<Record<Signature, string>> = {
    zip: "is a zip or spreadsheet file (.xlsx, .ods). Save the sheet as CSV (UTF-8) and give that, or unpack the zip.",
    "other-archive": "is compressed in a way that is not read here. Unpack it, or use gzip (.gz).",
    gzip: "is gzipped twice. Unpack it once.",
    parquet: "is a Parquet file, whatever its name says. Use --format parquet or name it .parquet.",
    "utf-16": `is UTF-16 text. Convert it: iconv -f UTF-16 -t UTF-8 ${shown} > utf8.csv`,
    "utf-32": `is UTF-32 text. Convert it: iconv -f UTF-32 -t UTF-8 ${shown} > utf8.csv`,
    binary:
      "is a binary file, not a table of text. Save the table as CSV, TSV, JSONL, Parquet or plain text.",
  };
  const trouble = troubles[signature];
  if (trouble !== undefined) throw new TableError(`${shown} ${trouble}`);
}
