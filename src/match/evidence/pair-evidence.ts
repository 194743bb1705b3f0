/**
 * The evidence of pairs of rows: one ordinal level per column and pair. Beside the tables' columns there are the numbers in their
 * texts, and four that look across columns: codes anywhere in the row, naming words anywhere in the other row, what the names
 * lack, and whether they contradict each other.
 */

import { wordSet } from "../../text/word-lists.js";
import type { NamingVectors } from "../candidates/nearest-by-embedding.js";
import type { Pairs } from "../candidates/pair-set.js";
import { wordsOfHeader } from "../columns/column-names.js";
import { coordinatesOf } from "../columns/coordinates.js";
import type { Field, PreparedTables } from "../columns/fields.js";
import { isText } from "../columns/profile.js";
import type { RowWords } from "../columns/row-words.js";
import type { Texts } from "../columns/texts.js";
import { type GramSets, gramSets } from "../spelling/gram-sets.js";
import { VocabularyWords } from "../spelling/vocabulary-words.js";
import {
  codeComparison,
  codeLevels,
  crossWords,
  exchangedCells,
  nameOpposition,
  oppositionLevels,
  RowStamps,
} from "./across-columns.js";
import {
  type FieldComparison,
  hasNumbers,
  type LevelScale,
  levelOf,
  missing,
  numbersComparison,
} from "./levels.js";
import { comparisonOf } from "./own-comparison.js";

/** The column that says whether names contradict each other. */
export const opposedColumn = "names opposed";

/** What one column says about each pair. */
export interface EvidenceColumn extends LevelScale {
  readonly name: string;
  /** Index of the field, -1 for a column that looks across fields. */
  readonly field: number;
  /** Index of the field that a column across fields is made from, -1 for others. */
  readonly from: number;
  /** What it is about: columns of one unit are shared by near misses, or differ, as one. */
  readonly unit: number;
  /** Share of its learned weight that counts where near misses are not learned: less for a column that repeats another. */
  readonly share: number;
  /** Whether rows of one thing seldom differ in it, by its kind and its header, or as the caller says. */
  readonly identifies: boolean | "said";
  /** Weight of the lowest level where it is not learned. */
  readonly lowest?: number;
}

/** Compares rows: fills the level of each column for a pair. */
export interface RowComparison {
  readonly columns: readonly EvidenceColumn[];
  readonly settings: ComparisonSettings;
  /** @param out one level array per column @param place where in the arrays */
  compare(left: number, right: number, out: readonly Int8Array[], place: number): void;
  /** The levels of many pairs, one array per column. */
  compareAll(pairs: Pairs): Int8Array[];
}

const crossCuts = Array.from({ length: 17 }, (_, index) => 0.15 + 0.05 * index - 1e-9);
const conflictCuts = [-0.8, -0.65, -0.5, -0.4, -0.3, -0.2, -0.1, -0.01];
/** Columns across fields repeat the naming column in part. */
const repeated = 0.5;

/** No agreement of other columns outweighs opposites: a father and a son may share all but their birth dates. */
const contradicted = -200;

type Named = Pick<EvidenceColumn, "name" | "field" | "from" | "unit" | "share">;

/** One column with its comparison of two rows: a level, or `missing`. */
interface ComparedColumn extends EvidenceColumn {
  compare(left: number, right: number): number;
}

/** What rows are compared by; threads get a copy, of numbers a view. */
export interface ComparisonSettings extends Pick<PreparedTables, "fields" | "naming" | "isOneTable"> {
  /** By word number. */
  readonly words: Texts;
  readonly rowWords: RowWords;
  /** Of the values of the naming column. */
  readonly vectors?: NamingVectors;
  /** Per field, of texts only. */
  readonly grams: readonly (GramSets | undefined)[];
  /** Per field whether its texts have numbers that are compared for themselves. */
  readonly areNumbered: readonly boolean[];
}

export function comparisonSettings(
  { fields, naming, isOneTable, vocabulary }: PreparedTables,
  { left, right, isCode, rarity }: RowWords,
  vectors?: NamingVectors,
  grams = fields.map(({ kind, set }) => (isText(kind) ? gramSets(set.texts, set.counts) : undefined)),
  areNumbered = fields.map(({ kind, set, own }) => isText(kind) && own === undefined && hasNumbers(set)),
): ComparisonSettings {
  const rowWords = { left, right, isCode, rarity };
  return { fields, naming, isOneTable, words: vocabulary, rowWords, vectors, grams, areNumbered };
}

