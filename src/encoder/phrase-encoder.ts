/** PhraseEncoder: loads a model and turns phrases into vectors, in threads of its own. */
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { availableParallelism } from "node:os";
import { pipeline } from "node:stream/promises";
import { ArgumentError, InterruptedError } from "../errors.js";
import type { Device, DeviceChoice } from "../runtime/device.js";
import { startWorker, type WorkerClient } from "../runtime/worker-client.js";
import {
  type EncodeReply,
  type EncodeRequest,
  FINISHED,
  type OpenReply,
  type OpenRequest,
  type Precision,
  STOP,
} from "./encode-protocol.js";
import type { DownloadProgress } from "./hub.js";
import { locateModel } from "./locate.js";
import { type ModelFolder, readModelFolder } from "./model-folder.js";

export interface LoadOptions {
  /** Where the graph runs; default "cpu". "auto" takes the fastest device that works. */
  readonly device?: DeviceChoice;
  /** CPU threads in all; default all that this process may use. */
  readonly threads?: number;
  /** "int8" uses the folder's quantised graph, or quantises the weights while loading; default "full". */
  readonly precision?: Precision;
  /** Revision of a hub model: a branch, tag or commit; default "main". */
  readonly revision?: string;
  /** Told about a download of the model, some times a second. */
  readonly onDownload?: (progress: DownloadProgress) => void;
  /** Stops a download. */
  readonly signal?: AbortSignal;
}

export interface EncodeOptions {
  /** Phrases in one run of the graph at most; default: as many as the device's caches like. */
  readonly batchSize?: number;
  /** Scale vectors to length 1, so that their dot product is their cosine; default true. */
  readonly normalize?: boolean;
  /** Text put before every phrase, such as "query: "; default none, as PEARL uses E5. */
  readonly prompt?: string;
  /** Keep only the first coordinates (before scaling); default all. */
  readonly truncateDim?: number;
  /** Called a few times a second with the phrases finished and in all. */
  readonly onProgress?: (finished: number, total: number) => void;
  /** Stops between two batches; the call then rejects with InterruptedError. */
  readonly signal?: AbortSignal;
}

/** Vectors of many phrases in one array, with what was noticed on the way. */
export interface EmbeddingMatrix {
  /** [rows, dimension], row-major, in the phrases' order. */
  readonly data: Float32Array;
  readonly rows: number;
  readonly dimension: number;
  /** Distinct phrases: each is encoded once. */
  readonly distinct: number;
  /** Distinct phrases that were longer than the model reads, and were cut. */
  readonly truncated: number;
  /** Rows without any visible character: their vector is all zeros. */
  readonly empty: number;
}

/** One phrase's vector: `encoder.dimension` coordinates, unit length unless asked otherwise. */
export type Embedding = Float32Array;

/** Phrases from which on more threads than the first are worth their start. */
const SPREAD_FROM = 512;
/** Phrases a thread gets at a time. */
const LARGEST_SHARE = 4096;
const SMALLEST_SHARE = 256;
/** Memory that copies of a model in several threads may take together, in bytes. */
const COPIES_BUDGET = 1.5e9;
const PROGRESS_MILLISECONDS = 100;

/**
 * A phrase encoder.
 *
 *     const encoder = await PhraseEncoder.load();
 *     const [a, b] = await encoder.encode(["NYTimes", "The New York Times"]);
 *     await encoder.dispose();
 */
export class PhraseEncoder {
  readonly #open: OpenRequest;
  readonly #workers: Promise<WorkerClient>[];
  readonly #limit: number;
  #fingerprint: Promise<string> | undefined;
  #disposed = false;

  /** What the model's files say. */
  readonly model: ModelFolder;
  /** Length of the model's vectors. */
  readonly dimension: number;
  /** The device in use. */
  readonly device: Device;
  /** Why faster devices were passed over, one line each. */
  readonly notes: readonly string[];

  private constructor(open: OpenRequest, reply: OpenReply, first: WorkerClient, limit: number) {
    this.#open = { ...open, device: reply.device };
    this.#workers = [Promise.resolve(first)];
    this.#limit = limit;
    this.model = open.folder;
    this.dimension = reply.dimension;
    this.device = reply.device;
    this.notes = reply.notes;
  }

