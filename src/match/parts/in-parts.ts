/** Does work on rows or pairs part by part, in worker threads or, where it is little, in the calling thread. */
import { availableParallelism } from "../../runtime/thread.js";
import { WorkerPool } from "../../runtime/worker-pool.js";
import { once } from "../once.js";
import { openWork, type Part, type Result, type Settings, type WorkKind } from "./works.js";

export interface RunOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: (done: number, total: number) => void;
}

export interface PartOptions extends RunOptions {
  /** Default: all cores. Results do not depend on it. */
  readonly threads?: number;
  /** Rows or pairs from which a further thread is worth starting. Default 8192. */
  readonly itemsPerThread?: number;
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

/** Work of one kind, whose workers stay for further calls. */
export interface OpenParts<Kind extends WorkKind> {
  /** Starts the workers for so many rows or pairs, while the calling thread still prepares them. */
  start(total: number): void;
  /** An aborted call rejects with the reason of its signal. */
  run(work: Omit<PartedWork<Kind>, "settings">, options?: RunOptions): Promise<void>;
  /** Ends the workers; a later call starts others. */
  close(): Promise<void>;
}

/** Opens work with its settings; nothing starts before the first call. */
export function openParts<Kind extends WorkKind>(
  kind: Kind,
  settings: Settings<Kind>,
  { threads = availableParallelism(), itemsPerThread = 8192 }: Omit<PartOptions, keyof RunOptions> = {},
): OpenParts<Kind> {
  const here = once(() => openWork(kind, settings));
  const pool = new WorkerPool({
    ...{ script: "./part-worker.js", base: import.meta.url, limit: threads },
    open: (worker) => worker.call("open", { kind, settings }),
  });
  let started = 1;
  const start = (total: number): void => {
    started = Math.max(started, Math.min(threads, Math.ceil(total / itemsPerThread)));
    // A worker that fails to open says so to its first part.
    if (started > 1) for (let at = 0; at < started; at++) pool.worker(at).catch(() => {});
  };
  return {
    start,
    async run({ total, partAt, take }, { signal, onProgress } = {}) {
      start(total);
      // As many parts for each thread, so that none waits for the others at the end.
      const rounds = Math.ceil(total / (started * Math.min(largestPart, itemsPerThread)));
      const size = Math.ceil(total / (started * rounds));
      let done = 0;
      const finish = (result: Result<Kind>, from: number): void => {
        take(result, from);
        done += Math.min(size, total - from);
        onProgress?.(done, total);
      };
      const starts = startsOf(total, size, signal);
      const partFrom = (from: number): Part<Kind> => partAt(from, Math.min(total, from + size));
      if (started === 1) {
        for (const from of starts) {
          await new Promise(setImmediate);
          finish(here()(partFrom(from)), from);
        }
        return;
      }
      await pool.each(
        starts,
        async (worker, from) => finish(await worker.call("part", partFrom(from)), from),
        started,
      );
    },
    async close() {
      started = 1;
      await pool.close();
    },
  };
}

function* startsOf(total: number, size: number, signal: AbortSignal | undefined): Generator<number> {
  for (let from = 0; from < total; from += size) {
    signal?.throwIfAborted();
    yield from;
  }
}

/** Opens work, does it once, and ends its workers. */
export async function inParts<Kind extends WorkKind>(
  kind: Kind,
  { settings, ...work }: PartedWork<Kind>,
  options: PartOptions = {},
): Promise<void> {
  const parts = openParts(kind, settings, options);
  try {
    await parts.run(work, options);
  } finally {
    await parts.close();
  }
}
