/** Ranks many rows over all cores; few rows in the calling thread, where starting others would take longer. */
import { availableParallelism } from "node:os";
import { InterruptedError } from "../errors.js";
import { startWorker, type WorkerClient } from "../runtime/worker-client.js";
import type { NearestByEmbedding, NearRows } from "./nearest-by-embedding.js";
import { createRanker, type RankedRows, type RankPart, type RankSettings } from "./rank-rows.js";

export interface RankOptions {
  /** Per column. */
  readonly nearest: readonly NearestByEmbedding[];
  /** Default all cores. */
  readonly threads?: number;
  /** Rows that are worth another thread. Default 8192. */
  readonly rowsPerThread?: number;
  readonly signal?: AbortSignal;
  /** Called with rows ranked and all. */
  readonly onProgress?: (done: number, total: number) => void;
}

/** Rows handed to a thread at a time, at most. */
const largestPart = 2048;

/** Ranks the base rows for the given query rows, in their order. */
export async function rankRows(
  settings: RankSettings,
  queries: Uint32Array,
  { nearest, threads = availableParallelism(), rowsPerThread = 8192, signal, onProgress }: RankOptions,
): Promise<RankedRows> {
  const { keep } = settings;
  const ranked: RankedRows = {
    keep,
    rows: new Int32Array(queries.length * keep).fill(-1),
    scores: new Float32Array(queries.length * keep).fill(-Infinity),
  };
  const near: NearRows[] = [];
  for (const find of nearest) near.push(await find(queries));
  const count = Math.min(threads, Math.ceil(queries.length / rowsPerThread));
  const rowsInPart = Math.min(largestPart, rowsPerThread);
  const partAt = (first: number): RankPart => ({
    queries: queries.slice(first, first + rowsInPart),
    near: near.map(({ k, rows }) => ({ k, rows: rows.slice(first * k, (first + rowsInPart) * k) })),
  });
  let [next, done] = [0, 0];
  /** Takes parts until none is left. */
  const work = async (rank: (part: RankPart) => Promise<RankedRows>): Promise<void> => {
    while (next < queries.length) {
      if (signal?.aborted) throw new InterruptedError("the join was stopped", { cause: signal.reason });
      const first = next;
      next += rowsInPart;
      const found = await rank(partAt(first));
      ranked.rows.set(found.rows, first * keep);
      ranked.scores.set(found.scores, first * keep);
      done += found.rows.length / keep;
      onProgress?.(done, queries.length);
    }
  };
  if (count <= 1) {
    const ranker = createRanker(settings);
    await work(async (part) => {
      await new Promise(setImmediate);
      return ranker(part);
    });
    return ranked;
  }
  const workers = Array.from({ length: count }, () => startWorker("./rank-worker.js", import.meta.url));
  try {
    await Promise.all(
      workers.map(async (worker: WorkerClient) => {
        await worker.call("open", settings);
        await work((part) => worker.call("rank", part));
      }),
    );
  } finally {
    await Promise.allSettled(workers.map((worker) => worker.terminate()));
  }
  return ranked;
}
