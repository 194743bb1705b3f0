/** Ranks the candidates of each query with any kind of model, scores ties fairly, and selects the worst misses. */
import { groupBy } from "../by-key.js";
import { exactNeighbours } from "../search/exact.js";
import { type Ranking, RankingCollector } from "../search/ranking.js";
import { type EmbeddingModel, embedPhrases, type SimilarityModel } from "./models.js";
import type { Miss, TaskContext } from "./task.js";

interface RankRequest {
  readonly queries: readonly string[];
  readonly candidates: readonly string[];
  /** The right title of each query; undefined if it has none. */
  readonly expected: readonly (string | undefined)[];
}

export interface RankedAnswer {
  readonly query: string;
  readonly expected: string | undefined;
  /** The best candidate, the first among equals. */
  readonly chosen: string;
  readonly chosenScore: number;
  /** Similarity of the right answer; NaN if it is not among the candidates. */
  readonly expectedScore: number;
  /** Expected hits if a tie at the top is broken at random: the right ones among the tied. */
  readonly credit: number;
  /** Number of wrong candidates above the right answer; Infinity if it is not among the candidates. */
  readonly above: number;
  /** Number of wrong candidates tied with the right answer. */
  readonly tied: number;
}

/** Scores closer than this are tied, so that rounding does not matter. */
export const tieTolerance = 1e-6;

export async function rankAnswers(
  { queries, candidates, expected }: RankRequest,
  context: TaskContext,
): Promise<RankedAnswer[]> {
  const rowsOf = groupBy(candidates.keys(), (row): string | undefined => candidates[row]);
  const search = { queries, candidates, answers: expected.map((title) => rowsOf.get(title) ?? []) };
  const ranking =
    context.model.kind === "embedding"
      ? await rankByVectors(context.model, search, context)
      : await rankByStrings(context.model, search, context);
  return queries.map((query, row) => {
    const right = search.answers[row].length;
    const above = right > 0 ? ranking.above[row] : Number.POSITIVE_INFINITY;
    const tied = right > 0 ? Math.max(0, ranking.level[row] - right) : 0;
    return {
      query,
      expected: expected[row],
      chosen: candidates[ranking.indices[row]],
      chosenScore: ranking.scores[row],
      expectedScore: ranking.targets[row],
      credit: above === 0 ? right / (right + tied) : 0,
      above,
      tied,
    };
  });
}

interface Search extends Pick<RankRequest, "queries" | "candidates"> {
  /** The rows of each query's right candidates. */
  readonly answers: readonly (readonly number[])[];
}

/** Expected recall at k if ties are broken at random. */
export const expectedRecall = ({ above, tied }: RankedAnswer, k: number): number =>
  Math.min(1, Math.max(0, (k - above) / (tied + 1)));

/** Expected reciprocal rank if ties are broken at random. */
export function expectedReciprocalRank({ above, tied }: RankedAnswer): number {
  let sum = 0;
  for (let place = 1; place <= tied + 1; place++) sum += 1 / (above + place);
  return sum / (tied + 1);
}

async function rankByVectors(
  model: EmbeddingModel,
  { queries, candidates, answers }: Search,
  { signal, onProgress }: TaskContext,
): Promise<Ranking> {
  // One call for both sides, so that equal phrases are encoded once and progress is continuous.
  const rows = await embedPhrases(model, [...queries, ...candidates], { signal, onProgress });
  const split = queries.length * model.dimension;
  return exactNeighbours(rows.subarray(0, split), rows.subarray(split), {
    dimension: model.dimension,
    tolerance: tieTolerance,
    answers,
    signal,
    onProgress: (done, total) => onProgress?.("searching", done, total),
  });
}

/** Milliseconds of comparing between yields to the event loop. */
const slice = 50;

async function rankByStrings(
  model: SimilarityModel,
  { queries, candidates, answers }: Search,
  { signal, onProgress }: TaskContext,
): Promise<Ranking> {
  const fitted = model.fit(candidates, queries);
  const scores = new Float64Array(candidates.length);
  const targets = new Float64Array(queries.length).fill(Number.NaN);
  const collector = new RankingCollector(queries.length, { tolerance: tieTolerance, targets });
  let started = performance.now();
  for (let query = 0; query < queries.length; query++) {
    fitted.all(queries[query], scores);
    const [answer] = answers[query]; // several are equal titles
    if (answer !== undefined) targets[query] = scores[answer];
    collector.add(query, 0, scores, 0, scores.length);
    if (performance.now() - started < slice) continue;
    onProgress?.("comparing", query + 1, queries.length);
    await new Promise(setImmediate);
    signal?.throwIfAborted();
    started = performance.now();
  }
  return collector.finish();
}

/** A query with its right answer and the chosen one; a credit below 0.5 is a miss. */
export type Judged = Pick<
  RankedAnswer,
  "query" | "expected" | "chosen" | "chosenScore" | "expectedScore" | "credit"
>;

const missesPerSet = 5;

/** The misses with the largest lead of the wrong answer; those without a right candidate come last. */
export function worstMisses(rows: readonly Judged[]): Omit<Miss, "dataset">[] {
  return rows
    .filter(({ credit, chosen, expected }) => credit < 0.5 && chosen !== expected)
    .map(({ query, expected = "", chosen, expectedScore: score, chosenScore }) => {
      return { query, expected, chosen, expectedScore: Number.isNaN(score) ? null : score, chosenScore };
    })
    .sort((left, right) => leadOf(right) - leadOf(left))
    .slice(0, missesPerSet);
}

export const leadOf = ({ expectedScore, chosenScore }: Omit<Miss, "dataset">): number =>
  expectedScore === null ? Number.NEGATIVE_INFINITY : chosenScore - expectedScore;
