/** Does work on ranges of rows or pairs: in worker threads or, where they are few, in the calling thread. */
import type { Range } from "../../files/shards/shard.js";
import { availableParallelism } from "../../runtime/thread.js";
import { WorkerPool } from "../../runtime/worker-pool.js";
import { openSearch } from "../candidates/term-search.js";
import { openComparison } from "../evidence/pair-evidence.js";
import { once } from "../once.js";
import { createRanker } from "../rank-rows.js";

/** Each kind of work is opened with its settings, and then does one range of its items after the other. */
const works = { search: openSearch, compare: openComparison, rank: createRanker };

export type WorkKind = keyof typeof works;
export type Settings<Kind extends WorkKind> = Parameters<(typeof works)[Kind]>[0];
export type Items<Kind extends WorkKind> = Parameters<ReturnType<(typeof works)[Kind]>>[0];
export type Result<Kind extends WorkKind> = ReturnType<ReturnType<(typeof works)[Kind]>>;
type Work<Kind extends WorkKind> = (items: Items<Kind>) => Result<Kind>;

export function openWork<Kind extends WorkKind>(kind: Kind, settings: Settings<Kind>): Work<Kind> {
  const open = works[kind] as unknown as (settings: Settings<Kind>) => Work<Kind>;
  return open(settings);
}

export interface RunOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: (done: number, total: number) => void;
}

export interface RangeOptions extends RunOptions {
  /** Default: all cores. Results do not depend on it. */
  readonly threads?: number;
  /** Rows or pairs from which a further thread is worth starting. Default 8192. */
  readonly itemsPerThread?: number;
}

export interface RangedWork<Kind extends WorkKind> {
  readonly settings: Settings<Kind>;
  /** Rows or pairs in all. */
  readonly total: number;
  /** What the work on a range is given. */
  itemsIn(range: Range): Items<Kind>;
  /** Takes the result of a range; ranges come in any order. */
  take(result: Result<Kind>, range: Range): void;
}

/** Rows or pairs in a range: a small fraction of a second, so that a signal stops the work soon. */
const longestRange = 2048;

/** Work of one kind, whose workers stay for further calls. */
export interface OpenRanges<Kind extends WorkKind> {
  /** Starts the workers for so many rows or pairs, while the calling thread still prepares them. */
  start(total: number): void;
  /** An aborted call rejects with the reason of its signal. */
  run(work: Omit<RangedWork<Kind>, "settings">, options?: RunOptions): Promise<void>;
  /** Ends the workers; a later call starts others. */
  close(): Promise<void>;
}

/** Opens work with its settings; nothing starts before the first call. */
export function openRanges<Kind extends WorkKind>(
  kind: Kind,
  settings: Settings<Kind>,
  { threads = availableParallelism(), itemsPerThread = 8192 }: Omit<RangeOptions, keyof RunOptions> = {},
): OpenRanges<Kind> {
  const here = once(() => openWork(kind, settings));
  const pool = new WorkerPool({
    ...{ script: "./range-worker.js", base: import.meta.url, limit: threads },
    open: (worker) => worker.call("open", { kind, settings }),
  });
  let started = 1;
  const start = (total: number): void => {
    started = Math.max(started, Math.min(threads, Math.ceil(total / itemsPerThread)));
    // A worker that fails to open says so to its first range.
    if (started > 1) for (let at = 0; at < started; at++) pool.worker(at).catch(() => {});
  };
  return {
    start,
    async run({ total, itemsIn, take }, { signal, onProgress } = {}) {
      start(total);
      // As many ranges for each thread, so that none waits for the others at the end.
      const rounds = Math.ceil(total / (started * Math.min(longestRange, itemsPerThread)));
      const ranges = rangesOf(total, Math.ceil(total / (started * rounds)), signal);
      let done = 0;
      const finish = (result: Result<Kind>, range: Range): void => {
        take(result, range);
        done += range.to - range.from;
        onProgress?.(done, total);
      };
      if (started === 1) {
        for (const range of ranges) {
          await new Promise(setImmediate);
          finish(here()(itemsIn(range)), range);
        }
        return;
      }
      await pool.each(
        ranges,
        async (worker, range) => finish(await worker.call("work", itemsIn(range)), range),
        started,
      );
    },
    async close() {
      started = 1;
      await pool.close();
    },
  };
}

function* rangesOf(total: number, size: number, signal: AbortSignal | undefined): Generator<Range> {
  for (let from = 0; from < total; from += size) {
    signal?.throwIfAborted();
    yield { from, to: Math.min(total, from + size) };
  }
}

/** Opens work, does it once, and ends its workers. */
export async function inRanges<Kind extends WorkKind>(
  kind: Kind,
  { settings, ...work }: RangedWork<Kind>,
  options: RangeOptions = {},
): Promise<void> {
  const ranges = openRanges(kind, settings, options);
  try {
    await ranges.run(work, options);
  } finally {
    await ranges.close();
  }
}
