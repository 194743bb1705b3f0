/**
 * Reads a text table once, byte by byte: every malformed row is found with its line number, and a clean copy
 * is written that a strict CSV reader cannot misread (one line-end style, no blank lines, risky cells quoted).
 */
import { isUtf8 } from "node:buffer";
import { createHash } from "node:crypto";
import { type FileHandle, open } from "node:fs/promises";
import { TableError } from "../../errors.js";
import { nameOfDelimiter } from "../format.js";
import { JsonKeys } from "./json-keys.js";
import { cellsOf, type Dialect, RecordScanner, type ScanStatus } from "./records.js";
import { shownPath } from "./source.js";

/** The longest record accepted: far above any phrase, far below what would fill the memory. */
export const longestRecordBytes = 16 * 1024 * 1024;

const lineFeed = Buffer.from("\n");

/** The separator of one-column tables: a sequence that no text holds. */
export const impossibleDelimiter = "\x1e\x1f\x1e\x1f";

/** What is to be cleaned, and how. */
export interface CleanOptions {
  /** For messages. */
  path: string;
  dialect: Dialect;
  /** Undefined for one-column tables. */
  delimiter: string | undefined;
  /** Cells that each record must have. */
  columns: number;
  /** Whether the first record that is not blank is the header, to be left out. */
  header: boolean;
  /** "lines": a record is a line of text; "json": each line is a JSON object; "cells": delimited. */
  kind: "cells" | "lines" | "json";
}

/** What the reading found. */
export interface CleanReport {
  rows: number;
  /** Blank lines that hold no row: in tables of several columns and in JSONL. */
  blankLines: number;
  /** Bytes of the longest record. */
  longest: number;
  /** Bytes of the largest 2048 rows that follow each other, about. */
  heaviest: number;
  /** The keys of JSON lines, in order of first appearance. */
  keys: JsonKeys;
  /** SHA-256 of the clean copy, hex: the identity of the table's content. */
  hash: string;
}

/** Cleans `chunks` into the file `target`. Throws TableError at the first trouble, with its line. */
export async function cleanCopy(
  chunks: AsyncIterable<Buffer>,
  target: string,
  options: CleanOptions,
): Promise<CleanReport> {
  const file = await open(target, "w");
  try {
    const cleaner = new Cleaner(options, file);
    let rest: Buffer = Buffer.alloc(0);
    let isFirst = true;
    for await (const chunk of chunks) {
      rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      if (isFirst) {
        rest = withoutByteOrderMark(rest);
        isFirst = false;
      }
      rest = rest.subarray(await cleaner.take(rest, false));
    }
    if (rest.length > 0) await cleaner.take(rest, true);
    return cleaner.report();
  } finally {
    await file.close();
  }
}

/** Drops the three bytes that some programs put before UTF-8 text. */
export function withoutByteOrderMark(bytes: Buffer): Buffer {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;
}

class Cleaner {
  private readonly scanner: RecordScanner;
  private readonly keys = new JsonKeys();
  private readonly digest = createHash("sha256");
  private line = 1;
  private rows = 0;
  private blankLines = 0;
  private longest = 0;
  private heaviest = 0;
  private recentBytes = 0;
  private awaitsHeader: boolean;
  private output: Buffer[] = [];

  constructor(
    private readonly options: CleanOptions,
    private readonly file: FileHandle,
  ) {
    this.scanner = new RecordScanner(options.dialect);
    this.awaitsHeader = options.header;
  }

  report(): CleanReport {
    const { rows, blankLines, longest, heaviest, keys } = this;
    return { rows, blankLines, longest, heaviest, keys, hash: this.digest.digest("hex") };
  }

  /** Takes the complete records of `bytes`; returns how many bytes that was. */
  async take(bytes: Buffer, isLast: boolean): Promise<number> {
    const { scanner, options } = this;
    let start = 0;
    // Records that can be handed on as they are gather into one run.
    let runStart = 0;
    this.refuseBadText(bytes, isLast);
    while (start < bytes.length) {
      const status = scanner.scan(bytes, start, bytes.length, isLast);
      if (status === "incomplete" && bytes.length - start <= longestRecordBytes) break;
      if (status !== "record") throw this.scanTrouble(status);
      const { end, next } = scanner;
      const isBlank = end === start;
      const isSkipped = this.accept(bytes, start, end);
      const isPlain = !scanner.irregular && !isBlank && next === end + 1 && bytes[end] === 0x0a;
      if (!isPlain || isSkipped) {
        if (runStart < start) this.output.push(bytes.subarray(runStart, start));
        if (!isSkipped) this.rewrite(bytes, start, end);
        runStart = next;
      }
      if (end - start > this.longest) this.longest = end - start;
      this.line += scanner.lines;
      start = next;
    }
    if (runStart < start) this.output.push(bytes.subarray(runStart, start));
    await this.flush();
    if (options.kind === "json") this.keys.checkCount(shownPath(options.path));
    return start;
  }

