/** Profiles a column of a table, decides its kind, and says why a column carries no evidence. */
import { narrow } from "../../text/accents.js";
import { isVisible } from "../../text/visible.js";
import { cellWords, ideographsIn } from "../cells/cell-words.js";
import { type DayFirst, isDayFirst, readDate } from "../cells/dates.js";
import { cellNumber } from "../cells/numbers.js";
import { isPhone } from "../cells/phones.js";
import { commonPrefix } from "../spelling/soft-words.js";
import { hashOf } from "./align.js";
import { Growing } from "./lists.js";
import { eachText, sortedTexts, TextNumbers, type Texts, textAt } from "./texts.js";
import type { Cells } from "./value-set.js";

/** What the cells of a column are; the kind decides how two of them are compared. */
export const columnKinds = [
  "name",
  "text",
  "long",
  "list",
  "email",
  "phone",
  "code",
  "category",
  "number",
  "date",
] as const;

/** What the cells of a column are. */
export type ColumnKind = (typeof columnKinds)[number];

/** Whether rows of one thing seldom differ in a column, as in a name, or several things may share what it holds. */
export const columnRoles = ["identifies", "shared"] as const;

/** What a column says of a thing: which one it is, or only what it has in common with others. */
export type ColumnRole = (typeof columnRoles)[number];

const texts = new Set<ColumnKind>(["name", "text", "long", "list"]);
export const isText = (kind: ColumnKind): boolean => texts.has(kind);

/** Whether a single sign of a cell may tell two things apart. */
export const isCode = (kind: ColumnKind): boolean => kind === "code" || kind === "phone" || kind === "email";

export interface ColumnProfile {
  readonly name: string;
  readonly rows: number;
  readonly filled: number;
  readonly distinct: number;
  /** A number that depends on the cells alone, whatever their order: columns are ordered by it, not by their headers. */
  readonly content: number;
  readonly kind: ColumnKind;
  /** Means and shares of the filled cells. */
  readonly shares: CellShares;
  /** How its dates are written, if it holds any. */
  readonly dayFirst?: DayFirst;
  /** Why the column is left out; undefined for one that may carry evidence. */
  readonly dropped?: string;
}

interface CellShares {
  readonly commonest: number;
  readonly words: number;
  readonly length: number;
  readonly numeric: number;
  readonly pointed: number;
  readonly digits: number;
  readonly single: number;
  readonly dates: number;
  readonly emails: number;
  readonly phones: number;
  /** Phones that are not written as a number is. */
  readonly dialled: number;
  /** Digits in groups, without a letter. */
  readonly grouped: number;
  readonly lists: number;
}

/** Cells of a large column that are looked at: shares need no more. */
const sampled = 20_000;

/** Profiles one column. The sample takes every n-th distinct value in sorted order, so that the order of rows does not matter. */
export function profileColumn(name: string, cells: Cells): ColumnProfile {
  const numbers = new TextNumbers();
  const rowsWith = new Growing(Uint32Array);
  const isNew = (): void => rowsWith.push(0);
  let content = 0;
  for (const cell of cells) {
    if (!isVisible(cell)) continue;
    content = (content + hashOf(cell)) % 2 ** 52;
    const number = numbers.numberOf(cell.trim(), isNew);
    rowsWith.numbers[number]++;
  }
  const [values, counts] = [numbers.texts(), rowsWith.added()];
  let [filled, commonest] = [0, 0];
  for (const count of counts) {
    filled += count;
    commonest = Math.max(commonest, count);
  }
  const shares = { ...cellShares(values, counts), commonest: filled > 0 ? commonest / filled : 0 };
  const distinct = counts.length;
  const kind = kindOfCells(shares, distinct, filled);
  const dayFirst = shares.dates > 0 ? isDayFirst(eachText(values)) : undefined;
  const profile = { name, rows: cells.length, filled, distinct, content, kind, shares, dayFirst };
  return { ...profile, dropped: reasonToDrop(profile, values) };
}

/** Profiles columns whose cells do not change, each once. */
export function profiler(): typeof profileColumn {
  const known = new WeakMap<Cells, ColumnProfile>();
  return (name, cells) => {
    const profile = known.get(cells) ?? profileColumn(name, cells);
    known.set(cells, profile);
    return profile;
  };
}

/** As /^\S+@\S+\.\S+$/, which takes time with the cube of a cell of "@.@.". */
export function isEmail(text: string): boolean {
  const at = text.indexOf("@", 1);
  return at > 0 && text.lastIndexOf(".", text.length - 2) >= at + 2 && !/\s/.test(text);
}

const separator = /[,;|]/;

/** The number of words of a cell. Chinese and Japanese write without spaces, in words of about two characters. */
function wordCount(text: string): number {
  return Math.max(cellWords(text).length, Math.floor(ideographsIn(text).length / 2));
}

