/** The workers that hold a model on one device, and how phrases are divided among them. */

import { soleArchitecture } from "../architectures/registry.js";
import { DeviceError } from "../errors.js";
import type { WorkerClient } from "../runtime/worker-client.js";
import { WorkerPool } from "../runtime/worker-pool.js";
import {
  type EncodeReply,
  type EncodeRequest,
  type OpenReply,
  type OpenRequest,
  rowWidth,
  STOP,
} from "./encode-protocol.js";

/** From this number of phrases, starting more workers than the first pays off. */
const SPREAD_FROM = 512;
/**
 * Phrases a worker gets at a time: an eighth of all, within these bounds. The number of workers does not count:
 * low-order bits depend on how a batch is composed, and one worker and many must give the same.
 */
const LARGEST_SHARE = 1024;
const SMALLEST_SHARE = 256;
const SHARES = 8;
/** Memory that copies of a model in several workers may take together, in bytes. */
const COPIES_BUDGET = 1.5e9;

/** A model on one device: the first worker is there from the start, the others start when there is work for them. */
export class EncodePool {
  readonly #pool: WorkerPool;
  readonly #limit: number;
  #isClosed = false;

  /** What the first worker found. */
  readonly facts: OpenReply;

  private constructor(pool: WorkerPool, facts: OpenReply, limit: number) {
    this.#pool = pool;
    this.#limit = limit;
    this.facts = facts;
  }

  /**
   * Opens the model in a first worker.
   * @param cores CPU threads in all. One graph per core beats one graph on all cores, since short phrases leave
   *   little to parallelise within an operator; a large model gets fewer copies with more threads each.
   * @throws ModelError, DeviceError
   */
  static async open(request: Omit<OpenRequest, "threads" | "graph">, cores: number): Promise<EncodePool> {
    const { folder, device, precision } = request;
    const affordable = Math.floor(COPIES_BUDGET / (3 * folder.sizeBytes));
    const copies = Math.max(1, Math.min(cores, affordable));
    const threads = Math.max(1, Math.floor(cores / copies));
    let facts: OpenReply | undefined;
    const graph =
      device === "cpu" ? await soleArchitecture(folder.features)?.share?.(folder, precision) : undefined;
    const pool = new WorkerPool({
      script: "./encode-worker.js",
      base: import.meta.url,
      limit: copies,
      // What a worker allocates lives for one batch: a small young heap is collected in time and saves memory.
      resourceLimits: { maxYoungGenerationSizeMb: 3 },
      async open(worker) {
        // Further workers use the device that the first one found.
        const complete = { ...request, graph, threads, device: facts?.device ?? device };
        const reply = await worker.call<OpenReply>("open", complete);
        facts ??= reply;
      },
    });
    try {
      await pool.worker(0);
      const found = facts as OpenReply | undefined;
      if (found === undefined) throw new DeviceError("the encoder's first worker did not open");
      return new EncodePool(pool, found, found.device === "cpu" ? copies : 1);
    } catch (error) {
      await pool.close();
      throw error;
    }
  }

  /**
   * Encodes distinct phrases: similar lengths together, longest first.
   * @param places `rows[i]` of `count` is the row of phrase i; the others stay zero
   * @returns rows [count, width of all parts]; incomplete when the state said stop
   */
  async encode(
    phrases: readonly string[],
    settings: Omit<EncodeRequest, "phrases">,
    places: { readonly rows: Int32Array; readonly count: number },
  ): Promise<EncodeReply> {
    const { parts, state } = settings;
    const width = rowWidth(parts);
    const vectors = new Float32Array(places.count * width);
    if (phrases.length === 0) return { vectors, truncated: 0 };
    if (this.#isClosed) throw new DeviceError("the encoder's workers have ended");
    const order = Int32Array.from(phrases, (_, index) => index);
    order.sort((a, b) => phrases[b].length - phrases[a].length || a - b);
    const share = Math.min(LARGEST_SHARE, Math.max(SMALLEST_SHARE, Math.ceil(phrases.length / SHARES)));
    function* shares(): Generator<Int32Array> {
      for (let first = 0; first < order.length && Atomics.load(state, STOP) === 0; first += share)
        yield order.subarray(first, first + share);
    }
    let truncated = 0;
    const encodeShare = async (worker: WorkerClient, some: Int32Array): Promise<void> => {
      const request: EncodeRequest = { ...settings, phrases: Array.from(some, (index) => phrases[index]) };
      const reply = await worker.call<EncodeReply>("encode", request);
      some.forEach((index, i) => {
        vectors.set(reply.vectors.subarray(i * width, (i + 1) * width), places.rows[index] * width);
      });
      truncated += reply.truncated;
    };
    await this.#pool.each(shares(), encodeShare, phrases.length < SPREAD_FROM ? 1 : this.#limit);
    return { vectors, truncated };
  }

  /** Ends the workers and frees their memory. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#pool.close();
  }
}
