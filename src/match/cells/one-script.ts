/** Decides whether tables are written in different scripts; their names are then compared in Latin letters. */
import { mapped } from "../../like-array.js";
import { createRandom } from "../../random.js";
import { withoutAccents } from "../../text/accents.js";
import { alignHeaders, type TableColumns } from "../columns/align.js";
import { partsOfColumn, readPairOf } from "../columns/column-names.js";
import { readDate } from "./dates.js";

/** Cells of a column with letters, by what they are written in. */
type Counts = Readonly<Record<Writing | "latin", number>>;

/** The columns of a table that are compared. */
type CountedColumns = ReadonlyMap<string, Counts>;

/** Cells of a column that show what it is written in, at most; drawn, as rows may alternate. */
const countedCells = 10_000;
/** The least share of a column's cells that are not a foreign name here and there. */
const leastShare = 0.05;
/** The largest share of ideographs in a table that has none. */
const stray = 0.01;

/** Columns by name, as `--on` and `--ignore` give them. */
interface ChosenColumns {
  readonly on?: readonly string[];
  readonly ignore?: readonly string[];
}

/**
 * Two tables that are compared, or one. Where columns that may correspond are written in different scripts, or a column is
 * written in two, their cells come in Latin letters; else as they are. Ideographs and kana only beside a table without them.
 */
export async function inOneScript(
  tables: readonly TableColumns[],
  { on, ignore }: ChosenColumns = {},
): Promise<readonly TableColumns[]> {
  const pairs = on?.map((text) => readPairOf(text, tables[0], tables[tables.length - 1]));
  const counted = tables.map((table, side) => {
    const names = pairs?.flatMap((pair) => partsOfColumn(table, pair[side])) ?? Object.keys(table);
    const compared = new Set(names.filter((name) => !ignore?.includes(name)));
    return new Map([...compared].map((name) => [name, countCells(table[name])] as const));
  });
  const found = (["letters", "ideographs"] as const).filter(
    (writing) =>
      (writing === "letters" && counted.some((columns) => [...columns.values()].some(hasBoth))) ||
      (counted.length === 2 && differ(counted[0], counted[1], writing)),
  );
  if (found.length === 0) return tables;
  const inLatin = await latinWriter(found);
  return tables.map((table, side) => {
    const isRewritten = (name: string): boolean =>
      found.some((writing) => (counted[side].get(name)?.[writing] ?? 0) > 0);
    const entries = Object.entries(table);
    return Object.fromEntries(
      entries.map(([name, cells]) => [name, isRewritten(name) ? mapped(cells, inLatin) : cells]),
    );
  });
}

/** The same of lists of phrases. */
export async function textsInOneScript(
  lists: readonly (readonly string[])[],
): Promise<(readonly string[])[]> {
  const tables = await inOneScript(lists.map((text) => ({ text })));
  return tables.map(({ text }) => text);
}

/** Cells that are looked through for an example. */
const lookedThrough = 10_000;

/**
 * Says that names are compared in Latin letters, with an example; undefined where all are compared as they are written.
 * @param columns the cells as they are written, and as they are compared
 */
export function scriptNote(
  columns: readonly (readonly [written: readonly string[], compared: readonly string[]])[],
): string | undefined {
  for (const [written, compared] of columns) {
    if (written === compared) continue;
    const rows = Math.min(written.length, lookedThrough);
    // The first row may be a header that was taken for data.
    for (let place = 1; place <= rows; place++) {
      const [cell, latin] = [written[place % rows], compared[place % rows]];
      // Dates and coordinates may be in another notation.
      if (writingOf(cell) !== "latin" && writingOf(latin) === "latin")
        return `names in different scripts are compared in Latin letters: "${cell}" as "${latin}"`;
    }
  }
  return undefined;
}

function countCells(cells: readonly string[]): Counts {
  const counts = { latin: 0, letters: 0, ideographs: 0 };
  const random = createRandom(1);
  const isWhole = cells.length <= countedCells;
  for (let place = 0; place < Math.min(cells.length, countedCells); place++) {
    const writing = writingOf(cells[isWhole ? place : Math.floor(random() * cells.length)]);
    if (writing !== undefined) counts[writing]++;
  }
  return counts;
}

const share = (column: Counts, writing: Writing | "latin"): number =>
  column[writing] / Math.max(1, column.latin + column.letters + column.ideographs);

const hasBoth = (column: Counts): boolean =>
  share(column, "letters") >= leastShare && share(column, "latin") >= leastShare;

