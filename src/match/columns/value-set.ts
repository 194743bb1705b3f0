/** The different values of a column of two tables, made ready for comparison. Equal values are stored once. */

import { shared, sharedCopy } from "../../runtime/shared-array.js";
import { cellWords, isFilled, splitIdeographs } from "../cells/cell-words.js";
import { type DayFirst, dateNumber } from "../cells/dates.js";
import { bareDigits, cellNumber } from "../cells/numbers.js";
import { phoneDigits } from "../cells/phones.js";
import { countWords, Growing, type Lists, ListsBuilder, rarities } from "./lists.js";
import { type ColumnKind, isText } from "./profile.js";
import { eachText, TextNumbers, type Texts } from "./texts.js";

export interface ValueSet {
  /** Normal form of each value: lower-case words, digits of a phone number, value of a number. */
  readonly texts: Texts;
  /** Rows of both tables that have the value. */
  readonly counts: Uint32Array;
  /** Filled rows of both tables. */
  readonly filled: number;
  /** Words of each value, in their order; of Chinese and Japanese its characters. */
  readonly words: Lists;
  /** How many of a value's words come before brackets at its end, as in "Mars (1968)" or "Scott, Ann (II)"; all without such. */
  readonly mainWords: Uint8Array;
  /** By word number: rarity in this column; empty where it holds no text. */
  readonly rarity: Float32Array;
  /** Value of a number, the eight digits of a date (2001-02-03 is 20010203); NaN for other texts. */
  readonly numbers: Float64Array;
  /** The first cell of each value as it is written, where a module compares them. */
  readonly written?: Texts;
}

/** A column of both tables: for each row the number of its value, -1 where the cell is empty. */
export interface ValuedColumn {
  readonly set: ValueSet;
  readonly left: Int32Array;
  readonly right: Int32Array;
}

const lastBrackets = /(?:\s*(?:\([^()]*\)|\[[^\][]*\]))+\s*$/u;

const encoder = new TextEncoder();
const bytesOf = ({ starts, items }: Lists): Texts => ({
  starts,
  items: sharedCopy(Uint8Array, Uint8Array.from(items)),
});

/** Cells whose values are remembered. */
const remembered = 2 ** 17;

/** The cells of a column, which need not all be in memory. */
export type Cells = Iterable<string> & { readonly length: number };

/**
 * Reads the values of one column of each table (the same cells twice for a single table).
 * @param dayFirst of each table, as {@link isDayFirst} finds it; a table that does not show it is read as the other one
 * @param keeps whether cells are also kept as they are written
 */
export function readValues(
  left: Cells,
  right: Cells,
  kind: ColumnKind,
  vocabulary: TextNumbers,
  dayFirst: readonly DayFirst[] = [],
  keeps?: "written",
): ValuedColumn {
  const texts = new TextNumbers();
  const counts = new Growing(Uint32Array);
  const words = new ListsBuilder();
  const written = new ListsBuilder();
  const mainWords = new Growing(Uint8Array);
  // Cells repeat as they are written: the first ones are not normalised again.
  const seen = new Map<string, number>();
  const bareCode = kind === "code" ? bareCodes([left, right]) : (code: string) => code;
  const read = (cell: string, isFirst: DayFirst): number => {
    const found = cellWords(kind === "email" ? cell.replace("@", " ") : cell).map(bareCode);
    if (found.length === 0 || !isFilled(cell)) return -1;
    return texts.numberOf(normalForm(cell, found, kind, isFirst), () => {
      const parts = splitIdeographs(cell, found);
      words.push(parts.map((word) => vocabulary.numberOf(word)));
      counts.push(0);
      if (keeps === "written") written.push(encoder.encode(cell.trim()));
      const bracket = lastBrackets.exec(cell)?.index ?? 0;
      mainWords.push(bracket > 0 ? splitIdeographs(cell.slice(0, bracket)).length : parts.length);
    });
  };
  const number = (cells: Cells, isFirst: DayFirst): Int32Array => {
    const values = shared(Int32Array, cells.length);
    let row = 0;
    for (const cell of cells) {
      const value = seen.get(cell) ?? read(cell, isFirst);
      if (seen.size < remembered) seen.set(cell, value);
      if (value >= 0) counts.numbers[value]++;
      values[row++] = value;
    }
    return values;
  };
  const ofLeft = number(left, dayFirst[0] ?? dayFirst[1]);
  // The same date may be another day in the other table.
  if (kind === "date") seen.clear();
  const ofRight = left === right ? ofLeft : number(right, dayFirst[1] ?? dayFirst[0]);
  const lists = words.finish();
  const filled = counts.added().reduce((sum, count) => sum + count, 0);
  const rarity = isText(kind)
    ? rarities(countWords(lists, vocabulary.size, counts.added()), filled)
    : new Float32Array(0);
  const set = {
    texts: texts.texts(),
    counts: sharedCopy(Uint32Array, counts.added()),
    filled,
    words: lists,
    rarity,
    mainWords: sharedCopy(Uint8Array, mainWords.added()),
    ...(keeps === "written" && { written: bytesOf(written.finish()) }),
  };
  return { left: ofLeft, right: ofRight, set: { ...set, numbers: numbersOf(set.texts, kind) } };
}

