/** Splits bytes into the records of a delimited text file, as RFC 4180 describes them, without copying. */

/** How the bytes of one file are to be split. */
export interface Dialect {
  /** The byte between two cells; -1 where a record is one cell. */
  delimiter: number;
  /** The byte around quoted cells; -1 where quotes are ordinary characters. */
  quote: number;
  /** The byte that quotes cells in what we hand on; a cell that holds it needs rewriting. */
  outputQuote: number;
  /** Whether a CR without an LF ends a line (old Mac files); else it is an ordinary character of a cell. */
  loneCrEndsLine: boolean;
}

/** What `RecordScanner.next` found. */
export type ScanStatus = "record" | "incomplete" | "unclosed-quote" | "text-after-quote";

const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const space = 0x20;

/**
 * Finds one record after the other. Results are fields of the scanner rather than objects, since there
 * are millions of them. Spaces around a quoted cell are not part of it; everything else is kept as it is.
 */
export class RecordScanner {
  /** Offset one past the record's last byte, line end not included. */
  end = 0;
  /** Offset of the next record. */
  next = 0;
  /** Number of cells. */
  cells = 0;
  /** Line ends consumed, those inside quoted cells included. */
  lines = 0;
  /** Whether a strict reader of RFC 4180 could misread these bytes, so that they need rewriting. */
  irregular = false;
  /** Lines between the record's start and the trouble that the status names. */
  troubleLine = 0;

  constructor(readonly dialect: Dialect) {}

  /**
   * Scans the record at `start`. `isLast` says that no bytes follow `limit`: then the record may end
   * without a line end; else the scan answers "incomplete" and is to be repeated with more bytes.
   */
  scan(bytes: Uint8Array, start: number, limit: number, isLast: boolean): ScanStatus {
    const { delimiter, outputQuote, loneCrEndsLine } = this.dialect;
    this.cells = 1;
    this.lines = 0;
    this.irregular = false;
    let index = this.skipQuoted(bytes, start, limit, isLast);
    if (index < 0) return this.trouble;
    while (index < limit) {
      const byte = bytes[index];
      if (byte === delimiter) {
        this.cells++;
        index = this.skipQuoted(bytes, index + 1, limit, isLast);
        if (index < 0) return this.trouble;
      } else if (byte === lineFeed) {
        return this.finish(index, index + 1);
      } else if (byte === carriageReturn) {
        if (index + 1 === limit && !isLast) return "incomplete";
        if (bytes[index + 1] === lineFeed && index + 1 < limit) return this.finish(index, index + 2);
        if (loneCrEndsLine) return this.finish(index, index + 1);
        this.irregular = true;
        index++;
      } else {
        if (byte === outputQuote) this.irregular = true;
        index++;
      }
    }
    if (!isLast) return "incomplete";
    this.lines--;
    return this.finish(limit, limit);
  }

  private trouble: ScanStatus = "incomplete";

  private finish(end: number, next: number): ScanStatus {
    this.end = end;
    this.next = next;
    this.lines++;
    return "record";
  }

  /** Skips a quoted cell that begins at `start`, if one does. Returns where the cell goes on, or -1 on trouble. */
  private skipQuoted(bytes: Uint8Array, start: number, limit: number, isLast: boolean): number {
    const { quote, delimiter } = this.dialect;
    if (quote < 0) return start;
    let index = start;
    while (index < limit && bytes[index] === space && delimiter !== space) index++;
    if (index === limit) {
      this.trouble = "incomplete";
      return isLast || start === limit ? start : -1;
    }
    if (bytes[index] !== quote) return start;
    if (index > start) this.irregular = true;
    const openedAfterLines = this.lines;
    for (index++; ; index++) {
      while (index < limit && bytes[index] !== quote) {
        if (bytes[index] === lineFeed || (bytes[index] === carriageReturn && this.endsLine(bytes, index))) {
          this.lines++;
        }
        index++;
      }
      // A quote in the last byte may be the first of a doubled one.
      if (index + 1 >= limit && !isLast) return this.fail("incomplete", openedAfterLines);
      if (index >= limit) return this.fail("unclosed-quote", openedAfterLines);
      if (bytes[index + 1] !== quote || index + 1 >= limit) break;
      index++;
    }
    index++;
    const closed = index;
    while (index < limit && bytes[index] === space && delimiter !== space) index++;
    if (index > closed) this.irregular = true;
    if (index >= limit) return isLast ? index : this.fail("incomplete", openedAfterLines);
    const after = bytes[index];
    if (after === delimiter || after === lineFeed) return index;
    if (after === carriageReturn) {
      if (index + 1 >= limit) return isLast ? index : this.fail("incomplete", openedAfterLines);
      if (bytes[index + 1] === lineFeed || this.dialect.loneCrEndsLine) return index;
    }
    return this.fail("text-after-quote", this.lines);
  }

  private endsLine(bytes: Uint8Array, index: number): boolean {
    return this.dialect.loneCrEndsLine && bytes[index + 1] !== lineFeed;
  }

  private fail(status: ScanStatus, lines: number): number {
    this.trouble = status;
    this.troubleLine = lines;
    return -1;
  }
}

/** The cells of one record that `RecordScanner` accepted, unquoted. */
export function cellsOf(bytes: Buffer, start: number, end: number, dialect: Dialect): Buffer[] {
  const cells: Buffer[] = [];
  let index = start;
  for (;;) {
    let content = index;
    while (content < end && bytes[content] === space && dialect.delimiter !== space) content++;
    if (dialect.quote >= 0 && content < end && bytes[content] === dialect.quote) {
      const { cell, next } = quotedCell(bytes, content + 1, end, dialect);
      cells.push(cell);
      index = next;
    } else {
      let next = dialect.delimiter < 0 ? -1 : bytes.indexOf(dialect.delimiter, index);
      if (next < 0 || next > end) next = end;
      cells.push(bytes.subarray(index, next));
      index = next;
    }
    if (index >= end) return cells;
    index++;
  }
}

function quotedCell(
  bytes: Buffer,
  start: number,
  end: number,
  dialect: Dialect,
): { cell: Buffer; next: number } {
  const parts: Buffer[] = [];
  let from = start;
  for (;;) {
    const close = bytes.indexOf(dialect.quote, from);
    if (bytes[close + 1] === dialect.quote && close + 1 < end) {
      parts.push(bytes.subarray(from, close + 1));
      from = close + 2;
      continue;
    }
    parts.push(bytes.subarray(from, close));
    let next = close + 1;
    while (next < end && bytes[next] !== dialect.delimiter) next++;
    return { cell: parts.length === 1 ? parts[0] : Buffer.concat(parts), next };
  }
}

/** Whether old-Mac line ends are in use: the sample holds CRs and not one LF. */
export function usesLoneCr(sample: Buffer): boolean {
  return sample.includes(carriageReturn) && !sample.includes(lineFeed);
}

/** Whether a cell holds only what a number may hold (digits, sign, separators, exponent, percent). */
export function isNumeric(cell: string): boolean {
  return /^[-+]?[\d.,'\u00a0 ]*\d[\d.,'\u00a0 ]*(e[-+]?\d+)?%?$/i.test(cell.trim());
}
