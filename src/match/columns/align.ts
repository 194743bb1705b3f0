/** Aligns the columns of two tables: by header where headers agree, else by what the cells hold. */
import { FNV_BASIS, FNV_PRIME } from "../../files/fnv.js";
import { cellWords, ideographs } from "../cells/cell-words.js";
import { isDayFirst, readDate } from "../cells/dates.js";
import { isPhone, phoneDigits } from "../cells/phones.js";

/** A table in memory: cells by column name, "" where empty. */
export type TableColumns = Readonly<Record<string, readonly string[]>>;

/** Names of a left and a right column that hold the same. */
export type AlignedNames = readonly [string, string];

/** The least overlap of values, and the least agreement of words, of columns whose headers differ. */
export const leastOverlap = 0.05;
export const leastAgreement = 0.3;

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
  const contents = new Map(rest.right.map((name) => [name, contentOf(right[name])] as const));
  const scored = rest.left.flatMap((name) => {
    const content = contentOf(left[name]);
    return [...contents].flatMap(([other, otherContent]) => {
      const overlap = overlapOf(content, otherContent);
      const agreement = agreementOf(content.words, otherContent.words);
      const isLikely =
        overlap >= leastOverlap &&
        (agreement >= leastAgreement || haveRareValues(content, otherContent, overlap));
      return isLikely ? [{ names: [name, other] as const, score: overlap + 0.2 * agreement }] : [];
    });
  });
  return [...aligned, ...greedily(scored)];
}

/** The least agreement of words of columns without a common value. */
const leastLikeness = 0.5;

/** Further pairs of columns of text whose words are the same, though no cell is: "Parry, Derek L." and "D. Parry". */
export function alignWords(left: TableColumns, right: TableColumns, names: ColumnNames): AlignedNames[] {
  const contents = new Map(names.right.map((name) => [name, contentOf(right[name])] as const));
  const scored = names.left.flatMap((name) => {
    const content = contentOf(left[name]);
    return [...contents].map(([other, { words }]) => ({
      names: [name, other] as const,
      score: agreementOf(content.words, words),
    }));
  });
  return greedily(scored.filter(({ score }) => score >= leastLikeness));
}

/** Pairs of columns, the best first. Each column is in one pair at most. */
function greedily(
  scored: readonly { readonly names: AlignedNames; readonly score: number }[],
): AlignedNames[] {
  const sorted = [...scored].sort((a, b) => b.score - a.score || (a.names.join() < b.names.join() ? -1 : 1));
  const [takenLeft, takenRight] = [new Set<string>(), new Set<string>()];
  const aligned: AlignedNames[] = [];
  for (const { names } of sorted) {
    if (takenLeft.has(names[0]) || takenRight.has(names[1])) continue;
    takenLeft.add(names[0]);
    takenRight.add(names[1]);
    aligned.push(names);
  }
  return aligned;
}

/** Equal values from which on, and the share of different values with which, they are no chance. */
const fewestCommon = 20;
const mostlyDifferent = 0.8;

/**
 * Whether cells of one word, nearly all different, have values in common that are no chance. Where few rows have a partner,
 * their words agree little. Numbers from a narrow range are equal by chance.
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
      date ?? (isPhone(cell.trim()) ? [phoneDigits(cell)] : wordsOfCell(cell).flatMap(shortWords));
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

function hashOf(text: string): number {
  let hash = FNV_BASIS;
  for (let place = 0; place < text.length; place++)
    hash = Math.imul(hash ^ text.charCodeAt(place), FNV_PRIME);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** The words of a cell in their order, without what is in brackets. */
export const wordsOfCell = (cell: string): string[] => cellWords(cell.replace(/[([][^)\]]*[)\]]/g, " "));

/** A word, or each two neighbouring signs of one that is written without spaces. */
function shortWords(word: string): string[] {
  const signs = /[^\0-\u2fff]/.test(word) ? (word.match(ideographs) ?? []) : [];
  if (signs.length < 3) return [word];
  const rest = word.replace(ideographs, "");
  return [...signs.slice(1).map((sign, place) => signs[place] + sign), ...(rest === "" ? [] : [rest])];
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
