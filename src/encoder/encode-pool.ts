/** The threads that hold a model on one device, and how phrases are shared out over them. */
import { DeviceError } from "../errors.js";
import { startWorker, type WorkerClient } from "../runtime/worker-client.js";
import {
  type EncodeReply,
  type EncodeRequest,
  type OpenReply,
  type OpenRequest,
  type Precision,
  rowWidth,
  STOP,
} from "./encode-protocol.js";
import type { ThreadGraph } from "./graph.js";
import type { ModelFolder } from "./model-folder.js";

/** Phrases from which on more threads than the first are worth their start. */
const SPREAD_FROM = 512;
/**
 * Phrases a thread gets at a time: an eighth of all within these bounds. How many threads there are has no say, as a
 * vector's last bits hang on the batch that it travels in: one thread and many give the same.
 */
const LARGEST_SHARE = 1024;
const SMALLEST_SHARE = 256;
const SHARES = 8;
/** Memory that copies of a model in several threads may take together, in bytes. */
const COPIES_BUDGET = 1.5e9;

/** What a thread makes lives for one batch: a small young heap is collected in time and leaves memory to the model. */
const startEncoder = (): WorkerClient =>
  startWorker("./encode-worker.js", import.meta.url, undefined, { maxYoungGenerationSizeMb: 3 });

/** A model on one device: the first thread is there from the start, the others come with work for them. */
export class EncodePool {
  readonly #request: OpenRequest;
  readonly #workers: Promise<WorkerClient>[];
  readonly #limit: number;

  /** What the first thread found. */
  readonly facts: OpenReply;

  private constructor(request: OpenRequest, facts: OpenReply, first: WorkerClient, limit: number) {
    // Further threads take the device that the first one settled on.
    this.#request = { ...request, device: facts.device };
    this.#workers = [Promise.resolve(first)];
    this.#limit = limit;
    this.facts = facts;
  }

  /**
   * Opens the model in a first thread.
   * @param cores CPU threads in all. One graph to a core beats one graph over all cores, as short phrases leave
   *   little to share within an operator; a large model gets fewer copies with more threads each.
   * @throws ModelError, DeviceError
   */
  static async open(request: Omit<OpenRequest, "threads" | "graph">, cores: number): Promise<EncodePool> {
    const affordable = Math.floor(COPIES_BUDGET / (3 * request.folder.sizeBytes));
    const copies = Math.max(1, Math.min(cores, affordable));
    const worker = startEncoder();
    try {
      const { folder, device, precision } = request;
      const graph = device === "cpu" ? await sharedGraph(folder, precision) : undefined;
      const complete = { ...request, graph, threads: Math.max(1, Math.floor(cores / copies)) };
      const facts = await worker.call<OpenReply>("open", complete);
      return new EncodePool(complete, facts, worker, facts.device === "cpu" ? copies : 1);
    } catch (error) {
      await worker.terminate();
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
    const order = Int32Array.from(phrases, (_, index) => index);
    order.sort((a, b) => phrases[b].length - phrases[a].length || a - b);
    const workers = phrases.length < SPREAD_FROM ? this.#workers.slice(0, 1) : this.#allWorkers();
    const share = Math.min(LARGEST_SHARE, Math.max(SMALLEST_SHARE, Math.ceil(phrases.length / SHARES)));
    let next = 0;
    let truncated = 0;
    const work = async (pending: Promise<WorkerClient>): Promise<void> => {
      const worker = await pending;
      while (next < order.length && Atomics.load(state, STOP) === 0) {
        const some = order.subarray(next, next + share);
        next += share;
        const request: EncodeRequest = { ...settings, phrases: Array.from(some, (index) => phrases[index]) };
        const reply = await worker.call<EncodeReply>("encode", request);
        some.forEach((index, i) => {
          vectors.set(reply.vectors.subarray(i * width, (i + 1) * width), places.rows[index] * width);
        });
        truncated += reply.truncated;
      }
    };
    await Promise.all(workers.map(work));
    return { vectors, truncated };
  }

  /** Ends the threads and frees their memory. */
  async close(): Promise<void> {
    await Promise.all(this.#workers.splice(0).map(async (worker) => (await worker).terminate()));
  }

  #allWorkers(): readonly Promise<WorkerClient>[] {
    if (this.#workers.length === 0) throw new DeviceError("the encoder's threads have ended");
    while (this.#workers.length < this.#limit) {
      const worker = startEncoder();
      this.#workers.push(worker.call<OpenReply>("open", this.#request).then(() => worker));
    }
    return this.#workers;
  }
}

/** The graph of a word encoder, for all threads. What reads ONNX files is loaded for these models alone. */
async function sharedGraph(folder: ModelFolder, precision: Precision): Promise<ThreadGraph | undefined> {
  if (!folder.features.some(({ kind }) => kind === "words")) return undefined;
  const { loadWordGraph } = await import("./graph.js");
  return loadWordGraph(folder, precision);
}
