/** Several workers of one script that share the items of a piece of work. */
import type { ResourceLimits } from "node:worker_threads";
import { startWorker, type WorkerClient } from "./worker-client.js";

export interface WorkerPoolOptions {
  /** The compiled script, relative to `base`. */
  readonly script: string;
  /** The caller's `import.meta.url`. */
  readonly base: string;
  readonly limit: number;
  /** Prepares a new worker, before its first item. */
  readonly open?: (worker: WorkerClient, index: number) => Promise<unknown>;
  readonly resourceLimits?: ResourceLimits;
}

interface OpenedWorker {
  readonly worker: WorkerClient;
  readonly ready: Promise<WorkerClient>;
}

/** Starts workers when there is work for them, keeps them for more, and ends them one after another. */
export class WorkerPool {
  readonly #options: WorkerPoolOptions;
  readonly #clients = new Set<WorkerClient>();
  readonly #opened: OpenedWorker[] = [];

  constructor(options: WorkerPoolOptions) {
    this.#options = options;
  }

  /** The worker of this index, started and opened by the first call, and by the next one after it failed to open or ended. */
  worker(index: number): Promise<WorkerClient> {
    const last = this.#opened[index];
    if (last?.worker.ended === false) return last.ready;
    if (last !== undefined) void this.#end(last.worker);
    const opened = this.#open(index);
    this.#opened[index] = opened;
    return opened.ready;
  }

  /**
   * Hands each item to the next free worker; an item is taken from `items` only when a worker is free for it.
   * @param most workers to use, default the pool's limit; never more are started than there are items
   * @throws the first error of `items` or `work`, after the work in progress has ended
   */
  async each<Item>(
    items: Iterable<Item> | AsyncIterable<Item>,
    work: (worker: WorkerClient, item: Item) => Promise<void>,
    most = this.#options.limit,
  ): Promise<void> {
    const iterator = inTurn(items);
    let failure: { readonly error: unknown } | undefined;
    const takeItems = async (_: unknown, index: number): Promise<void> => {
      try {
        for (let item = await iterator.next(); !item.done; item = await iterator.next())
          await work(await this.worker(index), item.value);
      } catch (error) {
        failure ??= { error };
        await iterator.return();
      }
    };
    await Promise.all(Array.from({ length: most }, takeItems));
    if (failure !== undefined) throw failure.error;
  }

  /** Ends the workers, each once it is open; other calls in progress are rejected. */
  async close(): Promise<void> {
    await Promise.allSettled(this.#opened.splice(0).map(({ ready }) => ready));
    const clients = [...this.#clients];
    this.#clients.clear();
    await Promise.all(clients.map((worker) => worker.terminate()));
  }

  #open(index: number): OpenedWorker {
    const { script, base, open, resourceLimits } = this.#options;
    const worker = startWorker(script, base, resourceLimits);
    this.#clients.add(worker);
    const ready = (async () => {
      await open?.(worker, index);
      return worker;
    })();
    const opened = { worker, ready };
    ready.catch(() => {
      if (this.#opened[index] === opened) delete this.#opened[index];
      return this.#end(worker);
    });
    return opened;
  }

  async #end(worker: WorkerClient): Promise<void> {
    await worker.terminate();
    this.#clients.delete(worker);
  }
}

/** Items for several takers: a generator answers `next` and `return` in the order they are called. */
async function* inTurn<Item>(items: Iterable<Item> | AsyncIterable<Item>): AsyncGenerator<Item, void, void> {
  yield* items;
}

/**
 * Shares items among workers that end with the work; see {@link WorkerPool.each}. An aborted signal ends them at once, and
 * the call rejects with its reason.
 */
export async function eachInWorkers<Item>(
  options: WorkerPoolOptions,
  items: Iterable<Item> | AsyncIterable<Item>,
  work: (worker: WorkerClient, item: Item) => Promise<void>,
  signal?: AbortSignal,
): Promise<void> {
  const pool = new WorkerPool(options);
  const stop = (): void => void pool.close();
  signal?.addEventListener("abort", stop);
  try {
    await pool.each(items, work);
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  } finally {
    signal?.removeEventListener("abort", stop);
    await pool.close();
  }
}