/** Whether columns that may correspond are written so in one table, and in Latin letters in the other. */
function differ(left: CountedColumns, right: CountedColumns, writing: Writing): boolean {
  const isWritten = (columns: CountedColumns, as: Writing | "latin") => (name: string) =>
    share(columns.get(name)!, as) > 0.5;
  if (writing === "ideographs") {
    const [hasLeft, hasRight] = [left, right].map((columns) =>
      [...columns.keys()].some(isWritten(columns, writing)),
    );
    return (hasLeft && isFree(right)) || (hasRight && isFree(left));
  }
  const { aligned, rest } = alignHeaders({ left: [...left.keys()], right: [...right.keys()] });
  const [inLeft, inRight] = [left, right].map((columns) => isWritten(columns, writing));
  const [latinLeft, latinRight] = [left, right].map((columns) => isWritten(columns, "latin"));
  // Of columns without a namesake one more is written so than could have its counterpart among those of the other table.
  const surplus = rest.left.filter(inLeft).length - rest.right.filter(inRight).length;
  return (
    aligned.some(
      ([name, other]) => (inLeft(name) && latinRight(other)) || (latinLeft(name) && inRight(other)),
    ) ||
    (surplus > 0 && rest.right.some(latinRight)) ||
    (surplus < 0 && rest.left.some(latinLeft))
  );
}

/** Whether a table has no ideographs, but for a few cells. */
function isFree(columns: CountedColumns): boolean {
  const all = [...columns.values()];
  const sum = (of: (column: Counts) => number): number =>
    all.reduce((total, column) => total + of(column), 0);
  return (
    sum(({ ideographs }) => ideographs) <= stray * sum((one) => one.latin + one.letters + one.ideographs)
  );
}

/** Scripts whose signs stand for words, and kana, which stand between them. A sign sounds like many others. */
const sign = "[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}ー]";
/** A letter of any other script than Latin, with its marks. */
const letter = `(?!${sign})(?![\\p{Script=Latin}\\p{Script=Common}\\p{Script=Inherited}])\\p{L}\\p{M}*`;

/** What is not written in Latin letters: the letters of another alphabet, or ideographs and kana. */
export type Writing = "letters" | "ideographs";
const single: Readonly<Record<Writing, RegExp>> = {
  letters: new RegExp(letter, "gu"),
  ideographs: new RegExp(sign, "gu"),
};
const words: Readonly<Record<Writing, RegExp>> = {
  letters: new RegExp(`(?:${letter})+`, "gu"),
  ideographs: new RegExp(`(?:${sign})+`, "gu"),
};
const latin = /\p{Script=Latin}/gu;
/** A text without such characters has Latin letters alone. */
const beyondLatin = /[^\0-\u036f]/;

/**
 * What a cell is written in: ideographs, if it has one, since each is a word; else most of its letters. Undefined for a date,
 * and without letters.
 */
export function writingOf(cell: string): Writing | "latin" | undefined {
  if (!beyondLatin.test(cell)) return /\p{L}/u.test(cell) ? "latin" : undefined;
  if (readDate(cell) !== undefined) return undefined;
  const count = (one: RegExp): number => cell.match(one)?.length ?? 0;
  if (count(single.ideographs) > 0) return "ideographs";
  const [inLatin, others] = [count(latin), count(single.letters)];
  if (inLatin + others === 0) return undefined;
  return inLatin > others ? "latin" : "letters";
}

/** Greek letters that stand for one sound together (ELOT 743); the others are read one by one. */
const digraphs: readonly (readonly [RegExp, string])[] = [
  [/ου/gi, "ou"],
  [/(?<=[αε])υ/gi, "v"],
  [/γ(?=γ)/gi, "n"],
  [/^μπ/i, "b"],
  [/^ντ/i, "d"],
  [/^γκ/i, "g"],
];
const greek = /\p{Script=Greek}/u;
/** Scripts with capitals. */
const cased = /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}]/u;
const isCapital = (one: string): boolean => one !== one.toLowerCase();

/**
 * Writes cells in Latin letters, where they have words of the given writings, with their capitals: "Щукин" is "Shchukin". Dates and
 * single Greek letters, which are symbols, stay. The letters of all scripts are half a megabyte, loaded when this is called.
 */
export async function latinWriter(writings: readonly Writing[]): Promise<(cell: string) => string> {
  const { default: anyAscii } = await import("any-ascii");
  const written = (word: string): string => {
    if (greek.test(word) && word.length === 1) return word;
    const read = greek.test(word)
      ? digraphs.reduce((text, [pair, sound]) => text.replace(pair, sound), withoutAccents(word))
      : word;
    const text = anyAscii(read);
    const [first = "", second = ""] = word;
    if (isCapital(first) && isCapital(second)) return text.toUpperCase();
    return isCapital(first) || !cased.test(word)
      ? text.charAt(0).toUpperCase() + text.slice(1).toLowerCase()
      : text;
  };
  const inCell = (word: string, place: number, cell: string): string => {
    const [before, after] = [cell.charAt(place - 1), cell.charAt(place + word.length)];
    return `${/\d/.test(before) ? " " : ""}${written(word)}${/\d/.test(after) ? " " : ""}`;
  };
  return (cell) => {
    if (!beyondLatin.test(cell) || readDate(cell) !== undefined) return cell;
    return writings.reduce((text, writing) => text.replace(words[writing], inCell), cell.normalize("NFC"));
  };
}
