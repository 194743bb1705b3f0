/** Exact nearest neighbours: every query against every candidate, as blocks of a matrix product on ONNX Runtime. */
import { availableParallelism } from "node:os";
import { GraphBuilder } from "../onnx/builder.js";
import { encodeModel } from "../onnx/io/file.js";
import { createSession, type Session } from "../runtime/session.js";
import { type Ranking, RankingCollector } from "./ranking.js";
import { countRows, dotRows, unitRows } from "./vectors.js";

/** How queries and candidates are compared. */
export type Metric = "cosine" | "inner-product";

/** Settings of an exact search. */
export interface ExactSearchOptions {
  /** Numbers per row of both arrays. */
  readonly dimension: number;
  /** How many neighbours per query. Default 1. */
  readonly k?: number;
  /** Default cosine; a zero vector's cosine with anything is 0. */
  readonly metric?: Metric;
  /** Scores that differ by no more than this are tied. Default 1e-6. */
  readonly tolerance?: number;
  /** List every candidate tied with the best one. Default false. */
  readonly ties?: boolean;
  /** Per query the candidates that are right: the ranking then counts those above and level with the best of them. */
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
 * @throws ArgumentError for broken rows, NaN or infinity
 */
export async function exactNeighbours(
  queries: Float32Array,
  candidates: Float32Array,
  options: ExactSearchOptions,
): Promise<Ranking> {
  const { dimension, metric = "cosine", answers } = options;
  const queryCount = countRows(queries, dimension, "queries");
  const candidateCount = countRows(candidates, dimension, "candidates");
  const left = metric === "cosine" ? unitRows(queries, dimension) : queries;
  const right = metric === "cosine" ? unitRows(candidates, dimension) : candidates;
  const targets = answers && targetScores(left, right, dimension, answers);
  const collector = new RankingCollector(queryCount, { ...options, targets });
  const session = await sharedProduct();
  const blocks = blockPairs(queryCount, candidateCount);
  let done = 0;
  const start = (block: Block): Promise<Float32Array> => {
    options.signal?.throwIfAborted();
    return product(session, left, right, dimension, block);
  };
  let pending = blocks.length > 0 ? start(blocks[0]) : undefined;
  for (let index = 0; index < blocks.length; index++) {
    const block = blocks[index];
    const scores = await pending!;
    // The next product runs in its thread while this block is looked through here.
    pending = index + 1 < blocks.length ? start(blocks[index + 1]) : undefined;
    for (let row = 0; row < block.queries; row++) {
      collector.add(
        block.firstQuery + row,
        block.firstCandidate,
        scores,
        row * block.candidates,
        block.candidates,
      );
    }
    done += block.queries * block.candidates;
    options.onProgress?.(done, queryCount * candidateCount);
  }
  return collector.finish();
}

/** Score of each query's best right candidate; NaN where it has none. */
function targetScores(
  left: Float32Array,
  right: Float32Array,
  dimension: number,
  answers: readonly (readonly number[])[],
): Float64Array {
  return Float64Array.from(answers, (rows, query) => {
    let best = Number.NaN;
    for (const row of rows) {
      const score = dotRows(left, query, right, row, dimension);
      if (!(best >= score)) best = score;
    }
    return best;
  });
}

/** A rectangle of the score matrix. */
interface Block {
  readonly firstQuery: number;
  readonly queries: number;
  readonly firstCandidate: number;
  readonly candidates: number;
}

/** The rectangles in the order in which they are computed; candidates ascend for each query. */
function blockPairs(queryCount: number, candidateCount: number): Block[] {
  const blocks: Block[] = [];
  for (let firstQuery = 0; firstQuery < queryCount; firstQuery += queryBlock) {
    for (let firstCandidate = 0; firstCandidate < candidateCount; firstCandidate += candidateBlock) {
      blocks.push({
        firstQuery,
        queries: Math.min(queryBlock, queryCount - firstQuery),
        firstCandidate,
        candidates: Math.min(candidateBlock, candidateCount - firstCandidate),
      });
    }
  }
  return blocks;
}

async function product(
  session: Session,
  left: Float32Array,
  right: Float32Array,
  dimension: number,
  { firstQuery, queries, firstCandidate, candidates }: Block,
): Promise<Float32Array> {
  const outputs = await session.run({
    queries: rowsOf(left, firstQuery, queries, dimension),
    candidates: rowsOf(right, firstCandidate, candidates, dimension),
  });
  return outputs.scores.data as Float32Array;
}

/** A copy of some rows as a tensor: a view would carry its whole buffer to the thread. */
function rowsOf(rows: Float32Array, first: number, count: number, dimension: number) {
  const data = rows.slice(first * dimension, (first + count) * dimension);
  return { type: "float32", dims: [count, dimension], data } as const;
}

/** Inner products of all queries [q, d] with all rows [r, d]: scores [q, r]. */
export async function multiplyRows(
  queries: Float32Array,
  rows: Float32Array,
  dimension: number,
): Promise<Float32Array> {
  const block = {
    firstQuery: 0,
    queries: queries.length / dimension,
    firstCandidate: 0,
    candidates: rows.length / dimension,
  };
  return product(await sharedProduct(), queries, rows, dimension, block);
}

let shared: Promise<Session> | undefined;

/** One session for all searches: it holds no weights, and its idle thread does not keep the program alive. */
function sharedProduct(): Promise<Session> {
  if (shared === undefined) {
    shared = createSession(encodeModel(productGraph()), { threads: availableParallelism() });
    shared.catch(() => {
      shared = undefined;
    });
  }
  return shared;
}

/** queries [q, d] × candidatesᵀ [d, c] → scores [q, c]. */
function productGraph() {
  const graph = new GraphBuilder({ name: "exact-search" });
  const queries = graph.input("queries", "float32", ["queries", "dimension"]);
  const candidates = graph.input("candidates", "float32", ["candidates", "dimension"]);
  const scores = graph.add("Gemm", [queries, candidates], { transB: 1 });
  graph.output("scores", scores, "float32", ["queries", "candidates"]);
  return graph.model();
}
