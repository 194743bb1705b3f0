/** Splits the bytes of a delimited text file into records, as RFC 4180 describes them, without copying. */

export interface Dialect {
  /** The byte between two cells; -1 where a record is one cell. */
  readonly delimiter: number;
  /** The byte around quoted cells; -1 where quotes are ordinary characters. */
  readonly quote: number;
  /** The byte that quotes cells in the clean copy; a cell that contains it is rewritten. */
  readonly outputQuote: number;
}

export type ScanStatus = "record" | "incomplete" | "unclosed-quote" | "text-after-quote";

export const quotationMark = 0x22;
const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const space = 0x20;
const unclosedQuote = -1;
const textAfterQuote = -2;

/**
 * Finds one record after the other. Results are fields of the scanner rather than objects, since there
 * are millions of them. Spaces around a quoted cell are not part of it; all others are kept.
 */
export class RecordScanner {
  /** Offset one past the record's last byte, without its line end. */
  end = 0;
  /** Offset of the next record. */
  next = 0;
  cells = 0;
  /** Line ends consumed, including those inside quoted cells. */
  lines = 0;
  /** Whether a strict reader of RFC 4180 could misread these bytes, so that they need rewriting. */
  irregular = false;
  /** Lines between the record's start and the trouble that the status names. */
  troubleLine = 0;

  constructor(readonly dialect: Dialect) {}

  /**
   * Scans the record at `start`. With `isLast` no bytes follow, and the record may end without a line end;
   * else the status of a record that does not end is "incomplete", and it is scanned again with more bytes.
   */
  scan(bytes: Uint8Array, start: number, isLast: boolean): ScanStatus {
    const { delimiter, outputQuote } = this.dialect;
    this.cells = 1;
    this.lines = 0;
    this.irregular = false;
    let index = this.skipQuoted(bytes, start);
    while (index >= 0 && index < bytes.length) {
      const byte = bytes[index];
      if (byte === delimiter) {
        this.cells++;
        index = this.skipQuoted(bytes, index + 1);
      } else if (byte === lineFeed) {
        return this.finish(index, index + 1);
      } else if (byte === carriageReturn && bytes[index + 1] === lineFeed) {
        return this.finish(index, index + 2);
      } else {
        if (byte === outputQuote || byte === carriageReturn) this.irregular = true;
        index++;
      }
    }
    if (index === textAfterQuote) return "text-after-quote";
    if (!isLast) return "incomplete";
    if (index === unclosedQuote) return "unclosed-quote";
    this.lines--;
    return this.finish(bytes.length, bytes.length);
  }

  private finish(end: number, next: number): ScanStatus {
    this.end = end;
    this.next = next;
    this.lines++;
    return "record";
  }

  /** The index after a quoted cell that begins at `start`; `start` where none does; below 0 for trouble. */
  private skipQuoted(bytes: Uint8Array, start: number): number {
    const { quote, delimiter } = this.dialect;
    if (quote < 0) return start;
    let index = this.skipSpaces(bytes, start);
    if (bytes[index] !== quote) return start;
    if (index > start) this.irregular = true;
    this.troubleLine = this.lines;
    for (index++; bytes[index] !== quote || bytes[index + 1] === quote; index++) {
      if (index >= bytes.length) return unclosedQuote;
      if (bytes[index] === quote) index++;
      else if (bytes[index] === lineFeed) this.lines++;
    }
    const closed = index + 1;
    index = this.skipSpaces(bytes, closed);
    if (index > closed) this.irregular = true;
    const after = bytes[index];
    if (index >= bytes.length || after === delimiter || after === lineFeed) return index;
    const isLineEnd = bytes[index + 1] === lineFeed || index + 1 === bytes.length;
    if (after === carriageReturn && isLineEnd) return index;
    this.troubleLine = this.lines;
    return textAfterQuote;
  }

  private skipSpaces(bytes: Uint8Array, start: number): number {
    let index = start;
    if (this.dialect.delimiter !== space) while (bytes[index] === space) index++;
    return index;
  }
}

/** The cells of one record that `RecordScanner` accepted, unquoted. */
export function cellsOf(record: string, { delimiter, quote }: Dialect): string[] {
  const separator = String.fromCharCode(Math.max(0, delimiter));
  const pieces = delimiter < 0 ? [record] : record.split(separator);
  if (quote < 0) return pieces;
  const cells: string[] = [];
  // A quoted cell may contain delimiters: its pieces are gathered until every quote has its partner.
  let open: string[] = [];
  let quotes = 0;
  for (const piece of pieces) {
    open.push(piece);
    const isQuoted = /^ *"/.test(open[0]);
    if (isQuoted) quotes += piece.split('"').length - 1;
    if (isQuoted && quotes % 2 === 1) continue;
    const cell = open.join(separator);
    cells.push(
      isQuoted ? cell.slice(cell.indexOf('"') + 1, cell.lastIndexOf('"')).replaceAll('""', '"') : cell,
    );
    open = [];
    quotes = 0;
  }
  return cells;
}
