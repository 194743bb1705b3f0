/** Exact search over stored rows, block by block, leaving deleted rows out. */
import { readSync } from "node:fs";
import { fromFloat16 } from "../../onnx/io/float16.js";
import { rankScores, type ScoreBlock } from "../exact.js";
import type { IndexWork } from "../index-types.js";
import { foundIn } from "../ranking.js";
import { dotRows, isZero } from "../vectors.js";
import type { Generation } from "./generation.js";

export interface FoundRow {
  readonly row: number;
  readonly score: number;
}

export interface Query extends IndexWork {
  /** One or several vectors, flat. */
  readonly queries: Float32Array;
  readonly k: number;
  /** The rows that are searched. Default: all that are not deleted. */
  readonly only?: ReadonlySet<number>;
}

export interface RowRange {
  readonly from: number;
  /** Rows up to here, exclusive. */
  readonly to: number;
  /** Rows to leave out, beside those that the query leaves out. */
  readonly isHidden?: (row: number) => boolean;
}

const rowsPerBlock = 4096;
const queriesPerBlock = 2048;
/** One query and a block of rows: a loop here takes less time than loading ONNX Runtime. */
const fewProducts = 2 ** 22;
/** Vectors up to this size are kept in memory between searches. */
const keptBytes = 256 * 2 ** 20;

/** Places for the best of some rows: memory grows with the rows, not with what is asked for. */
export const most = (k: number, rows: number): number => Math.max(1, Math.min(k, rows));

/** The k best rows of each query among the rows of a range, best first. */
export async function scanRows(
  generation: Generation,
  { queries, k, only, signal, onProgress }: Query,
  { from, to, isHidden = () => false }: RowRange,
): Promise<FoundRow[][]> {
  const { dimension } = generation;
  const kept = (to - from) * dimension * 4 <= keptBytes ? await generation.keepVectors(from, to) : undefined;
  async function* blocks(): AsyncGenerator<readonly [first: number, vectors: Float32Array]> {
    for (let first = from; first < to; first += rowsPerBlock) {
      const end = Math.min(first + rowsPerBlock, to);
      const [start, stop] = [(first - from) * dimension, (end - from) * dimension];
      yield [first, kept?.subarray(start, stop) ?? (await generation.readVectors(first, end - first))];
      onProgress?.(end - from, to - from);
    }
  }
  const isOut = generation.leftOut(only);
  const query = { queries, k: most(k, to - from), signal };
  return rankBlocks(blocks(), query, dimension, (row) => isOut(row) || isHidden(row));
}

/** The k best of some vectors for each query, without hidden rows and zero vectors, which are similar to nothing. */
export async function rankBlocks(
  blocks:
    | Iterable<readonly [first: number, vectors: Float32Array]>
    | AsyncIterable<readonly [number, Float32Array]>,
  { queries, k, signal }: Query,
  dimension: number,
  isHidden: (row: number) => boolean,
): Promise<FoundRow[][]> {
  async function* scores(): AsyncGenerator<ScoreBlock> {
    for await (const [first, candidates] of blocks) {
      const places = Array.from({ length: candidates.length / dimension }, (_, place) => place);
      const hidden = places.filter(
        (place) => isHidden(first + place) || isZero(candidates, place, dimension),
      );
      for (let start = 0; start * dimension < queries.length; start += queriesPerBlock) {
        const part = queries.subarray(start * dimension, (start + queriesPerBlock) * dimension);
        yield { queries: part, queryAt: (place) => start + place, candidates, first, hidden };
      }
    }
  }
  return foundIn(
    await rankScores(queries.length / dimension, scores(), { k, dimension, fewProducts, signal }),
  );
}

/**
 * The k best of each query's candidates by their stored vectors, without the hidden ones.
 * @param candidates row numbers, [queries, width]; -1 for none
 */
export function rankCandidates(
  generation: Generation,
  queries: Float32Array,
  candidates: Int32Array,
  k: number,
  isHidden: (row: number) => boolean = () => false,
): FoundRow[][] {
  const { dimension, rowBytes, precision, vectorsDescriptor } = generation;
  const bytes = new Uint8Array(rowBytes);
  const stored = precision === "float16" ? new Uint16Array(bytes.buffer) : new Float32Array(bytes.buffer);
  const count = queries.length / dimension;
  const width = candidates.length / count;
  return Array.from({ length: count }, (_, query) => {
    const found: FoundRow[] = [];
    for (const row of candidates.subarray(query * width, (query + 1) * width)) {
      if (row < 0 || isHidden(row)) continue;
      readSync(vectorsDescriptor, bytes, 0, rowBytes, row * rowBytes);
      const vector = stored instanceof Uint16Array ? fromFloat16(stored) : stored;
      found.push({ row, score: dotRows(queries, query, vector, 0, dimension) });
    }
    return bestOf(found, k);
  });
}

/** The k best, best first; the lower row first among equals. */
export function bestOf(found: readonly FoundRow[], k: number): FoundRow[] {
  return [...found].sort((left, right) => right.score - left.score || left.row - right.row).slice(0, k);
}
