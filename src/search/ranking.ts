/** Collects the best candidates of each query from rows of scores, and counts those above and level with an answer. */
import { dotRows } from "./vectors.js";

export interface RankingOptions {
  /** How many best candidates are kept per query. Default 1. */
  readonly k?: number;
  /** Scores that differ by no more than this are tied: rounding must not decide. Default 1e-6. */
  readonly tolerance?: number;
  /**
   * Per query the score of its right answer; NaN where it has none. The collector then counts the candidates
   * above and level with it.
   */
  readonly targets?: Float64Array;
}

/** The result of a search over all candidates. Rows are queries. */
export interface Ranking {
  readonly k: number;
  /** Best candidates, best first, the first of equal ones before others: [queries, k]; -1 where there are fewer. */
  readonly indices: Int32Array;
  /** Their scores: [queries, k]; -Infinity where there is none. */
  readonly scores: Float64Array;
  /** With `targets`: per query the candidates more than the tolerance above the right answer. */
  readonly above: Int32Array;
  /** With `targets`: per query the candidates within the tolerance of the right answer, itself included. */
  readonly level: Int32Array;
  /** With `targets`: per query the score of its right answer; NaN where it has none. */
  readonly targets: Float64Array;
}

/** Takes rows of scores in blocks of candidates, which must come in ascending order for each query. */
export class RankingCollector {
  private readonly ranking: Ranking;
  private readonly tolerance: number;

  constructor(queries: number, { k = 1, tolerance = 1e-6, targets }: RankingOptions = {}) {
    this.tolerance = tolerance;
    this.ranking = {
      k,
      indices: new Int32Array(queries * k).fill(-1),
      scores: new Float64Array(queries * k).fill(-Infinity),
      above: new Int32Array(targets ? queries : 0),
      level: new Int32Array(targets ? queries : 0),
      targets: targets ?? new Float64Array(0),
    };
  }

  /**
   * Adds the scores of one query with the candidates `first`, `first + 1`, ...
   *
   * @param row the scores, from `offset`, `count` of them
   */
  add(query: number, first: number, row: Float32Array | Float64Array, offset: number, count: number): void {
    const { above, level, targets } = this.ranking;
    const target = targets[query] ?? Number.NaN;
    // Most scores are too low to matter: one comparison each.
    const floor = Number.isNaN(target) ? Infinity : target - this.tolerance;
    let low = Math.min(this.lowest(query), floor);
    for (let index = 0; index < count; index++) {
      const score = row[offset + index];
      if (score < low) continue;
      if (score >= floor) {
        if (score > target + this.tolerance) above[query]++;
        else level[query]++;
      }
      if (this.keep(query, first + index, score)) low = Math.min(this.lowest(query), floor);
    }
  }

  /** The result; the collector must not be used afterwards. */
  finish(): Ranking {
    return this.ranking;
  }

  /** The score that a candidate must exceed to be among the best of this query. */
  private lowest(query: number): number {
    const { k, scores } = this.ranking;
    return scores[query * k + k - 1];
  }

  /** Inserts a candidate in its place; false if it is not among the best. */
  private keep(query: number, index: number, score: number): boolean {
    const { k, scores, indices } = this.ranking;
    const start = query * k;
    let place = start + k - 1;
    if (!(score > scores[place])) return false;
    while (place > start && scores[place - 1] < score) {
      scores[place] = scores[place - 1];
      indices[place] = indices[place - 1];
      place--;
    }
    scores[place] = score;
    indices[place] = index;
    return true;
  }
}

/** The best candidates of each query, without the places that stayed empty. */
export const foundIn = ({ k, indices, scores }: Ranking): { row: number; score: number }[][] =>
  Array.from({ length: indices.length / k }, (_, query) => {
    const rows = indices.subarray(query * k, (query + 1) * k);
    const found = Array.from(rows, (row, place) => ({ row, score: scores[query * k + place] }));
    return found.filter(({ row }) => row >= 0);
  });

/** Candidates beyond k that a product must find, so that its rounding decides on none of the k. */
export const productSlack = 8;

/**
 * The k best of the candidates that a matrix product found for each query, by inner products of pair after pair: the last
 * bits of a matrix product depend on what else is multiplied, and with them the order of nearly equal candidates.
 * @param found [queries, k + {@link productSlack}] or fewer, -1 for none
 * @returns [queries, k], best first, the first of equal ones before others
 */
export function settledRanking(
  found: Int32Array,
  {
    queries,
    rows,
    dimension,
    k,
  }: { queries: Float32Array; rows: Float32Array; dimension: number; k: number },
): Int32Array {
  const count = queries.length / dimension;
  const width = found.length / Math.max(1, count);
  const settled = new Int32Array(count * k).fill(-1);
  for (let query = 0; query < count; query++) {
    const scored = Array.from(found.subarray(query * width, (query + 1) * width))
      .filter((row) => row >= 0)
      .map((row) => ({ row, score: dotRows(queries, query, rows, row, dimension) }))
      .sort((a, b) => b.score - a.score || a.row - b.row);
    scored.slice(0, k).forEach(({ row }, place) => {
      settled[query * k + place] = row;
    });
  }
  return settled;
}
