/** Ranks rows of one table for each row of another: gathers candidates, computes features and scores, keeps the best. */
import type { TermStatistics } from "./candidates/grams.js";
import type { Blocks, NearRows } from "./candidates/nearest-by-embedding.js";
import { TermSearch } from "./candidates/term-search.js";
import { type ColumnPair, pairCosines } from "./columns.js";
import {
  featureNames,
  type PairCosines,
  pairFeatures,
  type WeighedPhrase,
  weighPhrase,
} from "./evidence/features.js";
import { type ScorerWeights, scoreFeatures } from "./scorer.js";

export interface RankSettings {
  readonly columns: readonly ColumnPair[];
  readonly scorer: ScorerWeights;
  /** Base and query are the same table: a row is not its own candidate, nor is a row with the same texts. */
  readonly sameTable: boolean;
  readonly blocks?: Blocks;
  /** Best rows kept per query. */
  readonly keep: number;
  /** Candidates per column by terms, and as many by embedding. */
  readonly candidates: number;
  /** Maximum postings visited per query and column. */
  readonly postings: number;
  /** Maximum candidates that get all features: those with the greatest cosines. */
  readonly scored: number;
}

/** Some query rows with their nearest base rows by embedding, per column. */
export interface RankPart {
  readonly queries: Uint32Array;
  readonly near: readonly NearRows[];
}

/** The best base rows of each query, best first. */
export interface RankedRows {
  readonly keep: number;
  /** [queries, keep], -1 if there are fewer. */
  readonly rows: Int32Array;
  readonly scores: Float32Array;
}

/** Ranks parts of the queries and caches parsed phrases: one for each thread. */
export type Ranker = (part: RankPart) => RankedRows;

/** A candidate with its cosines in each column. */
interface Candidate {
  readonly row: number;
  readonly cosines: readonly PairCosines[];
  /** Weighted sum of the cosines. */
  readonly nearness: number;
}

export function createRanker(settings: RankSettings): Ranker {
  const { columns, keep, scored, scorer } = settings;
  const find = candidateRows(settings);
  const phrases = columns.map(({ base, statistics }) => phraseCache(base.texts, statistics));
  const features = new Float64Array(featureNames.length);
  /** The score over all columns with text on both sides; -Infinity without one. */
  const score = (asked: readonly WeighedPhrase[], { row, cosines }: Candidate): number => {
    let [sum, total] = [0, 0];
    columns.forEach(({ weight }, index) => {
      const left = phrases[index](row);
      if (left.compact === "" || asked[index].compact === "") return;
      pairFeatures(left, asked[index], cosines[index], features);
      sum += weight * scoreFeatures(scorer, features);
      total += weight;
    });
    return total > 0 ? Math.fround(sum / total) : -Infinity;
  };
  const withCosines = (query: number, row: number): Candidate => {
    const cosines = columns.map((column) => pairCosines(column, query, row));
    const nearness = columns.reduce(
      (sum, { weight }, index) => sum + weight * (cosines[index].embedding + cosines[index].grams),
      0,
    );
    return { row, cosines, nearness };
  };
  return ({ queries, near }) => {
    const rows = new Int32Array(queries.length * keep).fill(-1);
    const scores = new Float32Array(queries.length * keep).fill(-Infinity);
    queries.forEach((query, position) => {
      const asked = columns.map((column) => weighPhrase(column.queries.texts[query], column.statistics));
      let open = find(query, position, near).map((row) => withCosines(query, row));
      if (open.length > scored)
        open = open.sort((a, b) => b.nearness - a.nearness || a.row - b.row).slice(0, scored);
      open
        .map((candidate) => ({ row: candidate.row, score: score(asked, candidate) }))
        .filter((candidate) => candidate.score > -Infinity)
        .sort((a, b) => b.score - a.score || a.row - b.row)
        .slice(0, keep)
        .forEach((candidate, place) => {
          rows[position * keep + place] = candidate.row;
          scores[position * keep + place] = candidate.score;
        });
    });
    return { keep, rows, scores };
  };
}

/** Returns a function that finds the candidate rows of a query by terms and, among `near`, by embedding. */
export function candidateRows({
  columns,
  sameTable,
  blocks,
  candidates: k,
  postings,
}: Pick<RankSettings, "columns" | "sameTable" | "blocks" | "candidates" | "postings">) {
  const searches = columns.map(({ base }) => new TermSearch(base.index, base.terms));
  const hasSameTexts = (query: number, row: number): boolean =>
    columns.every(({ base }) => base.texts[row] === base.texts[query]);
  return (query: number, position: number, near: RankPart["near"]): number[] => {
    const accept = blocks && ((row: number): boolean => blocks.base[row] === blocks.queries[query]);
    const found = new Set<number>();
    columns.forEach(({ queries }, index) => {
      const limits = { k: k + (sameTable ? 1 : 0), postings, accept };
      for (const { row } of searches[index].find(queries.terms, query, limits)) found.add(row);
      const { k: width, rows } = near[index];
      for (const row of rows.subarray(position * width, (position + 1) * width)) if (row >= 0) found.add(row);
    });
    return sameTable ? [...found].filter((row) => !hasSameTexts(query, row)) : [...found];
  };
}

function phraseCache(texts: readonly string[], statistics: TermStatistics): (row: number) => WeighedPhrase {
  const known = new Map<number, WeighedPhrase>();
  return (row) => {
    const phrase = known.get(row) ?? weighPhrase(texts[row], statistics);
    known.set(row, phrase);
    return phrase;
  };
}