  /**
   * Loads a model.
   * @param model a folder, a hub id such as "intfloat/e5-small-v2" (downloaded once, then cached), or
   *   nothing for the embedded model
   * @throws ModelError, DeviceError
   */
  static async load(model?: string, options: LoadOptions = {}): Promise<PhraseEncoder> {
    const folder = await readModelFolder(await locateModel(model, options));
    const cores = options.threads ?? availableParallelism();
    if (!(Number.isInteger(cores) && cores > 0))
      throw new ArgumentError(`threads must be a positive integer`);
    const device = options.device ?? "cpu";
    const chosen =
      device === "auto" && folder.preferredDevice !== undefined ? folder.preferredDevice : device;
    // One graph per core beats one graph over all cores: short phrases leave little to share within an operator.
    const copies = Math.max(1, Math.min(cores, Math.floor(COPIES_BUDGET / (3 * folder.sizeBytes))));
    const open: OpenRequest = {
      folder,
      device: chosen,
      threads: Math.max(1, Math.floor(cores / copies)),
      precision: options.precision ?? "full",
    };
    const worker = startWorker("./encode-worker.js", import.meta.url);
    try {
      const reply = await worker.call<OpenReply>("open", open);
      return new PhraseEncoder(open, reply, worker, reply.device === "cpu" ? copies : 1);
    } catch (error) {
      await worker.terminate();
      throw error;
    }
  }

  /**
   * Encodes phrases, in order.
   * Equal phrases are encoded once; a phrase's vector does not depend on the others. A phrase without any
   * visible character gets the zero vector, which is similar to nothing.
   * @returns one vector per phrase; all share one buffer
   * @throws ArgumentError, InterruptedError
   */
  async encode(phrases: readonly string[], options: EncodeOptions = {}): Promise<Embedding[]> {
    const { data, dimension } = await this.encodeMatrix(phrases, options);
    return phrases.map((_, row) => data.subarray(row * dimension, (row + 1) * dimension));
  }

  /** Like encode, with all vectors in one array: for many phrases. */
  async encodeMatrix(phrases: readonly string[], options: EncodeOptions = {}): Promise<EmbeddingMatrix> {
    const dimension = this.#checkedDimension(phrases, options);
    const { distinct, positions, empty } = distinctPhrases(phrases);
    const state = new Int32Array(new SharedArrayBuffer(8));
    const settings = {
      prompt: options.prompt ?? "",
      dimension,
      length: options.normalize === false ? "raw" : "unit",
      batchSize: options.batchSize,
      state,
    } as const;
    const data = new Float32Array(phrases.length * dimension);
    const stop = (): void => void Atomics.store(state, STOP, 1);
    if (options.signal?.aborted) stop();
    options.signal?.addEventListener("abort", stop, { once: true });
    const report = (): void => options.onProgress?.(Atomics.load(state, FINISHED), distinct.length);
    const timer = options.onProgress && setInterval(report, PROGRESS_MILLISECONDS);
    let vectors: Float32Array;
    let truncated: number;
    try {
      ({ vectors, truncated } = await this.#spread(distinct, settings));
    } finally {
      clearInterval(timer);
      options.signal?.removeEventListener("abort", stop);
    }
    if (options.signal?.aborted)
      throw new InterruptedError("encoding was stopped", { cause: options.signal.reason });
    report();
    positions.forEach((position, row) => {
      if (position < 0) return;
      data.set(vectors.subarray(position * dimension, (position + 1) * dimension), row * dimension);
    });
    return { data, rows: phrases.length, dimension, distinct: distinct.length, truncated, empty };
  }

  /**
   * Cosine similarity of every phrase of `a` with every phrase of `b`.
   * @returns `result[i][j]` for a[i] and b[j]; 0 where one of them is empty
   */
  async similarity(
    a: readonly string[],
    b: readonly string[],
    options: EncodeOptions = {},
  ): Promise<Float32Array[]> {
    const vectors = await this.encode([...a, ...b], { ...options, normalize: true });
    const left = vectors.slice(0, a.length);
    const right = vectors.slice(a.length);
    return left.map((x) =>
      Float32Array.from(right, (y) => x.reduce((sum, value, i) => sum + value * y[i], 0)),
    );
  }

  /** SHA-256 over the graph and the tokenizer, 16 hexadecimal digits: tells two models apart. */
  fingerprint(): Promise<string> {
    this.#fingerprint ??= hashFiles(
      [this.model.graph, `${this.model.path}/tokenizer.json`],
      this.#open.precision,
    );
    return this.#fingerprint;
  }

