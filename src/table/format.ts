/** The table formats pearl reads and writes, and how a file's name and first bytes tell them apart. */
import { extname } from "node:path";
import { TableError } from "../errors.js";

/** A format that can be read. `text` is one phrase a line. */
export type TableFormat = "csv" | "tsv" | "jsonl" | "parquet" | "text";

/** A format that embeddings can be written in. */
export type EmbeddingFormat = "csv" | "tsv" | "jsonl" | "parquet" | "npy";

const readableByExtension: Record<string, TableFormat> = {
  ".csv": "csv",
  ".tsv": "tsv",
  ".tab": "tsv",
  ".jsonl": "jsonl",
  ".ndjson": "jsonl",
  ".json": "jsonl",
  ".parquet": "parquet",
  ".pq": "parquet",
  ".txt": "text",
};

const writableByExtension: Record<string, EmbeddingFormat> = {
  ".csv": "csv",
  ".tsv": "tsv",
  ".jsonl": "jsonl",
  ".ndjson": "jsonl",
  ".parquet": "parquet",
  ".pq": "parquet",
  ".npy": "npy",
};

/** The format a file name promises (a closing `.gz` is looked through), or undefined where it promises none. */
export function formatOfName(path: string): TableFormat | undefined {
  const bare = path.toLowerCase().endsWith(".gz") ? path.slice(0, -3) : path;
  return readableByExtension[extname(bare).toLowerCase()];
}

/** The format to write a file in, from its extension. Throws TableError where the extension is unknown. */
export function outputFormatOfName(path: string): EmbeddingFormat {
  const format = writableByExtension[extname(path).toLowerCase()];
  if (format === undefined) {
    throw new TableError(
      `${path}: cannot tell the output format from "${extname(path) || "no extension"}". ` +
        "End the name in .parquet, .csv, .tsv, .jsonl or .npy.",
    );
  }
  return format;
}

/** What the first bytes of a file give away, whatever its name says. */
export type Signature =
  | "parquet"
  | "gzip"
  | "zip"
  | "other-archive"
  | "utf-16"
  | "utf-32"
  | "utf-8-bom"
  | "binary"
  | "plain";

/** Reads the signature of a file from its first bytes (a few KB are enough). */
export function signatureOf(start: Buffer): Signature {
  const begins = (...bytes: number[]) => bytes.every((byte, index) => start[index] === byte);
  if (begins(0x50, 0x41, 0x52, 0x31)) return "parquet";
  if (begins(0x1f, 0x8b)) return "gzip";
  if (begins(0x50, 0x4b, 0x03, 0x04)) return "zip";
  if (begins(0x28, 0xb5, 0x2f, 0xfd) || begins(0x42, 0x5a, 0x68) || begins(0xfd, 0x37, 0x7a, 0x58, 0x5a)) {
    return "other-archive";
  }
  if (begins(0xff, 0xfe, 0, 0) || begins(0, 0, 0xfe, 0xff)) return "utf-32";
  if (begins(0xff, 0xfe) || begins(0xfe, 0xff)) return "utf-16";
  if (begins(0xef, 0xbb, 0xbf)) return "utf-8-bom";
  if (begins(0x89, 0x50, 0x4e, 0x47) || begins(0xff, 0xd8, 0xff) || begins(0x25, 0x50, 0x44, 0x46)) {
    return "binary";
  }
  return looksLikeUtf16(start) ? "utf-16" : isMostlyControl(start) ? "binary" : "plain";
}

/** UTF-16 without a mark: text of Latin letters then has a NUL at every second byte. */
function looksLikeUtf16(start: Buffer): boolean {
  const length = Math.min(start.length, 4096) & ~1;
  if (length < 8) return false;
  let even = 0;
  let odd = 0;
  for (let index = 0; index < length; index += 2) {
    if (start[index] === 0) even++;
    if (start[index + 1] === 0) odd++;
  }
  const half = length / 2;
  return (odd > half * 0.6 && even < half * 0.05) || (even > half * 0.6 && odd < half * 0.05);
}

/** More than one byte in 20 is a control character that no text file holds. */
function isMostlyControl(start: Buffer): boolean {
  const length = Math.min(start.length, 4096);
  let control = 0;
  for (let index = 0; index < length; index++) {
    const byte = start[index];
    if (byte < 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0d && byte !== 0x0c && byte !== 0x1b) {
      control++;
    }
  }
  return control * 20 > length && control > 1;
}

const delimiterNames: Record<string, string> = {
  comma: ",",
  tab: "\t",
  "\\t": "\t",
  semicolon: ";",
  pipe: "|",
  space: " ",
};

/** The delimiter a user meant by `,`, `;`, `|`, `\t`, `tab`, `comma` ...; TableError for what cannot be one. */
export function parseDelimiter(given: string): string {
  const delimiter = delimiterNames[given.toLowerCase()] ?? given;
  if (delimiter.length !== 1 || delimiter.charCodeAt(0) > 126 || /["\r\n\0]/.test(delimiter)) {
    throw new TableError(
      `"${given}" cannot be a delimiter. Give one plain character, or comma, tab, semicolon or pipe.`,
    );
  }
  return delimiter;
}

/** A delimiter in words, for messages. */
export function nameOfDelimiter(delimiter: string): string {
  const names: Record<string, string> = {
    ",": "comma",
    "\t": "tab",
    ";": "semicolon",
    "|": "pipe",
    " ": "space",
  };
  return names[delimiter] ?? `"${delimiter}"`;
}
