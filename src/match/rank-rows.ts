/** Ranks rows of one table for each row of another: gathers candidates, computes features and scores, keeps the best. */
import { likeArray } from "../like-array.js";
import { sharedCopy } from "../runtime/shared-array.js";
import type { NearRows } from "./candidates/nearest-by-embedding.js";
import { TermSearch } from "./candidates/term-search.js";
import { TextNumbers, textReader } from "./columns/texts.js";
import { type ColumnPair, pairCosines, type RankedColumn } from "./columns.js";
import {
  featureNames,
  type PairCosines,
  pairFeatures,
  type WeighedPhrase,
  weighPhrase,
} from "./evidence/features.js";
import { once, remembering } from "./once.js";
import { type ScorerWeights, scoreFeatures } from "./scorer.js";
import { areOpposed } from "./spelling/soft-words.js";

/** Block numbers of the rows: only rows with equal ones are compared. */
export interface Blocks {
  readonly base: Int32Array;
  readonly queries: Int32Array;
}

export interface RankSettings {
  readonly column: ColumnPair;
  readonly scorer: ScorerWeights;
  /** Candidates by terms, and as many by embedding. */
  readonly candidates: number;
  /** Maximum postings visited per query. */
  readonly postings: number;
  /** A query finds nothing by terms that all have more postings than this. Default: every query is followed. */
  readonly mostOfRarest?: number;
}

/** Settings for all threads: the texts of a large table may lie in a file that only one of them has open. */
export function sentSettings({ column, ...settings }: RankSettings) {
  return { ...settings, column: { ...column, base: sent(column.base), queries: sent(column.queries) } };
}

function sent<Column extends RankedColumn>({ texts, ...column }: Column) {
  const numbers = new TextNumbers();
  const values = Int32Array.from(texts, (text) => numbers.numberOf(text));
  return { ...column, values: sharedCopy(Int32Array, values), texts: numbers.texts() };
}

function received<Column extends ReturnType<typeof sent<RankedColumn>>>({
  texts,
  values,
  ...column
}: Column) {
  const read = textReader(texts);
  return { ...column, texts: likeArray(values.length, (row) => read(values[row])) };
}

/** What is asked of some rows. */
export interface RankRequest {
  /** Base rows are ranked for base rows: a row is not its own candidate, nor is a row with the same text. */
  readonly sameTable: boolean;
  /** Best rows kept per query. */
  readonly keep: number;
  /** Maximum candidates that get all features: those with the greatest cosines. */
  readonly scored: number;
}

/** Some query rows with their nearest base rows by embedding. */
interface RankPart extends RankRequest {
  readonly queries: Uint32Array;
  readonly near: NearRows;
}

/** The best base rows of each query, best first. */
export interface RankedRows {
  readonly keep: number;
  /** [queries, keep], -1 if there are fewer. */
  readonly rows: Int32Array;
  readonly scores: Float32Array;
}

/** 2 for equal texts, 1 for those that differ in case alone, else 0. */
export const sameness = (a: string, b: string): number =>
  a === b ? 2 : a.length === b.length && a.toLowerCase() === b.toLowerCase() ? 1 : 0;

/** Returns a function that ranks parts of the queries and caches parsed phrases: one for each thread. */
export function createRanker({ column: shared, ...settings }: ReturnType<typeof sentSettings>) {
  const { scorer } = settings;
  const { statistics } = shared;
  const [base, queries] = [received(shared.base), received(shared.queries)];
  const sideOf = (sameTable: boolean) =>
    once(() => {
      const column = { ...shared, base, queries: sameTable ? base : queries };
      return { column, find: candidateRows({ ...settings, column, sameTable }) };
    });
  const [other, same] = [sideOf(false), sideOf(true)];
  const phraseOf = remembering((row) => weighPhrase(base.texts[row], statistics));
  const features = new Float64Array(featureNames.length);
  /** -Infinity where a cell has no words. */
  const score = (left: WeighedPhrase, phrase: WeighedPhrase, cosines: PairCosines): number => {
    if (left.compact === "" || phrase.compact === "") return -Infinity;
    pairFeatures(left, phrase, cosines, features);
    return Math.fround(scoreFeatures(scorer, features));
  };
  return ({ queries, near, sameTable, keep, scored }: RankPart): Omit<RankedRows, "keep"> => {
    const { column, find } = sameTable ? same() : other();
    const rows = new Int32Array(queries.length * keep).fill(-1);
    const scores = new Float32Array(queries.length * keep).fill(-Infinity);
    queries.forEach((query, position) => {
      const phrase = weighPhrase(column.queries.texts[query], statistics);
      let open = find(query, position, near).map((row) => ({
        row,
        cosines: pairCosines(column, query, row),
      }));
      const nearness = ({ cosines }: (typeof open)[number]): number => cosines.embedding + cosines.grams;
      if (open.length > scored)
        open = open.sort((a, b) => nearness(b) - nearness(a) || a.row - b.row).slice(0, scored);
      const text = column.queries.texts[query];
      open
        .map(({ row, cosines }) => ({
          ...{ row, left: phraseOf(row), rank: sameness(base.texts[row], text) },
          score: score(phraseOf(row), phrase, cosines),
        }))
        .filter(
          // How far apart the rows of a table are, opposites show too.
          ({ left, score }) => score > -Infinity && (sameTable || !areOpposed(left.sides, phrase.sides)),
        )
        .sort((a, b) => b.rank - a.rank || b.score - a.score || a.row - b.row)
        .slice(0, keep)
        .forEach((candidate, place) => {
          rows[position * keep + place] = candidate.row;
          scores[position * keep + place] = candidate.score;
        });
    });
    return { rows, scores };
  };
}

/** Returns a function that finds the candidate rows of a query by terms and, among `near`, by embedding. */
export function candidateRows({
  column: { base, queries },
  sameTable,
  blocks,
  candidates: k,
  postings,
  mostOfRarest,
}: Omit<RankSettings, "scorer"> & Pick<RankRequest, "sameTable"> & { readonly blocks?: Blocks }) {
  const search = new TermSearch(base.index, base.terms);
  return (query: number, position: number, { k: width, rows }: NearRows): number[] => {
    const accept = blocks && ((row: number): boolean => blocks.base[row] === blocks.queries[query]);
    const found = new Set<number>();
    const limits = { k: k + (sameTable ? 1 : 0), postings, mostOfRarest, accept };
    for (const { row } of search.find(queries.terms, query, limits)) found.add(row);
    for (const row of rows.subarray(position * width, (position + 1) * width)) if (row >= 0) found.add(row);
    const isOther = (row: number): boolean => base.texts[row] !== base.texts[query];
    return sameTable ? [...found].filter(isOther) : [...found];
  };
}
