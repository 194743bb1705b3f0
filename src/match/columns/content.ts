/** What a column holds: its different values and the distribution of its words, and how near those of two columns are. */
import { fnv } from "../../files/checksums/fnv.js";
import { cellWords, ideographs, ideographsIn } from "../cells/cell-words.js";
import { isDayFirst, readDate } from "../cells/dates.js";
import { bareDigits } from "../cells/numbers.js";
import { isPhone, phoneDigits } from "../cells/phones.js";

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
