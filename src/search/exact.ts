/** Exact nearest neighbours: every query against every candidate, as blocks of a matrix product on ONNX Runtime. */
import { createOrtSession, type OrtSession } from "../runtime/ort-session.js";
import { availableParallelism } from "../runtime/thread.js";
import { productGraph } from "./graph/product-graph.js";
import type { IndexMetric } from "./index-types.js";
import { type Ranking, RankingCollector, type RankingOptions } from "./ranking.js";
import { countRows, dotRows, unitRows } from "./vectors.js";

export interface ExactSearchOptions extends Omit<RankingOptions, "targets"> {
  /** Numbers per row of both arrays. */
  readonly dimension: number;
  /** Default cosine; a zero vector's cosine with anything is 0. */
  readonly metric?: IndexMetric;
  /** Per query the right candidates: the ranking then counts those above and level with the best of them. */
  readonly answers?: readonly (readonly number[])[];
  readonly signal?: AbortSignal;
  /** Called with finished and all queries × candidates. */
  readonly onProgress?: (done: number, total: number) => void;
}

// 2,048 × 4,096 scores are 34 MB: large enough to keep the product busy, small enough for any machine.
const queryBlock = 2048;
const candidateBlock = 4096;

/**
 * The best candidates of each query.
 *
 * @param queries rows of `dimension` numbers, flat
 * @param candidates rows of `dimension` numbers, flat
 * @throws ArgumentError for incomplete rows, NaN or infinity
 */
export async function exactNeighbours(
  queries: Float32Array,
  candidates: Float32Array,
  options: ExactSearchOptions,
): Promise<Ranking> {
  const { dimension, metric = "cosine", answers, onProgress } = options;
  const queryCount = countRows(queries, dimension, "queries");
  const candidateCount = countRows(candidates, dimension, "candidates");
  const left = metric === "cosine" ? unitRows(queries, dimension) : queries;
  const right = metric === "cosine" ? unitRows(candidates, dimension) : candidates;
  const targets = answers && targetScores(left, right, dimension, answers);
  function* blocks(): Generator<ScoreBlock> {
    for (let from = 0; from < queryCount; from += queryBlock) {
      const part = left.subarray(from * dimension, (from + queryBlock) * dimension);
      for (let first = 0; first < candidateCount; first += candidateBlock) {
        const some = right.subarray(first * dimension, (first + candidateBlock) * dimension);
        yield { queries: part, queryAt: (index) => from + index, candidates: some, first };
        const inPart = part.length / dimension;
        onProgress?.(
          from * candidateCount + inPart * (first + some.length / dimension),
          queryCount * candidateCount,
        );
      }
    }
  }
  return rankScores(queryCount, blocks(), { ...options, targets });
}

/** Score of each query's best right candidate; NaN where it has none. */
function targetScores(
  left: Float32Array,
  right: Float32Array,
  dimension: number,
  answers: readonly (readonly number[])[],
): Float64Array {
  return Float64Array.from(answers, (rows, query) => {
    const scores = rows.map((row) => dotRows(left, query, right, row, dimension));
    return scores.length === 0 ? Number.NaN : Math.max(...scores);
  });
}

/** Some queries and the candidates that all of them are compared with. */
export interface ScoreBlock {
  readonly queries: Float32Array;
  /** The number of the query in this place. */
  readonly queryAt: (place: number) => number;
  readonly candidates: Float32Array;
  /** Number of the first candidate; the others follow it. */
  readonly first: number;
  /** Places of candidates to leave out. */
  readonly hidden?: readonly number[];
}

type BlockOptions = RankingOptions &
  Pick<ExactSearchOptions, "dimension" | "signal"> & { fewProducts?: number };

/** Compares block after block and ranks; for each query, blocks come in ascending order of candidates. */
export async function rankScores(
  queryCount: number,
  blocks: Iterable<ScoreBlock> | AsyncIterable<ScoreBlock>,
  { dimension, fewProducts, signal, ...options }: BlockOptions,
): Promise<Ranking> {
  const collector = new RankingCollector(queryCount, options);
  for await (const { queries, candidates, queryAt, first, hidden = [] } of blocks) {
    signal?.throwIfAborted();
    const scores = await multiplyRows(queries, candidates, dimension, fewProducts);
    const count = candidates.length / dimension;
    for (let query = 0, start = 0; start < scores.length; query++, start += count) {
      for (const place of hidden) scores[start + place] = Number.NEGATIVE_INFINITY;
      collector.add(queryAt(query), first, scores, start, count);
    }
  }
  return collector.finish();
}

/** One session for all searches; it holds no weights. */
let shared: Promise<OrtSession> | undefined;

/**
 * Inner products of all queries [q, d] with all rows [r, d]: scores [q, r].
 * @param fewProducts up to this many products of numbers, a loop here takes less time than loading ONNX Runtime
 */
export async function multiplyRows(
  queries: Float32Array,
  rows: Float32Array,
  dimension: number,
  fewProducts = 0,
): Promise<Float32Array> {
  const [queryCount, rowCount] = [queries.length / dimension, rows.length / dimension];
  if (queries.length * rowCount <= fewProducts) {
    const scores = new Float32Array(queryCount * rowCount);
    for (let query = 0, place = 0; query < queryCount; query++) {
      for (let row = 0; row < rowCount; row++)
        scores[place++] = dotRows(queries, query, rows, row, dimension);
    }
    return scores;
  }
  shared ??= createOrtSession(productGraph(), { threads: availableParallelism() });
  const session = await shared;
  // Copies: ONNX Runtime refuses memory that threads share.
  const outputs = await session.run({
    queries: { type: "float32", dims: [queryCount, dimension], data: queries.slice() },
    candidates: { type: "float32", dims: [rowCount, dimension], data: rows.slice() },
  });
  return outputs.scores.data as Float32Array;
}
