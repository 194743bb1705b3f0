/**
 * Reads a text table once, byte by byte: every malformed row is found with its line number, and a clean copy
 * is written that a strict CSV reader cannot misread (one line-end style, no blank lines, risky cells quoted).
 */
import { isUtf8 } from "node:buffer";
import { writeFile } from "node:fs/promises";
import { TableError } from "../../errors.js";
import { openFingerprint } from "../../files/checksums/fingerprint.js";
import { nameOfDelimiter } from "../format.js";
import { JsonKeys } from "./json-keys.js";
import { cellsOf, RecordScanner, type ScanStatus } from "./records.js";
import type { Shape } from "./sniff.js";
import { pathWord, shownPath } from "./source.js";

/** The longest record accepted: far above any phrase, far below what would fill the memory. */
export const longestRecordBytes = 16 * 1024 * 1024;

/** DuckDB reads this many rows at a time. */
const duckdbVectorRows = 2048;

const lineFeed = Buffer.from("\n");

/** The separator of one-column tables: a sequence that no text contains. */
export const impossibleDelimiter = "\x1e\x1f\x1e\x1f";

export interface CleanOptions {
  readonly path: string;
  readonly shape: Shape;
  readonly columns: number;
  readonly isJson: boolean;
  readonly cures: "options" | "file";
  /** The number of the first line, from 1: a line above the header may have been left out. */
  readonly firstLine: number;
}

/** Cleans `chunks` into the file `target`. Throws TableError at the first trouble, with its line. */
export async function cleanCopy(
  chunks: AsyncIterable<Buffer>,
  target: string,
  options: CleanOptions,
): Promise<CleanCopy> {
  const copy = new CleanCopy(options);
  const hash = openFingerprint();
  let rest: Buffer = Buffer.alloc(0);
  const take = (isLast: boolean): Buffer => {
    const { clean, taken } = copy.take(rest, isLast);
    hash.add(clean);
    rest = rest.subarray(taken);
    return clean;
  };
  async function* cleaned(): AsyncGenerator<Buffer> {
    for await (const chunk of chunks) {
      rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      yield take(false);
    }
    yield take(true);
  }
  await writeFile(target, cleaned());
  copy.hash = hash.end(64);
  return copy;
}

/** A clean copy in the making, and what its table contains. */
export class CleanCopy {
  readonly keys: JsonKeys;
  rows = 0;
  /** Blank lines that are not rows: in tables of several columns and in JSONL. */
  blankLines = 0;
  /** Bytes of the longest row. */
  longest = 0;
  /** Bytes of the largest rows that DuckDB reads at a time. */
  heaviest = 0;
  /** SHA-256 of the copy, hexadecimal: the identity of the table's content. */
  hash = "";
  private readonly scanner: RecordScanner;
  private line: number;
  private recentBytes = 0;
  private awaitsHeader: boolean;

  constructor(private readonly options: CleanOptions) {
    this.keys = new JsonKeys(pathWord(options.path));
    this.scanner = new RecordScanner(options.shape.dialect);
    this.awaitsHeader = options.shape.header;
    this.line = options.firstLine;
  }

  /** Cleans the complete records of `bytes`, `taken` bytes in all. */
  take(bytes: Buffer, isLast: boolean): { clean: Buffer; taken: number } {
    const { scanner } = this;
    const output: Buffer[] = [];
    let start = 0;
    // Records that stay as they are gather into one run.
    let runStart = 0;
    this.refuseBadText(bytes, isLast);
    while (start < bytes.length) {
      const status = scanner.scan(bytes, start, isLast);
      if (status === "incomplete" && bytes.length - start <= longestRecordBytes) break;
      if (status !== "record") throw this.scanTrouble(status);
      const { end, next } = scanner;
      const isRow = this.accept(bytes, start, end);
      const isPlain = !scanner.irregular && end > start && next === end + 1;
      if (!isPlain || !isRow) {
        if (runStart < start) output.push(bytes.subarray(runStart, start));
        if (isRow) output.push(...this.rewrite(bytes.subarray(start, end)));
        runStart = next;
      }
      this.line += scanner.lines;
      start = next;
    }
    if (runStart < start) output.push(bytes.subarray(runStart, start));
    return { clean: output.length === 1 ? output[0] : Buffer.concat(output), taken: start };
  }