const circumstances = wordSet("circumstances");
/** Words with fewer letters, or with fewer beside them, are parts of others by chance: a hotel is no telephone, an estate no state. */
const [shortestPart, fewestBeside] = [5, 4];

/** Whether a column identifies: names, dates and codes do, unless several things share it by its header. */
function identifies({ name, other, kind, role }: Field, isNaming: boolean): EvidenceColumn["identifies"] {
  if (role !== undefined) return role === "identifies" && "said";
  if (kind === "long") return false;
  if (isNaming) return true;
  const words = [name, other].flatMap(wordsOfHeader);
  const hasPart = (word: string, own: string): boolean =>
    own.length >= shortestPart && word.length >= own.length + fewestBeside && word.includes(own);
  const isShared = words.some(
    (word) => circumstances().has(word) || [...circumstances()].some((own) => hasPart(word, own)),
  );
  return !isShared && kind !== "number" && kind !== "list";
}

/** Kinds of which a row may hold the value in another column: its title names the brand. */
const kindsElsewhere = new Set<Field["kind"]>(["category", "text", "code"]);
/** Shorter values are anywhere by chance. */
const shortestValue = 3;

/** Returns a function for two rows of which one lacks the value: the level of equal values where it holds their words elsewhere. */
function besideEmpty(
  { set, left, right }: Field,
  compare: FieldComparison["compare"],
  { rowWords, words }: Pick<ComparisonSettings, "rowWords"> & { readonly words: VocabularyWords },
): ComparedColumn["compare"] {
  const { starts, items } = set.words;
  return (a, b) => {
    const value = Math.max(left[a], right[b]);
    if (value < 0) return missing;
    const [lists, row] = left[a] < 0 ? [rowWords.left, a] : [rowWords.right, b];
    const own = items.subarray(starts[value], starts[value + 1]);
    const held = lists.items.subarray(lists.starts[row], lists.starts[row + 1]);
    const isHeld = (word: number): boolean =>
      held.includes(word) || held.some((other) => words.likeness(word, other) > 0);
    const isLong = own.some((word) => words.read(word).length >= shortestValue);
    return isLong && own.every(isHeld) ? compare(value, value) : missing;
  };
}

export function rowComparison(settings: ComparisonSettings): RowComparison {
  const { fields, naming, rowWords, vectors, grams, areNumbered } = settings;
  const words = new VocabularyWords(settings.words);
  const places = coordinatesOf(fields);
  const own = fields.map((field, index) =>
    comparisonOf(field, {
      ...{ words, grams: grams[index], areNumbered: areNumbered[index] },
      areDegrees: field === places?.latitude || field === places?.longitude,
      vectors: index === naming ? vectors : undefined,
    }),
  );
  const ofCells = (index: number, found: FieldComparison, column: Named): ComparedColumn => {
    const { left, right, kind } = fields[index];
    const { compare, unmatched: _, ...scale } = found;
    const ofEmpty =
      index !== naming && kindsElsewhere.has(kind)
        ? besideEmpty(fields[index], compare, { words, rowWords })
        : () => missing;
    return {
      ...{ ...column, ...scale, identifies: identifies(fields[index], index === naming) },
      compare: (a, b) => (left[a] < 0 || right[b] < 0 ? ofEmpty(a, b) : compare(left[a], right[b])),
    };
  };
  const ofFields = fields.map(({ name }, index) =>
    ofCells(index, own[index], { name, field: index, from: -1, unit: index, share: 1 }),
  );
  const numbered = [...fields.keys()].filter((index) => areNumbered[index]);
  const ofNumbers = numbered.map((index, place) => {
    const column = { name: `${fields[index].name} numbers`, field: -1, from: index };
    const unit = fields.length + place;
    return ofCells(index, numbersComparison(fields[index].set), { ...column, unit, share: 1 });
  });
  const ofCodes = codesAnywhere(settings, words, fields.length + numbered.length);
  const ofNames = naming < 0 ? [] : namingColumns(settings, words, own[naming]);
  const columns = [...ofFields, ...ofNumbers, ofCodes, ...ofNames];
  const exchange = exchangedLevels(fields, columns, words);
  const compare: RowComparison["compare"] = (left, right, out, place) => {
    for (let column = 0; column < columns.length; column++)
      out[column][place] = columns[column].compare(left, right);
    exchange(left, right, out, place);
  };
  // Columns of one unit are compared pair by pair, since those of names read what the last comparison found. Other columns are
  // compared one after the other, so that their values stay in the processor's caches.
  const units = [...new Set(columns.map(({ unit }) => unit))].map((unit) =>
    [...columns.keys()].filter((column) => columns[column].unit === unit),
  );
  const compareAll: RowComparison["compareAll"] = ({ left, right }) => {
    const levels = columns.map(() => new Int8Array(left.length));
    for (const unit of units)
      for (let pair = 0; pair < left.length; pair++)
        for (const column of unit) levels[column][pair] = columns[column].compare(left[pair], right[pair]);
    for (let pair = 0; pair < left.length; pair++) exchange(left[pair], right[pair], levels, pair);
    return levels;
  };
  return { columns: columns.map(({ compare: _, ...column }) => column), settings, compare, compareAll };
}

