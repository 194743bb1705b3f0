/** Ranks the rows of one table for rows of another: candidates by terms and embedding, views, scores, the best few. */
import { dotRows } from "../search/vectors.js";
import {
  nearestByTerms,
  type TermIndex,
  type TermRows,
  type TermStatistics,
  termCosine,
  termSearch,
} from "./grams.js";
import { createScorer, type ScorerWeights, scoreViews } from "./scorer.js";
import { typeAgreement } from "./type-agreement.js";
import { type PairCosines, pairViews, viewNames, type WeighedPhrase, weighPhrase } from "./views.js";

/** One column of a table, as it is compared. Memory may be shared between threads. */
export interface RankedColumn {
  readonly texts: readonly string[];
  readonly terms: TermRows;
  /** [rows, dimension] of unit length; undefined without a model. */
  readonly vectors?: Float32Array;
  /** [rows, entity types], roots of their probabilities; undefined without a model that tells types. */
  readonly types?: Float32Array;
}

/** A column of the base table and what belongs to both. */
export interface ColumnPair {
  readonly base: RankedColumn & { readonly index: TermIndex };
  readonly queries: RankedColumn;
  readonly statistics: TermStatistics;
  readonly dimension: number;
  /** The entity types that the model tells; none where it has no type head. */
  readonly entityTypes: readonly string[];
  /** Mean cosine of two rows that have nothing to do with each other: the model's zero. */
  readonly floor: number;
  /** Share of this column in the score; all sum to 1. */
  readonly weight: number;
}

/** What every part of a ranking needs. */
export interface RankSettings {
  readonly columns: readonly ColumnPair[];
  readonly scorer: ScorerWeights;
  /** Base and query are the same table: a row is no candidate of itself, nor is a row of the same texts. */
  readonly sameTable: boolean;
  /** Rows meet only within equal numbers. */
  readonly blocks?: { readonly base: Uint32Array; readonly queries: Uint32Array };
  /** Best rows kept per query. */
  readonly keep: number;
  /** Candidates by terms per column. */
  readonly byTerms: number;
  /** Postings visited per query and column at most. */
  readonly postings: number;
  /** Candidates that are scored by all views, those of the greatest cosines. */
  readonly scored: number;
}

/** Some query rows with their nearest base rows by embedding. */
export interface RankPart {
  readonly queries: Uint32Array;
  /** Per column [queries, k], -1 for none. */
  readonly near: readonly { readonly k: number; readonly rows: Int32Array }[];
}

/** The best base rows of each query of a part, best first. */
export interface RankedRows {
  readonly keep: number;
  /** [queries, keep], -1 where there are fewer. */
  readonly rows: Int32Array;
  /** [queries, keep] */
  readonly scores: Float32Array;
}

/** A ranking that remembers the phrases it has read: one for each thread. */
export type Ranker = (part: RankPart) => RankedRows;

/** Prepares a ranking. */
export function createRanker(settings: RankSettings): Ranker {
  const { columns, keep, sameTable } = settings;
  const readers = columns.map(({ base, queries, statistics }) => ({
    base: phraseCache(base.texts, statistics),
    query: sameTable && base.texts === queries.texts ? undefined : phraseCache(queries.texts, statistics, 1),
  }));
  const compare = pairScorer(settings, readers);
  const choose = candidateChooser(settings);
  const searches = columns.map(({ base }) => termSearch(base.index));
  return ({ queries, near }) => {
    const rows = new Int32Array(queries.length * keep).fill(-1);
    const scores = new Float32Array(queries.length * keep).fill(-Infinity);
    const candidates = new Set<number>();
    queries.forEach((query, position) => {
      candidates.clear();
      columns.forEach((column, index) => {
        gather(settings, column, searches[index], query, candidates);
        const { k, rows: found } = near[index] ?? { k: 0, rows: new Int32Array(0) };
        for (let place = position * k; place < (position + 1) * k; place++) {
          if (found[place] >= 0) candidates.add(found[place]);
        }
      });
      for (const { row, cosines } of choose(query, candidates))
        insert(rows, scores, position * keep, keep, row, compare(query, row, cosines));
    });
    return { keep, rows, scores };
  };
}

function gather(
  settings: RankSettings,
  column: ColumnPair,
  search: ReturnType<typeof termSearch>,
  query: number,
  candidates: Set<number>,
): void {
  const { byTerms, postings, blocks, sameTable } = settings;
  const accept =
    blocks === undefined ? undefined : (row: number): boolean => blocks.base[row] === blocks.queries[query];
  const found = nearestByTerms(search, column.queries.terms, query, {
    k: byTerms + (sameTable ? 1 : 0),
    postings,
    accept,
  });
  for (const { row } of found) candidates.add(row);
}