  private accept(bytes: Buffer, start: number, end: number): boolean {
    const { isJson, columns } = this.options;
    const size = end - start;
    const isBlank = isJson
      ? !this.keys.add(bytes.toString("utf8", start, end), () => this.place())
      : size === 0 && columns > 1;
    if (isBlank) {
      this.blankLines++;
      return false;
    }
    if (this.scanner.cells !== columns) throw this.raggedRow();
    if (this.awaitsHeader) {
      this.awaitsHeader = false;
      return false;
    }
    if (this.rows % duckdbVectorRows === 0) this.recentBytes = 0;
    this.rows++;
    this.recentBytes += size;
    if (this.recentBytes > this.heaviest) this.heaviest = this.recentBytes;
    if (size > this.longest) this.longest = size;
    return true;
  }

  /** A row with a line feed; with all cells quoted where it is irregular, or empty. */
  private rewrite(record: Buffer): Buffer[] {
    const { dialect, delimiter } = this.options.shape;
    if (!this.scanner.irregular && record.length > 0) return [record, lineFeed];
    const quote = String.fromCharCode(dialect.outputQuote);
    const cells = cellsOf(record.toString("utf8"), dialect).map(
      (cell) => quote + cell.replaceAll(quote, quote + quote) + quote,
    );
    return [Buffer.from(`${cells.join(delimiter ?? impossibleDelimiter)}\n`)];
  }

  /** Refuses bytes that are not UTF-8, and NULs. A line cut by the end of the chunk is checked next time. */
  private refuseBadText(bytes: Buffer, isLast: boolean): void {
    const whole = isLast ? bytes : bytes.subarray(0, bytes.lastIndexOf(lineFeed) + 1);
    if (isUtf8(whole) && !whole.includes(0)) return;
    const word = pathWord(this.options.path);
    let { line } = this;
    for (let start = 0; start < whole.length; line++) {
      const end = whole.indexOf(lineFeed, start) + 1 || whole.length;
      const content = whole.subarray(start, end);
      if (!isUtf8(content)) {
        throw new TableError(
          `${this.place(line)}: bytes that are not UTF-8. ` +
            (this.options.cures === "file"
              ? "Correct the line, or convert the file to UTF-8."
              : "Correct the line, or name the encoding of the file, such as --encoding shift_jis."),
        );
      }
      if (content.includes(0)) {
        throw new TableError(
          `${this.place(line)}: a NUL byte, which no text contains: the file is binary or damaged. ` +
            `If only the NULs are wrong, remove them: tr -d '\\000' < ${word} > clean.csv`,
        );
      }
      start = end;
    }
  }

  private place(line = this.line): string {
    return `${shownPath(this.options.path)}, line ${line}`;
  }

  private scanTrouble(status: Exclude<ScanStatus, "record">): TableError {
    const quotes =
      this.options.cures === "file" ? "" : ", or read quotes as ordinary characters (--no-quotes)";
    const messages = {
      "text-after-quote": `text after a closing quote. Inside a quoted cell write each quote twice ("")${quotes}.`,
      "unclosed-quote": `a quote opens here and is never closed. Close it, write it twice ("") inside a quoted cell${quotes}.`,
      incomplete: `a row longer than ${longestRecordBytes >> 20} MB begins here. A quote may be unclosed or line ends missing.`,
    };
    const line = this.line + (status === "incomplete" ? 0 : this.scanner.troubleLine);
    return new TableError(`${this.place(line)}: ${messages[status]}`);
  }

  private raggedRow(): TableError {
    const { columns, shape, cures } = this.options;
    const found = this.scanner.cells;
    const separator = nameOfDelimiter(shape.delimiter ?? ",");
    const separators = separator.startsWith('"') ? `the delimiter ${separator}` : `${separator}s`;
    const counts = `${found} column${found === 1 ? "" : "s"}, expected ${columns}`;
    const cure =
      found > columns ? `Quote fields that contain ${separators}` : `Add the missing ${separators}`;
    // A line that names columns shows that the lines are rows.
    const isMaybeText = cures === "options" && !shape.header;
    const asText = isMaybeText ? ", or use --input-format text if each line is one phrase" : "";
    return new TableError(`${this.place()}: ${counts}. ${cure}${asText}.`);
  }
}
