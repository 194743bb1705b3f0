/** Does work on rows or pairs part by part, in worker threads or, where it is little, in the calling thread. */
import { availableParallelism } from "../../runtime/thread.js";
import { eachInWorkers, type WorkerPoolOptions } from "../../runtime/worker-pool.js";
import { openWork, type Part, type Result, type Settings, type WorkKind } from "./works.js";

export interface PartOptions {
  /** Default: all cores. Results do not depend on it. */
  readonly threads?: number;
  /** Rows or pairs from which a further thread is worth starting. Default 8192. */
  readonly itemsPerThread?: number;
  readonly signal?: AbortSignal;
  readonly onProgress?: (done: number, total: number) => void;
}

export interface PartedWork<Kind extends WorkKind> {
  readonly settings: Settings<Kind>;
  /** Rows or pairs in all. */
  readonly total: number;
  partAt(from: number, to: number): Part<Kind>;
  /** Takes the result of the part that begins there; parts come in any order. */
  take(result: Result<Kind>, from: number): void;
}

/** Rows or pairs in a part: a small fraction of a second, so that a signal stops the work soon. */
const largestPart = 2048;

/** An aborted call rejects with the reason of its signal. */
export async function inParts<Kind extends WorkKind>(
  kind: Kind,
  { settings, total, partAt, take }: PartedWork<Kind>,
  options: PartOptions = {},
): Promise<void> {
  const { threads = availableParallelism(), itemsPerThread = 8192, signal, onProgress } = options;
  const limit = Math.min(threads, Math.ceil(total / itemsPerThread));
  // As many parts for each thread, so that none waits for the others at the end.
  const rounds = Math.ceil(total / (limit * Math.min(largestPart, itemsPerThread)));
  const size = Math.ceil(total / (limit * rounds));
  let done = 0;
  const finish = (result: Result<Kind>, from: number): void => {
    take(result, from);
    done += Math.min(size, total - from);
    onProgress?.(done, total);
  };
  function* starts(): Generator<number> {
    for (let from = 0; from < total; from += size) {
      signal?.throwIfAborted();
      yield from;
    }
  }
  const partFrom = (from: number): Part<Kind> => partAt(from, Math.min(total, from + size));
  if (limit <= 1) {
    const work = openWork(kind, settings);
    for (const from of starts()) {
      await new Promise(setImmediate);
      finish(work(partFrom(from)), from);
    }
    return;
  }
  const workers: WorkerPoolOptions = {
    ...{ script: "./part-worker.js", base: import.meta.url, limit },
    open: (worker) => worker.call("open", { kind, settings }),
  };
  await eachInWorkers(workers, starts(), async (worker, from) =>
    finish(await worker.call("part", partFrom(from)), from),
  );
}
