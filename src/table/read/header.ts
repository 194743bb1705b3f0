/**
 * Decides whether the first record of a table names its columns. What speaks for a header: words of which headers consist
 * (data/words/header-words.tsv, in several languages), and a text above numbers, dates or addresses. What speaks against it: a
 * number above numbers (but not years above other numbers), and a cell that occurs again below. If nothing
 * does, a table of several columns has a header if its first record looks otherwise than the others; one of a single column
 * has none.
 */
import { withoutAccents } from "../../text/accents.js";
import { wordList } from "../../text/word-lists.js";

/** Names that leave no doubt, and those under which phrases are usually stored, best first; compared without case. */
export const usualNames = wordList("column-names", ([phrases, others]) => ({
  phrases,
  all: new Set([...phrases, ...others]),
}));

export interface FoundHeader {
  readonly header: boolean;
  readonly headerIsSure: boolean;
}

const fold = (text: string): string => withoutAccents(text.toLowerCase());

const headerWords = wordList("header-words", (entries) => {
  const words = entries.map(([word]) => fold(word));
  const behind = (mark: string): string[] =>
    words.filter((word) => word.startsWith(mark)).map((word) => word.slice(1));
  return { words: new Set(words), endings: behind("-"), between: new Set(behind("+")) };
});

/** A header of more words is a sentence. */
const mostWords = 6;

/** Whether a cell consists of words of headers: "Company Name", "customer_id", "E-Mail", "Firmenname", "address 2". */
function isHeaderPhrase(cell: string): boolean {
  const { words, endings, between } = headerWords();
  if (cell.length > 100 || /\d(?!\d?$)/.test(cell.trim())) return false;
  const parts = fold(
    cell
      .trim()
      .replace(/_[lr]$|(?<=\p{Ll})(?=\p{Lu})/gu, " ")
      .replace(/e-(?=mail)/i, "e"),
  )
    .split(/[^\p{L}\p{M}]+/u)
    .filter((part) => part !== "");
  const isWord = (part: string): boolean =>
    words.has(part) || endings.some((ending) => part.length > ending.length + 2 && part.endsWith(ending));
  return (
    parts.length <= mostWords &&
    parts.some(isWord) &&
    parts.every((part) => isWord(part) || between.has(part))
  );
}

/** Whether a cell is a name as programs give it: "cpu_brand", "cpuBrand". */
const isIdentifier = (cell: string): boolean => /^[a-z]+(?:_[a-z\d]+)+$|^[a-z]+(?:[A-Z][a-z]+)+$/.test(cell);

const isBlank = (cell: string | undefined): boolean => cell === undefined || cell.trim() === "";

/** The share of a column's cells from which they are all said to be of a form. */
const mostly = 0.9;
/** The share of a column's cells from which words of headers in it say nothing. */
const mostNamed = 0.4;
/** The share of a column's cells below which a shape is rare in it. */
const seldom = 0.1;

/** Numbers, addresses of e-mail and pages, dates, codes. Longer cells are texts. */
const hasDataForm = (cell: string): boolean =>
  cell.length <= 100 &&
  (isNumeric(cell) || /^\S+@\S+\.\S+$|:\/\/|^\W*\d[\d\W]*$|^\S*\d\S*\d\S*$/.test(cell.trim()));

/** What the cell of a column in the first record is like, beside those below it. */
type ColumnEvidence = ReturnType<typeof evidenceOf>;

function evidenceOf(cell: string, below: readonly string[]) {
  const share = (test: (cell: string) => boolean): number => below.filter(test).length / below.length;
  const isColumnOfData = below.length > 0 && share(hasDataForm) >= mostly;
  const isForm = hasDataForm(cell);
  return {
    ...{ cell, below },
    isNamed: [isHeaderPhrase, isIdentifier].some((test) => test(cell) && !(share(test) >= mostNamed)),
    /** It is no data, above data. */
    isAboveData: isColumnOfData && !isForm && !/\d/.test(cell),
    /** It is data, above data. */
    isData: isForm && (isColumnOfData || below.length === 0),
    recurs: below.includes(cell),
  };
}

const isYear = (cell: string): boolean => /^\s*(?:19|20)\d\d\s*$/.test(cell);

/** Whether data of the first record are years that differ, above others: "Country, 2019, 2020". */
const areYears = (columns: readonly ColumnEvidence[]): boolean =>
  new Set(columns.map(({ cell }) => cell)).size === columns.length &&
  columns.every(({ cell, below }) => isYear(cell) && below.filter(isYear).length < 0.5 * below.length);

