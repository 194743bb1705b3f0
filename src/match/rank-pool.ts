/** Ranks rows in worker threads, or in the calling thread if there are too few rows to be worth starting workers. */
import { availableParallelism } from "node:os";
import { eachInWorkers, type WorkerPoolOptions } from "../runtime/worker-pool.js";
import { nearestByEmbedding } from "./candidates/nearest-by-embedding.js";
import { createRanker, type RankedRows, type RankPart, type RankSettings } from "./rank-rows.js";

export interface RankOptions {
  readonly threads?: number;
  /** Rows per worker. Default 8192. */
  readonly rowsPerThread?: number;
  readonly signal?: AbortSignal;
  readonly onProgress?: (done: number, total: number) => void;
}

/** Maximum rows sent to a worker at a time. */
const largestPart = 2048;

/** Ranks the base rows for each of the query rows, in the order of `queries`. */
export async function rankRows(
  settings: RankSettings,
  queries: Uint32Array,
  { threads = availableParallelism(), rowsPerThread = 8192, signal, onProgress }: RankOptions,
): Promise<RankedRows> {
  const { keep, column, sameTable } = settings;
  const ranked: RankedRows = {
    keep,
    rows: new Int32Array(queries.length * keep),
    scores: new Float32Array(queries.length * keep),
  };
  const k = settings.candidates + (sameTable ? 1 : 0);
  const { k: width, rows } = await nearestByEmbedding(column, queries, { k, signal });
  const rowsInPart = Math.min(largestPart, rowsPerThread);
  const partAt = (first: number): RankPart => ({
    queries: queries.slice(first, first + rowsInPart),
    near: { k: width, rows: rows.slice(first * width, (first + rowsInPart) * width) },
  });
  let done = 0;
  function* starts(): Generator<number> {
    for (let first = 0; first < queries.length; first += rowsInPart) {
      signal?.throwIfAborted();
      yield first;
    }
  }
  const take = (first: number, found: RankedRows): void => {
    ranked.rows.set(found.rows, first * keep);
    ranked.scores.set(found.scores, first * keep);
    done += found.rows.length / keep;
    onProgress?.(done, queries.length);
  };
  const limit = Math.min(threads, Math.ceil(queries.length / rowsPerThread));
  if (limit <= 1) {
    const rank = createRanker(settings);
    for (const first of starts()) {
      await new Promise(setImmediate);
      take(first, rank(partAt(first)));
    }
    return ranked;
  }
  const workers: WorkerPoolOptions = {
    ...{ script: "./rank-worker.js", base: import.meta.url, limit },
    open: (worker) => worker.call("open", settings),
  };
  await eachInWorkers(workers, starts(), async (worker, first) =>
    take(first, await worker.call("rank", partAt(first))),
  );
  return ranked;
}
