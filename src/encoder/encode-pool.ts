/** A model in workers on one device: divides the phrases of a call among them. */
import { soleArchitecture } from "../architectures/registry.js";
import { DeviceError } from "../errors.js";
import { shared } from "../runtime/shared-array.js";
import type { WorkerClient } from "../runtime/worker-client.js";
import { WorkerPool } from "../runtime/worker-pool.js";
import {
  type EncodeReply,
  type EncodeRequest,
  FINISHED,
  type OpenReply,
  type OpenRequest,
  rowWidth,
  STOP,
} from "./encode-protocol.js";
import type { EmbeddingMatrix, EncodeOptions } from "./phrase-encoder.js";

/** From this number of phrases, starting more workers than the first pays off. */
const SPREAD_FROM = 512;
/**
 * Phrases a worker gets at a time: an eighth of all, within these bounds. The number of workers does not count:
 * low-order bits depend on how a batch is composed, and one worker and many must give the same.
 */
const LARGEST_SHARE = 1024;
const SMALLEST_SHARE = 256;
const SHARES = 8;
const PROGRESS_MILLISECONDS = 100;
/** Memory that copies of a model in several workers may take together, in bytes. */
const COPIES_BUDGET = 1.5e9;

/** A model on one device: the first worker starts at once, the others when there is work for them. */
export class EncodePool {
  readonly #pool: WorkerPool;
  readonly #limit: number;
  #isClosed = false;

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
    const share = async () =>
      device === "cpu" ? soleArchitecture(folder.features)?.share?.(folder, precision) : undefined;
    let graph: ReturnType<typeof share> | undefined;
    const pool = new WorkerPool({
      script: "./encode-worker.js",
      base: import.meta.url,
      limit: copies,
      // What a worker allocates lives for one batch: a small young heap is collected in time and saves memory.
      resourceLimits: { maxYoungGenerationSizeMb: 3 },
      async open(worker) {
        // Read while the first worker starts, and shared by all.
        graph ??= share();
        // Further workers use the device that the first one found.
        const complete = { ...request, graph: await graph, threads, device: facts?.device ?? device };
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
   * Encodes phrases, equal ones once: similar lengths together, longest first.
   * @returns `data` holds all parts of each phrase
   * @throws the signal's reason
   */
  async encode(
    phrases: readonly string[],
    settings: Omit<EncodeRequest, "phrases" | "state">,
    { signal, onProgress }: Pick<EncodeOptions, "signal" | "onProgress">,
  ): Promise<Omit<EmbeddingMatrix, "rows" | "dimension">> {
    const { distinct, firstRows, places, empty } = distinctPhrases(phrases);
    const width = rowWidth(settings.parts);
    const data = new Float32Array(phrases.length * width); // zeros for a phrase without visible characters
    const state = shared(Int32Array, 2);
    const stop = (): void => void Atomics.store(state, STOP, 1);
    if (signal?.aborted) stop();
    signal?.addEventListener("abort", stop, { once: true });
    const report = (): void => onProgress?.(Atomics.load(state, FINISHED), distinct.length);
    const timer = onProgress && setInterval(report, PROGRESS_MILLISECONDS);
    let truncated = 0;
    const encodeShare = async (worker: WorkerClient, some: Int32Array): Promise<void> => {
      const request = { ...settings, state, phrases: Array.from(some, (place) => distinct[place]) };
      const reply = await worker.call<EncodeReply>("encode", request);
      some.forEach((place, i) => {
        data.set(reply.vectors.subarray(i * width, (i + 1) * width), firstRows[place] * width);
      });
      truncated += reply.truncated;
      // a worker that got a copy of the state could not count there
      if (state.buffer instanceof ArrayBuffer) state[FINISHED] += some.length;
    };
    try {
      if (this.#isClosed && distinct.length > 0) throw new DeviceError("the encoder's workers have ended");
      const most = distinct.length < SPREAD_FROM ? 1 : this.#limit;
      await this.#pool.each(shares(distinct, state), encodeShare, most);
    } finally {
      clearInterval(timer);
      signal?.removeEventListener("abort", stop);
    }
    signal?.throwIfAborted();
    report();
    // the caller may stop at the last report
    signal?.throwIfAborted();
    places.forEach((place, row) => {
      if (place < 0 || firstRows[place] === row) return;
      data.copyWithin(row * width, firstRows[place] * width, (firstRows[place] + 1) * width);
    });
    return { data, distinct: distinct.length, truncated, empty };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#pool.close();
  }
}

/** The phrases in shares for the workers, longest first, until the caller stops. */
function* shares(phrases: readonly string[], state: Int32Array): Generator<Int32Array> {
  const order = Int32Array.from(phrases, (_, place) => place);
  order.sort((a, b) => phrases[b].length - phrases[a].length || a - b);
  const share = Math.min(LARGEST_SHARE, Math.max(SMALLEST_SHARE, Math.ceil(phrases.length / SHARES)));
  for (let first = 0; first < order.length && Atomics.load(state, STOP) === 0; first += share)
    yield order.subarray(first, first + share);
}

/** The distinct phrases with visible characters, the first row of each, and each row's place among them (-1: empty). */
function distinctPhrases(phrases: readonly string[]) {
  const known = new Map<string, number>();
  const firstRows: number[] = [];
  let empty = 0;
  const places = Int32Array.from(phrases, (phrase, row) => {
    const place = known.get(phrase);
    if (place !== undefined) return place;
    if (phrase.trim() === "") {
      empty++;
      return -1;
    }
    known.set(phrase, known.size);
    return firstRows.push(row) - 1;
  });
  return { distinct: [...known.keys()], firstRows, places, empty };
}