/** @param counts rows with each of the values */
function cellShares(values: Texts, counts: Uint32Array): Omit<CellShares, "commonest"> {
  const step = Math.ceil(counts.length / sampled);
  // The values of a small column are all in the sample: their order does not matter.
  const order = step > 1 ? sortedTexts(values) : counts.map((_, place) => place);
  const sums = { words: 0, length: 0, numeric: 0, pointed: 0, digits: 0, single: 0 };
  let floated = 0;
  const kinds = { dates: 0, emails: 0, phones: 0, dialled: 0, grouped: 0, lists: 0 };
  let total = 0;
  for (let place = 0; place < order.length; place += Math.max(1, step)) {
    const [value, count] = [narrow(textAt(values, order[place])), counts[order[place]]];
    const add = (test: boolean): number => (test ? count : 0);
    const words = wordCount(value);
    const number = cellNumber(value);
    const isNumeric = !Number.isNaN(number);
    total += count;
    sums.words += count * words;
    sums.length += count * value.length;
    sums.numeric += add(isNumeric);
    sums.pointed += add(isNumeric && (!Number.isInteger(number) || /[.\p{Sc}]/u.test(value)));
    floated += add(/^[-+]?\d+\.0$/.test(value));
    sums.digits += add(/\d/.test(value));
    sums.single += add(words === 1);
    kinds.dates += add(readDate(value) !== undefined);
    kinds.emails += add(isEmail(value));
    kinds.phones += add(isPhone(value));
    kinds.dialled += add(isPhone(value) && (!isNumeric || value.startsWith("+")));
    kinds.grouped += add(/^\d[\d\s()./-]*$/.test(value));
    kinds.lists += add(separator.test(value.slice(0, -1)));
  }
  // Whole numbers that a program wrote as floats are no decimals.
  if (sums.pointed === floated) sums.pointed = 0;
  const share = <Key extends string>(from: Record<Key, number>): Record<Key, number> => {
    const entries = Object.entries<number>(from).map(([key, sum]) => [key, total > 0 ? sum / total : 0]);
    return Object.fromEntries(entries) as Record<Key, number>;
  };
  return { ...share(sums), ...share(kinds) };
}

function kindOfCells(shares: CellShares, distinct: number, filled: number): ColumnKind {
  const { words, length, numeric, pointed, digits, single, dates, emails, phones, dialled, grouped, lists } =
    shares;
  if (dates >= 0.8) return "date";
  if (emails >= 0.8) return "email";
  if (numeric >= 0.9 && pointed > 0.1) return "number";
  // Digits alone may be any number: an account, a moment, an article.
  if (phones >= 0.8 && length >= 7 && (numeric < 0.9 || (length >= 9 && dialled >= 0.02))) return "phone";
  const isOfCodes = (single >= 0.8 && digits > 0.6) || (digits > 0.9 && words < 2.5 && length < 20);
  if (numeric >= 0.9 || grouped >= 0.9 || isOfCodes) return "code";
  if (words > 15) return "long";
  if (distinct <= 50 && distinct / Math.max(1, filled) < 0.1 && words < 4) return "category";
  return lists > 0.5 ? "list" : "text";
}

export const idHeader = /^(?:.*[\s_.-])?id$/i;

function reasonToDrop(
  { name, rows, filled, distinct, shares }: Omit<ColumnProfile, "dropped">,
  values: Texts,
): string | undefined {
  if (filled < 0.02 * rows || filled === 0) return "nearly empty";
  if (shares.commonest >= 0.95 && rows > 20) return "one value nearly everywhere";
  if (filled < rows || distinct < rows || rows < 3) return undefined;
  if (idHeader.test(name)) return "row identifier";
  return shares.pointed === 0 && rangeOf(values) < 3 * rows ? "row numbers" : undefined;
}

/** The range of values that are whole numbers, with the same letters or signs before each, as "R-0017" and "17."; else infinite. */
function rangeOf(values: Texts): number {
  let prefix = textAt(values, 0);
  for (const value of eachText(values)) {
    prefix = prefix.slice(0, commonPrefix(prefix, value));
    if (prefix === "") break;
  }
  prefix = prefix.replace(/\d+$/, "");
  let [low, high] = [Infinity, -Infinity];
  for (const value of eachText(values)) {
    const digits = value.slice(prefix.length).replace(/[^\p{L}\p{N}\p{Sc}%]+$/u, "");
    const number = /\d(?:e[-+]?\d+)$/i.test(digits) ? Number(digits) : cellNumber(digits);
    if (!Number.isInteger(number) || /\s/.test(prefix)) return Infinity;
    low = Math.min(low, number);
    high = Math.max(high, number);
  }
  return high - low;
}