/** How a cell looks: capitals, words, digits, signs and a space before it. */
function shapeOf(cell: string): string {
  const words = cell.trim().split(/\s+/);
  const form = words[0]
    .replace(/\p{Lu}+/gu, "A")
    .replace(/\p{Ll}+/gu, "a")
    .replace(/\d+/g, "0");
  return `${cell.startsWith(" ")} ${Math.min(3, words.length)} ${form}`;
}

/** Whether the first record has one or two words in each column, and in one of them looks as no cell below. */
function hasOwnShape(columns: readonly ColumnEvidence[]): boolean {
  return (
    columns.every(({ cell }) => /^[^\s\d]{1,20}(?: [^\s\d]{1,20})?$/.test(cell)) &&
    columns.some(({ cell, below }) => {
      const shape = shapeOf(cell);
      return below.filter((other) => shapeOf(other) === shape).length <= seldom * below.length;
    })
  );
}

export function findHeader(records: readonly string[][]): FoundHeader {
  const [first, ...others] = records;
  const sure = (header: boolean): FoundHeader => ({ header, headerIsSure: true });
  const likely = (header: boolean): FoundHeader => ({ header, headerIsSure: false });
  if (first === undefined || first.every(isBlank)) return sure(false);
  const columns = first.flatMap((cell, column) => {
    const below = others.map((other) => other[column]).filter((other) => !isBlank(other));
    return isBlank(cell) ? [] : [evidenceOf(cell, below)];
  });
  const isUsual = columns.some(({ cell }) => usualNames().all.has(cell.trim().toLowerCase()));
  const data = columns.filter(({ isData }) => isData);
  const isRow = data.length > 0 && !areYears(data);
  const named = columns.filter(({ isNamed, recurs }) => isNamed && !recurs).length;
  const isNamed = named > columns.filter(({ recurs }) => recurs).length;
  if (first.length === 1) {
    if (isUsual) return sure(true);
    return isRow || columns[0].recurs ? sure(false) : likely(isNamed || columns[0].isAboveData);
  }
  if (isUsual && !isNumeric(first[0])) return sure(true);
  if (isRow) return sure(false);
  if (isNamed || data.length > 0) return likely(true);
  if (columns.some(({ recurs }) => recurs)) return sure(false);
  // One unnamed column is typical of exports with a row number; more is a row with gaps.
  if (first.length - columns.length > 1 && (others.length === 0 || gapsOf(records) > 0)) return sure(false);
  if (columns.some(({ isAboveData }) => isAboveData)) return likely(true);
  const isRepeated = new Set(columns.map(({ cell }) => cell.trim())).size < columns.length;
  return likely(!isRepeated && hasOwnShape(columns));
}

/** Whether a list of phrases has this first line as its header. */
export const isListHeader = (line: string): boolean => usualNames().all.has(line.trim().toLowerCase());

/** The number of columns whose cell is empty in the first record, but not in all others. */
export const gapsOf = ([first, ...others]: readonly string[][]): number =>
  first.filter((name, column) => isBlank(name) && others.some((other) => !isBlank(other[column]))).length;

/** Filled cells from which a column shows what it holds. */
const fewestCells = 5;

/** Whether the first record has a cell without digits above a column whose cells have some. */
export function isAboveDigits([first, ...others]: readonly string[][]): boolean {
  return first.some((name, column) => {
    const cells = others.map((other) => other[column] ?? "").filter((cell) => !isBlank(cell));
    const withDigits = cells.filter((cell) => /\d/.test(cell)).length;
    const isEnough = cells.length >= fewestCells && withDigits >= mostly * cells.length;
    return isEnough && !isBlank(name) && !/\d/.test(name);
  });
}

/** Whether the cells of the first record differ from each other, from numbers, and from those below them. */
export function isUnlikeRows([first, ...others]: readonly string[][]): boolean {
  const names = first.map((cell) => cell.trim()).filter((name) => name !== "");
  if (new Set(names).size < names.length || names.some(isNumeric)) return false;
  return !first.some((cell, column) => cell !== "" && others.some((other) => other[column] === cell));
}

/** Whether a cell holds only what a number may hold (digits, sign, separators, exponent, percent). */
export function isNumeric(cell: string): boolean {
  return /^[-+]?[\d.,'\u00a0 ]*\d[\d.,'\u00a0 ]*(e[-+]?\d+)?%?$/i.test(cell.trim());
}