  /** Checks one record; true where it holds no row. */
  private accept(bytes: Buffer, start: number, end: number): boolean {
    const { options } = this;
    if (end === start && (options.kind === "json" || options.columns > 1)) {
      this.blankLines++;
      return true;
    }
    if (options.kind === "json" && !this.keys.add(bytes.toString("utf8", start, end), () => this.place())) {
      this.blankLines++;
      return true;
    }
    if (options.kind === "cells" && this.scanner.cells !== options.columns) throw this.raggedRow();
    if (this.awaitsHeader) {
      this.awaitsHeader = false;
      return true;
    }
    if (this.rows % 2048 === 0) this.recentBytes = 0;
    this.rows++;
    this.recentBytes += end - start;
    if (this.recentBytes > this.heaviest) this.heaviest = this.recentBytes;
    return false;
  }

  private rewrite(bytes: Buffer, start: number, end: number): void {
    const { dialect, delimiter } = this.options;
    if (!this.scanner.irregular && end > start) {
      this.output.push(bytes.subarray(start, end), lineFeed);
      return;
    }
    const separator = Buffer.from(delimiter ?? impossibleDelimiter);
    const quote = Buffer.from([dialect.outputQuote]);
    cellsOf(bytes, start, end, dialect).forEach((cell, index) => {
      if (index > 0) this.output.push(separator);
      this.output.push(quote, doubled(cell, dialect.outputQuote), quote);
    });
    this.output.push(lineFeed);
  }

  private async flush(): Promise<void> {
    if (this.output.length === 0) return;
    const bytes = this.output.length === 1 ? this.output[0] : Buffer.concat(this.output);
    this.output = [];
    this.digest.update(bytes);
    await this.file.write(bytes);
  }

  /** Bytes that are not UTF-8, or NULs. A sequence cut by the end of the chunk is looked at next time. */
  private refuseBadText(bytes: Buffer, isLast: boolean): void {
    const whole = isLast ? bytes : bytes.subarray(0, lastSequenceStart(bytes));
    if (isUtf8(whole) && !whole.includes(0)) return;
    const lineEndByte = this.options.dialect.loneCrEndsLine ? 0x0d : 0x0a;
    let line = this.line;
    for (let start = 0; start < whole.length; line++) {
      const lineEnd = whole.indexOf(lineEndByte, start);
      const end = lineEnd < 0 ? whole.length : lineEnd + 1;
      const content = whole.subarray(start, end);
      if (!isUtf8(content)) {
        throw new TableError(
          `${this.place(line)}: bytes that are not UTF-8. Convert the file, for example: ` +
            `iconv -f WINDOWS-1252 -t UTF-8 ${shownPath(this.options.path)} > utf8.csv`,
        );
      }
      if (content.includes(0)) {
        throw new TableError(
          `${this.place(line)}: a NUL byte, which no text holds: the file is binary or damaged. ` +
            "If only the NULs are wrong, drop them: tr -d '\\000' < FILE > clean.csv",
        );
      }
      start = end;
    }
  }

  private place(line = this.line): string {
    return `${shownPath(this.options.path)}, line ${line}`;
  }

  private scanTrouble(status: ScanStatus): TableError {
    const place = this.place(this.line + this.scanner.troubleLine);
    if (status === "text-after-quote") {
      return new TableError(
        `${place}: text after a closing quote. Inside a quoted cell write each quote twice (""), ` +
          "or read quotes as ordinary characters (--no-quotes).",
      );
    }
    if (status === "unclosed-quote") {
      return new TableError(
        `${place}: a quote opens here and is never closed. Close it, write it twice ("") inside a quoted cell, ` +
          "or read quotes as ordinary characters (--no-quotes).",
      );
    }
    const limit = `${longestRecordBytes / 1024 / 1024} MB`;
    return new TableError(
      `${place}: a row longer than ${limit} begins here. A quote may be unclosed or line ends missing.`,
    );
  }

  private raggedRow(): TableError {
    const { columns, delimiter } = this.options;
    const found = this.scanner.cells;
    const separator = nameOfDelimiter(delimiter ?? ",");
    const separators = separator.startsWith('"') ? `the delimiter ${separator}` : `${separator}s`;
    const counts = `${found} column${found === 1 ? "" : "s"}, expected ${columns}`;
    const cure =
      found > columns
        ? `Quote fields that contain ${separators}.`
        : `Add the missing ${separators}, or use --format text if each line is one phrase.`;
    return new TableError(`${this.place()}: ${counts}. ${cure}`);
  }
}

function doubled(cell: Buffer, quote: number): Buffer {
  if (!cell.includes(quote)) return cell;
  const parts: Buffer[] = [];
  let from = 0;
  for (let at = cell.indexOf(quote); at >= 0; at = cell.indexOf(quote, from)) {
    parts.push(cell.subarray(from, at + 1), Buffer.from([quote]));
    from = at + 1;
  }
  parts.push(cell.subarray(from));
  return Buffer.concat(parts);
}

/** Where the last, possibly cut UTF-8 sequence of the bytes starts; their length where none is cut. */
function lastSequenceStart(bytes: Buffer): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back];
    if ((byte & 0xc0) === 0x80) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}