function mayMeet({ columns, sameTable, blocks }: RankSettings, query: number, row: number): boolean {
  if (blocks !== undefined && blocks.base[row] !== blocks.queries[query]) return false;
  if (!sameTable) return true;
  if (query === row) return false;
  return columns.some(({ base }) => base.texts[row] !== base.texts[query]);
}

/** A candidate with its cosines in each column. */
interface Candidate {
  readonly row: number;
  readonly cosines: readonly PairCosines[];
  /** All cosines together, by the columns' weights. */
  readonly nearness: number;
}

/** The candidates that may meet a query; of too many those of the greatest cosines, which take little time. */
function candidateChooser(
  settings: RankSettings,
): (query: number, candidates: Iterable<number>) => Candidate[] {
  const { columns, scored } = settings;
  return (query, candidates) => {
    const open: Candidate[] = [];
    for (const row of candidates) {
      if (!mayMeet(settings, query, row)) continue;
      const cosines = columns.map((column) => pairCosines(column, query, row));
      let nearness = 0;
      for (let index = 0; index < columns.length; index++)
        nearness += columns[index].weight * (cosines[index].embedding + cosines[index].grams);
      open.push({ row, cosines, nearness });
    }
    if (open.length <= scored) return open;
    return open.sort((a, b) => b.nearness - a.nearness || a.row - b.row).slice(0, scored);
  };
}

type PhraseReader = (row: number) => WeighedPhrase;

/** Phrases read on demand; `limit` of them are remembered (default all). */
function phraseCache(texts: readonly string[], statistics: TermStatistics, limit = Infinity): PhraseReader {
  const known = new Map<number, WeighedPhrase>();
  return (row) => {
    let phrase = known.get(row);
    if (phrase === undefined) {
      phrase = weighPhrase(texts[row], statistics);
      if (known.size >= limit) known.clear();
      known.set(row, phrase);
    }
    return phrase;
  };
}

/** The function that scores a pair [query, base row] over all columns that have text in both. */
function pairScorer(
  { columns, scorer: weights }: RankSettings,
  readers: readonly { base: PhraseReader; query?: PhraseReader }[],
): (query: number, row: number, cosines: readonly PairCosines[]) => number {
  const scorer = createScorer(weights);
  const views = new Float64Array(viewNames.length);
  return (query, row, cosines) => {
    let [sum, total] = [0, 0];
    for (let index = 0; index < columns.length; index++) {
      const column = columns[index];
      const left = readers[index].base(row);
      const right = (readers[index].query ?? readers[index].base)(query);
      if (left.compact === "" || right.compact === "") continue;
      pairViews(left, right, cosines[index], views, 0);
      sum += column.weight * scoreViews(scorer, views);
      total += column.weight;
    }
    return total > 0 ? sum / total : -Infinity;
  };
}

/** The cosines of a pair: of the embeddings, measured from the model's own zero, of the terms, and of the types. */
export function pairCosines(
  { base, queries, dimension, entityTypes, floor }: ColumnPair,
  query: number,
  row: number,
): PairCosines {
  const grams = termCosine(queries.terms, query, base.terms, row);
  if (base.vectors === undefined || queries.vectors === undefined) return { embedding: 0, grams };
  const cosine = dotRows(queries.vectors, query, base.vectors, row, dimension);
  const embedding = Math.max(0, (cosine - floor) / (1 - floor));
  if (base.types === undefined || queries.types === undefined) return { embedding, grams };
  const types = typeAgreement(queries.types, query, base.types, row, entityTypes.length);
  return { embedding, grams, types };
}

/** Takes a row in where it belongs; of equal scores the earlier row leads. */
function insert(
  rows: Int32Array,
  scores: Float32Array,
  start: number,
  keep: number,
  row: number,
  score: number,
): void {
  const value = Math.fround(score);
  let place = start + keep - 1;
  const before = (at: number): boolean =>
    scores[at] < value || (scores[at] === value && (rows[at] < 0 || rows[at] > row));
  if (value === -Infinity || !before(place)) return;
  while (place > start && before(place - 1)) {
    scores[place] = scores[place - 1];
    rows[place] = rows[place - 1];
    place--;
  }
  scores[place] = value;
  rows[place] = row;
}
