/** Ranks rows of one table for each row of another: gathers candidates, computes features and scores, keeps the best. */
import { nearestByTerms, type TermStatistics, termSearch } from "./candidates/grams.js";
import { type ColumnPair, pairCosines } from "./columns/column-pair.js";
import {
  featureNames,
  type PairCosines,
  pairFeatures,
  type WeighedPhrase,
  weighPhrase,
} from "./evidence/features.js";
import { createScorer, type ScorerWeights, scoreFeatures } from "./scorer.js";

/** Settings that all parts of a ranking share. */
export interface RankSettings {
  readonly columns: readonly ColumnPair[];
  readonly scorer: ScorerWeights;
  /** Base and query are the same table: a row is not its own candidate, nor is a row with the same texts. */
  readonly sameTable: boolean;
  /** Block numbers: only rows with equal ones are compared. */
  readonly blocks?: { readonly base: Uint32Array; readonly queries: Uint32Array };
  /** Best rows kept per query. */
  readonly keep: number;
  /** Candidates by terms per column. */
  readonly byTerms: number;
  /** Maximum postings visited per query and column. */
  readonly postings: number;
  /** Maximum candidates that get all features: those with the greatest cosines. */
  readonly scored: number;
}

/** Some query rows with their nearest base rows by embedding. */
export interface RankPart {
  readonly queries: Uint32Array;
  /** Per column [queries, k], -1 for none. */
  readonly near: readonly { readonly k: number; readonly rows: Int32Array }[];
}

/** The best base rows of each query, best first. */
export interface RankedRows {
  readonly keep: number;
  /** [queries, keep], -1 if there are fewer. */
  readonly rows: Int32Array;
  /** [queries, keep] */
  readonly scores: Float32Array;
}

/** Ranks parts of the queries and caches parsed phrases: one for each thread. */
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
  /** Weighted sum of the cosines. */
  readonly nearness: number;
}

/** Selects the candidates to score; of too many those with the greatest cosines, which are cheap. */
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

/** Parses phrases on demand and caches up to `limit` of them (default: all). */
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

/** Returns a function that scores a pair over all columns with text on both sides. */
function pairScorer(
  { columns, scorer: weights }: RankSettings,
  readers: readonly { base: PhraseReader; query?: PhraseReader }[],
): (query: number, row: number, cosines: readonly PairCosines[]) => number {
  const scorer = createScorer(weights);
  const features = new Float64Array(featureNames.length);
  return (query, row, cosines) => {
    let [sum, total] = [0, 0];
    for (let index = 0; index < columns.length; index++) {
      const column = columns[index];
      const left = readers[index].base(row);
      const right = (readers[index].query ?? readers[index].base)(query);
      if (left.compact === "" || right.compact === "") continue;
      pairFeatures(left, right, cosines[index], features, 0);
      sum += column.weight * scoreFeatures(scorer, features);
      total += column.weight;
    }
    return total > 0 ? sum / total : -Infinity;
  };
}

/** Inserts a row by its score; of equal scores the earlier row comes first. */
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
