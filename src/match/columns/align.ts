/**
 * Aligns the columns of two tables: by header where headers agree, else by what the cells hold, their different values and the
 * distribution of their words.
 */
import { fnv } from "../../files/checksums/fnv.js";
import { cellWords, ideographs, ideographsIn } from "../cells/cell-words.js";
import { isDayFirst, readDate } from "../cells/dates.js";
import { bareDigits } from "../cells/numbers.js";
import { isPhone, phoneDigits } from "../cells/phones.js";

/** A table in memory: cells by column name, "" where empty. */
export type TableColumns = Readonly<Record<string, readonly string[]>>;

/** Names of a left and a right column that hold the same. */
export type AlignedNames = readonly [string, string];

/** Names of columns of two tables. */
export interface ColumnNames {
  readonly left: readonly string[];
  readonly right: readonly string[];
}

/** In how far headers agree, best first: as they are; without case and spaces; their letters and digits, of those that have any. */
const forms: readonly ((name: string) => string)[] = [
  (name) => name,
  (name) => name.toLowerCase().replace(/\s/g, ""),
  (name) => name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "") || name,
];

/** Columns with the same header, best first, and the others. */
export function alignHeaders(names: ColumnNames): { aligned: AlignedNames[]; rest: ColumnNames } {
  const open = new Set(names.right);
  const taken = new Set<string>();
  const aligned: AlignedNames[] = [];
  for (const form of forms)
    for (const name of names.left) {
      if (taken.has(name)) continue;
      const other = [...open].find((candidate) => form(candidate) === form(name));
      if (other === undefined) continue;
      open.delete(other);
      taken.add(name);
      aligned.push([name, other]);
    }
  return { aligned, rest: { left: names.left.filter((name) => !taken.has(name)), right: [...open] } };
}

/** Pairs of column names, best first. Each column is in one pair at most. */
export function alignColumns(left: TableColumns, right: TableColumns, names: ColumnNames): AlignedNames[] {
  const { aligned, rest } = alignHeaders(names);
  const found = alignContents({ left, right }, rest, (content, other) => {
    const [overlap, agreement] = [overlapOf(content, other), agreementOf(content.words, other.words)];
    const isLikely =
      overlap >= leastOverlap && (agreement >= leastAgreement || haveRareValues(content, other, overlap));
    return isLikely ? overlap + 0.2 * agreement : undefined;
  });
  return [...aligned, ...found];
}

/** The least agreement of words of columns without a common value. */
const leastLikeness = 0.5;

/** Further pairs of columns of text whose words are the same, though no cell is: "Parry, Derek L." and "D. Parry". */
export const alignWords = (left: TableColumns, right: TableColumns, names: ColumnNames): AlignedNames[] =>
  alignContents({ left, right }, names, ({ words }, other) => {
    const agreement = agreementOf(words, other.words);
    return agreement >= leastLikeness ? agreement : undefined;
  });

/**
 * Pairs of columns by what they hold, the best first, of equally good ones the first. Each column is in one pair at most.
 * @param scoreOf undefined for columns that do not belong together
 */
function alignContents(
  { left, right }: Readonly<Record<"left" | "right", TableColumns>>,
  names: ColumnNames,
  scoreOf: (content: Content, other: Content) => number | undefined,
): AlignedNames[] {
  if (names.left.length === 0) return [];
  const contents = names.right.map((name) => [name, contentOf(right[name])] as const);
  const scored = names.left.flatMap((name) => {
    const content = contentOf(left[name]);
    return contents.map(([other, ofOther]) => [name, other, scoreOf(content, ofOther) ?? -1] as const);
  });
  const taken = [new Set<string>(), new Set<string>()];
  const aligned: AlignedNames[] = [];
  for (const [name, other, score] of scored.sort(([, , a], [, , b]) => b - a)) {
    if (score < 0 || taken[0].has(name) || taken[1].has(other)) continue;
    taken[0].add(name);
    taken[1].add(other);
    aligned.push([name, other]);
  }
  return aligned;
}

/** So many equal values, in columns with this share of different ones, are not equal by chance. */
const fewestCommon = 20;
const mostlyDifferent = 0.8;

/**
 * Whether two columns of single words, nearly all different, have more values in common than chance gives. Their words agree
 * little where few rows have a partner. Numbers from a narrow range are often equal by chance.
 */