/**
 * A code of one row anywhere in the other. What says the same in a column of its own does not count again: numbers of texts, and
 * codes that several things share, as postcodes and telephones. Codes that identify do: of 15 public sets, those of products lose
 * without it.
 */
function codesAnywhere(
  { fields, naming, rowWords, areNumbered }: ComparisonSettings,
  words: VocabularyWords,
  unit: number,
): ComparedColumn {
  const counted = fields.filter((field, index) => {
    const { kind } = field;
    if (isText(kind)) return areNumbered[index];
    return kind === "phone" || (kind !== "category" && identifies(field, index === naming) === false);
  });
  const codes = codeComparison(words, rowWords, counted);
  return {
    ...{ name: "codes anywhere", field: -1, from: -1, unit, share: 1 },
    ...{ levels: codeLevels, differs: 2, agrees: 3, identifies: false },
    compare: (left, right) => codes(left, right) ?? missing,
  };
}

/** Returns a function that changes the levels of columns whose cells have changed places. */
function exchangedLevels(
  fields: readonly Field[],
  columns: readonly LevelScale[],
  words: VocabularyWords,
): RowComparison["compare"] {
  const exchanges = exchangeable(fields).map(([first, second]) => ({
    ...{ first, second },
    of: exchangedCells(fields[first].set, fields[second].set, words),
  }));
  return (left, right, out, place) => {
    for (const { first, second, of } of exchanges) {
      const mayBeExchanged = (index: number): boolean =>
        out[index][place] < columns[index].differs ||
        Math.min(fields[index].left[left], fields[index].right[right]) < 0;
      if (!mayBeExchanged(first) || !mayBeExchanged(second)) continue;
      const [one, other] = [fields[first], fields[second]];
      const found = of([one.left[left], other.left[left]], [one.right[right], other.right[right]]);
      if (found === undefined) continue;
      out[first][place] = found.first ? columns[first].agrees : missing;
      out[second][place] = found.second ? columns[second].agrees : missing;
    }
  };
}

/** Pairs of columns whose cells may change places: short texts. */
function exchangeable(fields: readonly Field[]): [number, number][] {
  const short = fields.flatMap(({ kind }, index) =>
    kind === "name" || kind === "text" || kind === "category" ? [index] : [],
  );
  return short.flatMap((first, at) => short.slice(at + 1).map((second): [number, number] => [first, second]));
}

/** Columns that look at names in another way than the naming column itself. They are compared after it. */
function namingColumns(
  { fields, naming, rowWords, isOneTable }: ComparisonSettings,
  words: VocabularyWords,
  names: FieldComparison,
): ComparedColumn[] {
  // Where names have a comparison of their own, their words do not count beside it.
  if (names.unmatched === undefined) return [];
  const { left, right } = fields[naming];
  const column = (
    name: string,
    levels: number,
    compare: (left: number, right: number) => number,
  ): ComparedColumn => ({
    // Near misses are learned without them: the scale of their levels is not read.
    ...{ name, field: -1, from: naming, unit: naming, share: repeated, identifies: true },
    ...{ levels, differs: 0, agrees: levels },
    compare: (a, b) => (left[a] < 0 || right[b] < 0 ? missing : compare(a, b)),
  });
  const unmatched = column("words missing", conflictCuts.length + 1, (a, b) =>
    levelOf(left[a] === right[b] ? 0 : -names.unmatched!(), conflictCuts),
  );
  const stamps = new RowStamps(rowWords);
  const opposed = nameOpposition(fields[naming], rowWords, words, stamps);
  const cross = crossWords(fields[naming], rowWords, stamps);
  return [
    isOneTable ? { ...unmatched, share: 1 } : unmatched,
    { ...column(opposedColumn, oppositionLevels, opposed), lowest: contradicted },
    ...(fields.length > 1
      ? [column("name anywhere", crossCuts.length + 1, (a, b) => levelOf(cross(a, b), crossCuts))]
      : []),
  ];
}

/** Compares parts of the pairs: the levels of each column. */
export const openComparison = (settings: ComparisonSettings) => rowComparison(settings).compareAll;