  /** Ends the threads and frees their memory. */
  async dispose(): Promise<void> {
    this.#disposed = true;
    await Promise.all(this.#workers.splice(0).map(async (worker) => (await worker).terminate()));
  }

  #checkedDimension(phrases: readonly string[], { truncateDim, batchSize }: EncodeOptions): number {
    if (this.#disposed) throw new ArgumentError("this encoder was disposed; load it again");
    if (!Array.isArray(phrases)) throw new ArgumentError("encode takes an array of strings");
    const odd = phrases.findIndex((phrase) => typeof phrase !== "string");
    if (odd >= 0) throw new ArgumentError(`phrase ${odd} is ${typeof phrases[odd]}, not a string`);
    if (batchSize !== undefined && !(Number.isInteger(batchSize) && batchSize > 0)) {
      throw new ArgumentError(`batchSize must be a positive integer, not ${batchSize}`);
    }
    if (truncateDim === undefined) return this.dimension;
    if (Number.isInteger(truncateDim) && truncateDim > 0 && truncateDim <= this.dimension) return truncateDim;
    throw new ArgumentError(`truncateDim must be between 1 and ${this.dimension}, not ${truncateDim}`);
  }

  /** Shares the phrases out over the threads: similar lengths together, longest first. */
  async #spread(
    phrases: readonly string[],
    settings: Omit<EncodeRequest, "phrases">,
  ): Promise<{ vectors: Float32Array; truncated: number }> {
    const { dimension } = settings;
    const vectors = new Float32Array(phrases.length * dimension);
    if (phrases.length === 0) return { vectors, truncated: 0 };
    const order = Int32Array.from(phrases, (_, index) => index);
    order.sort((a, b) => phrases[b].length - phrases[a].length || a - b);
    const workers = phrases.length < SPREAD_FROM ? this.#workers.slice(0, 1) : this.#allWorkers();
    const even = Math.ceil(phrases.length / workers.length / 4);
    const share = Math.min(LARGEST_SHARE, Math.max(SMALLEST_SHARE, even));
    let next = 0;
    let truncated = 0;
    const work = async (pending: Promise<WorkerClient>): Promise<void> => {
      const worker = await pending;
      while (next < order.length && Atomics.load(settings.state, STOP) === 0) {
        const rows = order.subarray(next, next + share);
        next += share;
        const request: EncodeRequest = { ...settings, phrases: Array.from(rows, (row) => phrases[row]) };
        const reply = await worker.call<EncodeReply>("encode", request);
        rows.forEach((row, i) => {
          vectors.set(reply.vectors.subarray(i * dimension, (i + 1) * dimension), row * dimension);
        });
        truncated += reply.truncated;
      }
    };
    await Promise.all(workers.map(work));
    return { vectors, truncated };
  }

  #allWorkers(): readonly Promise<WorkerClient>[] {
    while (this.#workers.length < this.#limit) {
      const worker = startWorker("./encode-worker.js", import.meta.url);
      this.#workers.push(worker.call<OpenReply>("open", this.#open).then(() => worker));
    }
    return this.#workers;
  }
}

/** The distinct non-empty phrases, and for each row its place among them (-1: empty). */
function distinctPhrases(phrases: readonly string[]): {
  distinct: string[];
  positions: Int32Array;
  empty: number;
} {
  const places = new Map<string, number>();
  const positions = new Int32Array(phrases.length);
  let empty = 0;
  phrases.forEach((phrase, row) => {
    let place = places.get(phrase);
    if (place === undefined) {
      place = phrase.trim() === "" ? -1 : places.size;
      if (place >= 0) places.set(phrase, place);
    }
    if (place < 0) empty++;
    positions[row] = place;
  });
  return { distinct: [...places.keys()], positions, empty };
}

async function hashFiles(paths: readonly string[], salt: string): Promise<string> {
  const hash = createHash("sha256").update(salt);
  for (const path of paths) {
    await pipeline(createReadStream(path), hash, { end: false }).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOENT") throw error;
    });
  }
  return hash.digest("hex").slice(0, 16);
}