function haveRareValues(a: Content, b: Content, overlap: number): boolean {
  const isRare = (content: Content): boolean => {
    const { values, every, total, cells } = content;
    return total < 1.2 * cells && values.size * every >= mostlyDifferent * cells && isWide(content);
  };
  return (
    overlap * Math.min(a.values.size * a.every, b.values.size * b.every) >= fewestCommon &&
    isRare(a) &&
    isRare(b)
  );
}

/** Whether values are not all numbers, or numbers from a range that holds 1,000 times as many. */
function isWide({ values, every }: Content): boolean {
  let [least, most] = [Infinity, -Infinity];
  for (const value of values) {
    const number = Number(value);
    if (Number.isNaN(number)) return true;
    least = Math.min(least, number);
    most = Math.max(most, number);
  }
  return most - least >= 1000 * values.size * every;
}

/** The least overlap of values, and the least agreement of words, of columns that hold the same. */
export const leastOverlap = 0.05;
export const leastAgreement = 0.3;

/** What the cells of a column hold. */
export interface Content {
  /** Different values, their words sorted, without what is in brackets. */
  readonly values: ReadonlySet<string>;
  /** Share of each word among all words. */
  readonly words: ReadonlyMap<string, number>;
  /** Number of all words, and of cells that have some. */
  readonly total: number;
  readonly cells: number;
  /** Of the different values every how many-th is here. */
  readonly every: number;
}

/** Different values of a column that are kept at most. */
export const mostValues = 400_000;

/**
 * Of more different values than `most` only those whose hash 2 divides are kept, or 4, and so on: the same ones of every
 * column, in any order of the rows.
 */
export function contentOf(cells: readonly string[], most = mostValues): Content {
  const values = new Set<string>();
  let every = 1;
  const counts = new Map<string, number>();
  let [total, filled] = [0, 0];
  const dayFirst = isDayFirst(cells);
  for (const cell of cells) {
    // A date and a telephone number have the same words however they are written.
    const date = readDate(cell, dayFirst)?.map(String);
    const words =
      date ??
      (isPhone(cell.trim()) ? [phoneDigits(cell)] : wordsOfCell(cell).flatMap(shortWords)).map(bareDigits);
    if (words.length === 0) continue;
    for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
    total += words.length;
    filled++;
    const value = date === undefined ? words.sort().join(" ") : date.join("-");
    if (isKept(value, every)) values.add(value);
    while (values.size > most) {
      every *= 2;
      for (const other of values) if (!isKept(other, every)) values.delete(other);
    }
  }
  return {
    values,
    words: new Map([...counts].map(([word, count]) => [word, count / total])),
    ...{ total, cells: filled, every },
  };
}

export function hashOf(text: string): number {
  const hash = fnv(text);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** The words of a cell in their order, without what is in brackets. */
export const wordsOfCell = (cell: string): string[] => cellWords(cell.replace(/[([][^)\]]*[)\]]/g, " "));

/** A word, or each two neighbouring characters of one in a script without spaces. */
function shortWords(word: string): string[] {
  const characters = ideographsIn(word);
  if (characters.length < 3) return [word];
  const pairs = characters.slice(1).map((character, place) => characters[place] + character);
  const rest = word.replace(ideographs, "");
  return rest === "" ? pairs : [...pairs, rest];
}

const isKept = (value: string, every: number): boolean => every === 1 || hashOf(value) % every === 0;

/** Share of the values of the column that has fewer which the other one has too. */
export function overlapOf(a: Content, b: Content): number {
  const [few, many] = a.values.size * a.every <= b.values.size * b.every ? [a, b] : [b, a];
  const every = Math.max(a.every, b.every);
  let [common, all] = [0, 0];
  for (const value of few.values) {
    if (every > few.every && !isKept(value, every)) continue;
    all++;
    if (many.values.has(value)) common++;
  }
  return common / Math.max(1, all);
}

/** The Bhattacharyya coefficient of two distributions of words: 1 where equal, 0 without a common word. */
export function agreementOf(a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>): number {
  let sum = 0;
  for (const [word, share] of a) sum += Math.sqrt(share * (b.get(word) ?? 0));
  return sum;
}

/** Whether two columns hold the same, by their values and by their words. */
export const areAlike = (a: Content, b: Content): boolean =>
  overlapOf(a, b) >= leastOverlap && agreementOf(a.words, b.words) >= leastAgreement;