/**
 * Returns a function that takes leading zeros from a code of digits, which one table may have lost ("00012345", 12345.0),
 * unless a table has the code with and without them: there the zeros tell two codes apart.
 */
function bareCodes(tables: readonly Cells[]): (code: string) => string {
  const codes = new TextNumbers();
  const isKept = new Growing(Uint8Array);
  for (const cells of tables) {
    // By code: its length in this table.
    const lengths = new Growing(Uint8Array);
    for (const cell of cells) {
      const digits = /^\s*(\d+)(?:\.0+)?\s*$/.exec(cell)?.[1];
      if (digits === undefined) continue;
      const code = codes.numberOf(bareDigits(digits), () => isKept.push(0));
      while (lengths.length <= code) lengths.push(0);
      if (lengths.numbers[code] === 0) lengths.numbers[code] = digits.length;
      else if (lengths.numbers[code] !== digits.length) isKept.numbers[code] = 1;
    }
  }
  return (code) => {
    const bare = bareDigits(code);
    return bare === code || isKept.numbers[codes.numberOf(bare, () => isKept.push(0))] === 1 ? code : bare;
  };
}

function normalForm(cell: string, words: readonly string[], kind: ColumnKind, isFirst: DayFirst): string {
  const joined = words.join(" ");
  if (kind === "phone") return phoneDigits(cell) || joined;
  if (kind === "code") return signed(cell.trim(), joined.replace(betweenParts, ""));
  if (kind === "category") return signed(cell.trim(), joined);
  const number =
    kind === "number" ? cellNumber(cell) : kind === "date" ? dateNumber(cell, isFirst) : Number.NaN;
  return Number.isNaN(number) ? joined : String(number);
}

/** Where a code may be written in parts, "MATH 281" as "MATH281"; not between digits: "1 23" is not "12 3". */
const betweenParts = /(?<!\d) | (?!\d)/g;

/** Signs that tell short values apart: "-12 kg", "A+", "A-", "C#". */
function signed(cell: string, joined: string): string {
  const minus = /^[-−]\d/.test(cell) && !joined.startsWith("-") ? "-" : "";
  const behind = /[\p{L}\p{N}]([-−+#]+)$/u.exec(cell)?.[1] ?? "";
  return minus + joined + (joined.endsWith(behind) ? "" : behind.replaceAll("−", "-"));
}

const numbersOf = (texts: Texts, kind: ColumnKind): Float64Array =>
  kind === "number" || kind === "date"
    ? Float64Array.from(eachText(texts), (text) =>
        (kind === "date" ? /^\d{8}$/ : /^-?[\d.]+(?:e[+-]?\d+)?$/).test(text) ? Number(text) : Number.NaN,
      )
    : new Float64Array(0);
