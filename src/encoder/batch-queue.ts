/** Dynamic batching: requests that wait at the same time are computed together, and a full queue refuses more. */
import { PearlError } from "../errors.js";

/** A queue that has no room for a request now. */
export class QueueFullError extends PearlError {}

export interface BatchQueueOptions<Item, Result> {
  /** Gives a result for each item, in order. The signal aborts when nobody waits for any of them. */
  readonly run: (items: readonly Item[], signal: AbortSignal) => Promise<readonly Result[]>;
  /** Items of a batch; a request with more is a batch of its own. */
  readonly batchItems: number;
  /** Items that may wait; a request with more is accepted only while none wait. */
  readonly queueItems: number;
  /** Called with the items of each batch before it runs. */
  readonly onBatch?: (items: number) => void;
}

interface Job<Item, Result> {
  readonly items: readonly Item[];
  readonly signal: AbortSignal | undefined;
  readonly resolve: (results: readonly Result[]) => void;
  readonly reject: (error: unknown) => void;
}

/** Runs one batch at a time; results must not depend on the batch they are computed in. */
export class BatchQueue<Item, Result> {
  readonly #options: BatchQueueOptions<Item, Result>;
  #waiting: Job<Item, Result>[] = [];
  #isRunning = false;

  constructor(options: BatchQueueOptions<Item, Result>) {
    this.#options = options;
  }

  /** Items that wait. */
  get length(): number {
    return this.#waiting.reduce((sum, { items }) => sum + items.length, 0);
  }

  /** @throws QueueFullError, the reason of the signal, or what `run` throws */
  add(items: readonly Item[], signal?: AbortSignal): Promise<readonly Result[]> {
    const { length } = this;
    if (length > 0 && length + items.length > this.#options.queueItems)
      return Promise.reject(new QueueFullError(`${length} items wait already. Try again in a moment.`));
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const job = { items, signal, resolve, reject };
      signal?.addEventListener("abort", () => this.#drop(job), { once: true });
      this.#waiting.push(job);
      if (!this.#isRunning) void this.#work();
    });
  }

  #drop(job: Job<Item, Result>): void {
    this.#waiting = this.#waiting.filter((other) => other !== job);
    job.reject(job.signal?.reason);
  }

  async #work(): Promise<void> {
    this.#isRunning = true;
    while (this.#waiting.length > 0) {
      // requests that arrive in the same turn of the event loop share the first batch, too
      await new Promise(setImmediate);
      const batch = this.#nextBatch();
      if (batch.length > 0) await this.#runBatch(batch);
    }
    this.#isRunning = false;
  }

  #nextBatch(): Job<Item, Result>[] {
    let [count, items] = [0, 0];
    for (const job of this.#waiting) {
      if (count > 0 && items + job.items.length > this.#options.batchItems) break;
      count++;
      items += job.items.length;
    }
    return this.#waiting.splice(0, count);
  }

  async #runBatch(batch: readonly Job<Item, Result>[]): Promise<void> {
    const abandoned = new AbortController();
    const stopIfAbandoned = (): void => {
      if (batch.every(({ signal }) => signal?.aborted)) abandoned.abort();
    };
    for (const { signal } of batch) signal?.addEventListener("abort", stopIfAbandoned, { once: true });
    const items = batch.flatMap((job) => job.items);
    this.#options.onBatch?.(items.length);
    try {
      const results = await this.#options.run(items, abandoned.signal);
      let from = 0;
      for (const job of batch) {
        job.resolve(results.slice(from, from + job.items.length));
        from += job.items.length;
      }
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }
}
