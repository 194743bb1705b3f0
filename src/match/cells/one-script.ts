/** Names that are written in different scripts are compared in Latin letters: "Газпром" and "Gazprom". */
import { isLikeArray, likeArray } from "../../like-array.js";
import { withoutAccents } from "../../text/accents.js";
import type { TableColumns } from "../columns/align.js";

/** Ideographs have the same sound in many words, and other sounds in Japanese than in Chinese. */
const ideographs = "\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}ー";
/** A letter, or a mark of one, of any other script than Latin: accents are left to the comparison. */
const sounds = `(?![\\p{Script=Latin}\\p{Script=Common}\\p{Script=Inherited}${ideographs}])\\p{L}\\p{M}*`;
const written = {
  sounds: { letters: new RegExp(sounds, "gu"), runs: new RegExp(`(?:${sounds})+`, "gu") },
  ideographs: { letters: new RegExp(`[${ideographs}]`, "gu"), runs: new RegExp(`[${ideographs}]+`, "gu") },
};
type Writing = keyof typeof written;
const latin = /\p{Script=Latin}/gu;
/** A text without such characters has Latin letters alone. */
const beyondLatin = /[^\0-\u036f]/;

/** The least share of the cells of a table or a column that shows that it is written so, and not a word here and there. */
const leastShare = 0.05;
/** How many times as often one table is written so, at least, where two tables differ. */
const leastRatio = 4;
/** The largest share of ideographs in a table that has none. */
const stray = 0.01;

/** Rows of a column, evenly spread, that show what it is written in, at most. */
const countedRows = 10_000;

/** Cells with letters, by what they are written in. */
type Counts = Readonly<Record<Writing | "latin", number>>;

/** Tables that are compared with each other, or one alone. */
export interface InOneScript {
  readonly tables: readonly TableColumns[];
  /** The first cell that is compared in other letters, and how; undefined if all are compared as they are. */
  readonly example?: { readonly cell: string; readonly latin: string };
}

/**
 * Writes tables in Latin letters where one of them, or a column, is written in two scripts. Tables in a single script stay as
 * they are.
 */
export async function inOneScript(tables: readonly TableColumns[]): Promise<InOneScript> {
  const counts = tables.map((table) => Object.values(table).map(countCells));
  const rewritten = (Object.keys(written) as Writing[]).filter((writing) => areMixed(counts, writing));
  if (rewritten.length === 0) return { tables };
  const latinWord = await latinWriter();
  const runs = rewritten.map((writing) => written[writing].runs);
  const inLatin = (cell: string): string =>
    beyondLatin.test(cell) ? runs.reduce((text, run) => text.replace(run, latinWord), cell) : cell;
  const isRewritten = (cells: Counts): boolean => rewritten.some((writing) => cells[writing] > 0);
  const changed = tables.map((table, place) =>
    Object.fromEntries(
      Object.entries(table).map(([name, cells], column) => [
        name,
        isRewritten(counts[place][column]) ? mapped(cells, inLatin) : cells,
      ]),
    ),
  );
  return { tables: changed, example: firstExample(tables, inLatin) };
}

/** Two tables, or one, as {@link inOneScript} writes them, where each is a column. */
export const textsInOneScript = async (
  columns: readonly (readonly string[])[],
): Promise<(readonly string[])[]> =>
  (await inOneScript(columns.map((text) => ({ text })))).tables.map(({ text }) => text);

/** Says that names are compared in Latin letters. */
export const scriptNote = ({ cell, latin }: NonNullable<InOneScript["example"]>): string =>
  `names in different scripts are compared in Latin letters: "${cell}" as "${latin}"`;

const mapped = (cells: readonly string[], make: (cell: string) => string): readonly string[] =>
  isLikeArray(cells) ? likeArray(cells.length, (row) => make(cells[row])) : cells.map(make);

/** Whether the tables differ in how often they are written so, or a column is written so and in Latin letters. */
function areMixed(tables: readonly (readonly Counts[])[], writing: Writing): boolean {
  const shares = tables.map((columns) => shareOf(columns, writing));
  const [least, most] = [Math.min(...shares), Math.max(...shares)];
  if (most < leastShare) return false;
  if (writing === "ideographs") return least <= stray && tables.length > 1;
  const hasBoth = (column: Counts): boolean =>
    [writing, "latin" as const].every((one) => shareOf([column], one) >= leastShare);
  return most >= leastRatio * least || tables.flat().some(hasBoth);
}

function shareOf(columns: readonly Counts[], writing: Writing | "latin"): number {
  const [part, all] = columns.reduce(
    ([part, all], column) => [part + column[writing], all + column.latin + column.sounds + column.ideographs],
    [0, 0],
  );
  return part / Math.max(1, all);
}

function countCells(cells: readonly string[]): Counts {
  const counts = { latin: 0, sounds: 0, ideographs: 0 };
  const step = Math.ceil(cells.length / countedRows);
  for (let row = 0; row < cells.length; row += step) {
    const writing = writingOf(cells[row]);
    if (writing !== undefined) counts[writing]++;
  }
  return counts;
}

/** What a cell is written in: ideographs, of which one is a word, or most of its letters; undefined without letters. */
function writingOf(cell: string): Writing | "latin" | undefined {
  if (!beyondLatin.test(cell)) return /\p{L}/u.test(cell) ? "latin" : undefined;
  const count = (letters: RegExp): number => cell.match(letters)?.length ?? 0;
  if (count(written.ideographs.letters) > 0) return "ideographs";
  const [inLatin, sounds] = [count(latin), count(written.sounds.letters)];
  if (inLatin + sounds === 0) return undefined;
  return inLatin > sounds ? "latin" : "sounds";
}

/** Greek letters that stand for one sound together (ELOT 743); others are transliterated each for itself. */
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

/**
 * Writes a word in Latin letters, with its capitals: "Щукин" is "Shchukin", "ЩУКИН" is "SHCHUKIN". The letters of all scripts are half a
 * megabyte, which is loaded where it is needed alone.
 */
async function latinWriter(): Promise<(word: string) => string> {
  const { default: anyAscii } = await import("any-ascii");
  return (word) => {
    const letters = greek.test(word)
      ? digraphs.reduce((text, [pair, sound]) => text.replace(pair, sound), withoutAccents(word))
      : word;
    const text = anyAscii(letters);
    const [first = "", second = ""] = word;
    if (isCapital(first) && isCapital(second)) return text.toUpperCase();
    return isCapital(first) || !cased.test(word)
      ? text.charAt(0).toUpperCase() + text.slice(1).toLowerCase()
      : text;
  };
}

const isCapital = (letter: string): boolean => letter !== letter.toLowerCase();

function firstExample(tables: readonly TableColumns[], inLatin: (cell: string) => string) {
  for (const table of tables)
    for (const cells of Object.values(table))
      for (let row = 0; row < cells.length; row++) {
        const text = inLatin(cells[row]);
        if (text !== cells[row]) return { cell: cells[row], latin: text };
      }
  return undefined;
}
