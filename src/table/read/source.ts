/** Opens a table's bytes: a file, a gzipped file or standard input, refused early where they are no table. */
import { isAscii, isUtf8 } from "node:buffer";
import { createReadStream } from "node:fs";
import { open, stat } from "node:fs/promises";
import { basename } from "node:path";
import { pipeline, Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { ArgumentError, gzipTrouble, messageOf, TableError } from "../../errors.js";
import { isObjectAddress, isPostgresAddress, refuseUnknownAddress, tablePlace } from "../../files/place.js";
import { shellWord } from "../../shell-word.js";
import { type Signature, signatureOf, type TableFormat } from "../format.js";
import { withoutPassword } from "../postgres/address.js";
import { type SheetText, sheetText } from "../spreadsheet.js";
import { type Encoding, inUtf8, lastCharacter } from "./decode.js";
import { sampleBytes } from "./sniff.js";

/** Standard input's name in place of a path. */
export const standardInput = "-";

/** A path as messages show it. */
export function shownPath(path: string): string {
  return path === standardInput ? "standard input" : withoutPassword(path);
}

/** A file's name as records and model cards show it. */
export const shownName = (path: string): string => basename(shownPath(path));

/** @throws ArgumentError where standard input is named more than once */
export function refuseReadingTwice(paths: readonly (string | undefined)[]): void {
  if (paths.filter((path) => path === standardInput).length > 1)
    throw new ArgumentError(
      'standard input ("-") can be read only once. Save one of the inputs to a file and name it.',
    );
}

/** A path as a word of a shell command; standard input has no name to give. */
export const pathWord = (path: string): string => (path === standardInput ? "FILE" : shellWord(path));

/**
 * @returns its bytes, 0 where they are not known
 * @throws TableError for a file that is missing, unreadable, a directory or empty; ObjectStorageError
 */
export async function checkFile(path: string): Promise<number> {
  refuseUnknownAddress(path);
  const { file } = tablePlace(path);
  if (path === standardInput || isPostgresAddress(path)) return 0;
  if (isObjectAddress(path)) {
    const { objectState } = await import("../../files/object-storage/read.js");
    const { size } = await objectState(file);
    if (size === 0) throw emptyFile(path);
    return size;
  }
  try {
    const status = await stat(file);
    if (status.isDirectory()) throw new TableError(`${path} is a directory. Give one file inside it.`);
    if (!status.isFile()) return status.size;
    await (await open(file, "r")).close();
    if (status.size === 0) throw emptyFile(path);
    return status.size;
  } catch (error) {
    throw error instanceof TableError ? error : unreadable(path, error);
  }
}

/** The error for a file that the system does not open. */
export function unreadable(path: string, cause: unknown): TableError {
  const { code = "" } = cause as NodeJS.ErrnoException;
  const message = ["ENOENT", "ENOTDIR"].includes(code)
    ? `no such file. Check the name and the folder (now in ${process.cwd()}).`
    : ["EACCES", "EPERM"].includes(code)
      ? "no permission to read it. Change its permissions or copy it."
      : `cannot be opened (${messageOf(cause)}).`;
  return new TableError(`${path}: ${message}`, { cause });
}

export function emptyFile(path: string): TableError {
  return new TableError(`${shownPath(path)} is empty. Give a table with at least a header or one phrase.`);
}

/** The bytes of a table, unpacked, in UTF-8 and without a byte order mark. */
export type Source = Awaited<ReturnType<typeof peek>>;

/**
 * Opens `path` ("-" is standard input, s3://... an object in object storage), unpacks gzip and decodes text.
 * @param onBytes receives the number of bytes read so far, as they are in the file
 * @param encoding of the text, in place of the one that its bytes show
 * @throws TableError for another encoding
 */
export async function openSource(
  path: string,
  signal?: AbortSignal,
  onBytes?: (bytes: number) => void,
  encoding?: string,
): Promise<Source> {
  const { file } = tablePlace(path);
  const raw =
    path === standardInput
      ? process.stdin
      : isObjectAddress(path)
        ? (await import("../../files/object-storage/read.js")).readObject(file, { signal })
        : createReadStream(file, { highWaterMark: 1 << 20 });
  const packed = await peek(counted(raw, signal, onBytes));
  const source = packed.signature === "gzip" ? await peek(gunzip(path, packed.chunks)) : packed;
  if (source.signature === "zip") return fromWorkbook(path, source);
  return { ...(await decoded(path, source, encoding)), isPacked: source !== packed };
}

/** The text of a workbook's sheet, which is in memory as a whole. */
async function fromWorkbook(path: string, { chunks }: Source): Promise<Source> {
  const { file, sheet } = tablePlace(path);
  const bytes: Buffer[] = [];
  for await (const chunk of chunks) bytes.push(chunk);
  const { text, ...found } = await sheetText(shownPath(file), Buffer.concat(bytes), sheet);
  // By the mark, Excel knows the encoding of a CSV that is written from this table.
  return { ...(await peek(Readable.from([text]))), hasByteOrderMark: true, workbook: found };
}

/** The source in UTF-8, unless its first bytes are those of no text. */
async function decoded(path: string, source: Source, given: string | undefined): Promise<Source> {
  const { signature, sample } = source;
  const isText = signature === "plain" || signature.startsWith("utf-16");
  if (!isText && (given === undefined || signature !== "binary")) return source;
  const ofMark = { fffe: "utf-16le", feff: "utf-16be" }[sample.toString("hex", 0, 2)];
  const certain = ofMark ?? (signature === "plain" ? undefined : signature);
  const whole = sample.subarray(0, lastCharacter(sample));
  const isOther = given?.startsWith("utf-16") || !isAscii(whole);
  if (given !== undefined && given !== "utf-8" && isUtf8(whole) && isOther && !whole.includes(0))
    throw new TableError(
      `${shownPath(path)}, line 1: the text is UTF-8, not ${given}. Leave --encoding out. ` +
        "Of two tables, convert the one in another encoding to UTF-8.",
    );
  const encoding: Encoding = { name: given ?? certain };
  const peeked = await peek(inUtf8(shownPath(path), source.chunks, encoding));
  const hasByteOrderMark = source.hasByteOrderMark || ofMark !== undefined;
  return { ...peeked, encoding, hasByteOrderMark };
}

async function* counted(
  chunks: Readable | AsyncGenerator<Buffer>,
  signal: AbortSignal | undefined,
  onBytes: ((bytes: number) => void) | undefined,
): AsyncGenerator<Buffer> {
  const iterator: AsyncIterator<Buffer> = chunks[Symbol.asyncIterator]();
  let bytes = 0;
  try {
    for (;;) {
      signal?.throwIfAborted();
      const { done, value } = await unlessAborted(iterator.next(), signal);
      if (done) return;
      bytes += value.length;
      onBytes?.(bytes);
      yield value;
    }
  } finally {
    // The end of a stream's iterator would wait for the chunk that was asked for.
    if (chunks instanceof Readable) chunks.destroy();
    else await iterator.return?.();
  }
}

/** A pipe may be silent for any time, so the wait for it ends with the signal, not with the next chunk. */
async function unlessAborted<Value>(awaited: Promise<Value>, signal?: AbortSignal): Promise<Value> {
  if (signal === undefined) return awaited;
  let abort = (): void => {};
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(signal.reason);
  });
  signal.addEventListener("abort", abort);
  try {
    return await Promise.race([awaited, aborted]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

/** The same table with a sample of `bytes`; `source` itself can only be closed any more. */
export async function withLongerSample(source: Source, bytes: number): Promise<Source> {
  const { hasByteOrderMark, signature, encoding, workbook } = source;
  return { ...(await peek(source.chunks, bytes)), hasByteOrderMark, signature, encoding, workbook };
}

/** Reads the sample ahead and gives it back as the first chunk. */
async function peek(bytes: AsyncIterable<Buffer>, wanted = sampleBytes) {
  const iterator = bytes[Symbol.asyncIterator]();
  const parts: Buffer[] = [];
  let isWhole = false;
  for (let length = 0; length <= wanted && !isWhole; ) {
    const { value, done } = await iterator.next();
    if (done) isWhole = true;
    else {
      parts.push(value);
      length += value.length;
    }
  }
  const read = Buffer.concat(parts);
  const hasByteOrderMark = read[0] === 0xef && read[1] === 0xbb && read[2] === 0xbf;
  const start: Buffer = hasByteOrderMark ? read.subarray(3) : read;
  const close = async (): Promise<void> => {
    await iterator.return?.();
  };
  async function* chunks(): AsyncGenerator<Buffer> {
    try {
      if (start.length > 0) yield start;
      yield* { [Symbol.asyncIterator]: () => iterator };
    } finally {
      await close();
    }
  }
  const sample = start.subarray(0, wanted);
  return {
    /** The first `sampleBytes` bytes (more with `withLongerSample`), or all if there are fewer. */
    sample,
    /** Whether the sample is the whole table. */
    isWhole: isWhole && start.length <= wanted,
    /** The file begins with such a mark, which `chunks` leave out. */
    hasByteOrderMark,
    signature: signatureOf(sample),
    /** All bytes from the start, including the sample. Can be read once. */
    chunks: chunks() as AsyncIterable<Buffer>,
    /** Closes the file, also where `chunks` were not read. */
    close,
    /** Of the file; known when a byte beyond ASCII has been read. */
    encoding: {} as Encoding,
    /** Whether the file is gzipped. */
    isPacked: false,
    /** Of a workbook: the sheet that was read. */
    workbook: undefined as Omit<SheetText, "text"> | undefined,
  };
}

async function* gunzip(path: string, packed: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  // What fails in the pipeline also ends the reading below.
  const unpacker = pipeline(Readable.from(packed), createGunzip({ chunkSize: 1 << 20 }), () => {});
  try {
    yield* unpacker;
  } catch (error) {
    throw gzipTrouble(shownPath(path), error);
  }
}

/** Refuses a file whose first bytes show that it is no Parquet: other damage is found by its reader. @throws TableError */
export async function refuseOtherThanParquet(path: string, file: string): Promise<void> {
  // The first bytes of a pipe would be missing afterwards.
  if (!(await stat(file)).isFile()) return;
  const opened = await open(file, "r");
  const start = Buffer.alloc(64);
  const { bytesRead } = await opened.read(start).finally(() => opened.close());
  const signature = signatureOf(start.subarray(0, bytesRead));
  if (start.toString("latin1", 0, 4) === "PAR1") return;
  if (signature === "gzip")
    throw new TableError(
      `${path} is gzipped, and Parquet is read unpacked. ` +
        (isObjectAddress(path)
          ? "Store it unpacked."
          : `Unpack it: gunzip < ${shellWord(path)} > unpacked.parquet`),
    );
  if (signature === "plain")
    throw new TableError(
      `${path} is not a Parquet file but text. Name its format: --input-format csv, tsv, jsonl or text.`,
    );
}

const notText: Partial<Record<Signature, (word: string) => string>> = {
  "old-workbook": () =>
    "is a workbook of Excel 97 to 2003 (.xls), or has a password. Save it as .xlsx or CSV.",
  "other-archive": () => "has a compression that pearl does not read. Unpack it, or use gzip (.gz).",
  gzip: () => "is gzipped twice. Unpack it once.",
  sqlite: (word) => `is a database. Name a table of it: ${word}?table=NAME`,
  duckdb: (word) => `is a database. Name a table of it: ${word}?table=NAME`,
  parquet: () => "is a Parquet file, whatever its name says. Use --input-format parquet or name it .parquet.",
  "utf-32": (word) => `is UTF-32 text. Convert it: iconv -f UTF-32 -t UTF-8 ${word} > utf8.csv`,
  binary: () =>
    "is a binary file, not a table of text. Save the table as CSV, TSV, JSONL, Parquet or plain text.",
};

/** @throws TableError for bytes that are no text */
export function refuseNonText(path: string, signature: Signature): void {
  const trouble = notText[signature];
  if (trouble !== undefined) throw new TableError(`${shownPath(path)} ${trouble(pathWord(path))}`);
}

type Bytes = Pick<Source, "sample" | "chunks">;

/** Old Mac files end lines with CR alone: it becomes LF. */
export function withLineFeeds({ sample, chunks }: Bytes): Bytes {
  if (!sample.includes("\r") || sample.includes("\n")) return { sample, chunks };
  const converted = (bytes: Buffer): Buffer =>
    Buffer.from(bytes.map((byte) => (byte === 0x0d ? 0x0a : byte)));
  async function* convertedChunks(): AsyncGenerator<Buffer> {
    for await (const chunk of chunks) yield converted(chunk);
  }
  return { sample: converted(sample), chunks: convertedChunks() };
}

/** Excel's line above the header that names the delimiter, "sep=;", is no row. No quote, letter or digit is a delimiter. */
export function withoutDelimiterLine({ sample, chunks }: Bytes, format: TableFormat) {
  const start = sample.toString("latin1", 0, 16);
  const [line, delimiter] = /^"?sep=([\t !#-/:-@[-`{-~])"?\r?\n/i.exec(start) ?? [];
  if (line === undefined || format === "jsonl" || format === "text") return { sample, chunks, firstLine: 1 };
  const others = withoutBytes(chunks, line.length);
  return { sample: sample.subarray(line.length), chunks: others, firstLine: 2, delimiter };
}

/** All but the first bytes. */
export async function* withoutBytes(chunks: AsyncIterable<Buffer>, count: number): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    yield chunk.subarray(count);
    count = Math.max(0, count - chunk.length);
  }
}
