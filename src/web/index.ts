/**
 * `pearl-embeddings/web`: pearl in a browser. It computes in a web worker; nothing leaves the machine.
 *
 *     const encoder = await PhraseEncoder.load();
 *     const { matches, summary } = await join(companies, suppliers, { encoder });
 */
import { type EmbeddedName, embeddedNames } from "../architectures/embedded.js";
import { ArgumentError } from "../errors.js";
import { startWorker, type WorkerClient } from "../runtime/worker-client.js";
import type {
  DedupeResult,
  Device,
  DeviceChoice,
  EncoderId,
  Hit,
  JoinOptions,
  JoinResult,
  LoadReply,
  MatchOptions,
  Progress,
} from "./calls.js";
import { columnsOf, type Row } from "./rows.js";

export { type EmbeddedName, embeddedNames as models } from "../architectures/embedded.js";
export * from "../errors.js";
export type {
  DedupeResult,
  Device,
  DeviceChoice,
  Duplicate,
  Hit,
  JoinOptions,
  JoinResult,
  Match,
  MatchOptions,
  Progress,
} from "./calls.js";
export type { Row } from "./rows.js";

/** How a call reports, and is stopped. */
export interface CallOptions {
  /** Called with the stage, and what of it is done. */
  readonly onProgress?: (progress: Progress) => void;
  /** Stops the call, which then rejects with the signal's reason. */
  readonly signal?: AbortSignal;
}

/** Options of {@link PhraseEncoder.load}. */
export interface LoadOptions extends CallOptions {
  /** Where the folders of the models lie, relative to the page. Default "models/". */
  readonly models?: string;
  /** CPU threads in all. Default: one for each core. */
  readonly threads?: number;
  /**
   * Where the model runs; default "cpu", the fastest for pearl's own models. WebGPU needs two files beside the bundle:
   * docs/web.md.
   */
  readonly device?: DeviceChoice;
}

/** Options of {@link PhraseEncoder.encode}. */
export interface EncodeOptions extends CallOptions {
  /** Scale vectors to length 1, so that their dot product is their cosine; default true. */
  readonly normalize?: boolean;
  /** Keep only the first coordinates (before scaling); default all. */
  readonly truncateDim?: number;
}

/** One worker for the page, started by its first call, and anew by the first one after it has failed. */
let worker: WorkerClient | undefined;

function livingWorker(): WorkerClient {
  if (worker === undefined || worker.ended) {
    void worker?.terminate();
    worker = startWorker("./worker.js", import.meta.url);
  }
  return worker;
}

/** The number of the next encoder or index; the page counts, as a worker must not know the ones of the worker before it. */
let nextNumber = 0;

async function ask<Result>(
  method: string,
  payload: object,
  { onProgress, signal }: CallOptions = {},
): Promise<Result> {
  signal?.throwIfAborted();
  const client = livingWorker();
  const { port1, port2 } = new MessageChannel();
  port1.addEventListener("message", (event) => onProgress?.((event as unknown as { data: Progress }).data));
  port1.start();
  const stop = (): void => port1.postMessage("stop");
  signal?.addEventListener("abort", stop, { once: true });
  try {
    const result = await client.call<Result>(method, { ...payload, port: port2 }, [port2]);
    signal?.throwIfAborted();
    return result;
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  } finally {
    signal?.removeEventListener("abort", stop);
    port1.close();
  }
}

/** A model, ready to encode phrases. */
export class PhraseEncoder {
  readonly #id: EncoderId;
  readonly model: string;
  /** Length of its vectors. */
  readonly dimension: number;
  /** The device that the model was opened on. */
  readonly device: Device;
  /** Why "auto" did not take WebGPU. */
  readonly notes: readonly string[];

  private constructor(model: string, id: EncoderId, { dimension, device, notes }: LoadReply) {
    this.#id = id;
    this.model = model;
    this.dimension = dimension;
    this.device = device;
    this.notes = notes;
  }

  /**
   * Loads a model; its weights are fetched once, then kept in the browser's Cache Storage.
   * @param model default: the first of `models`; or the address of a folder that holds a model of pearl's
   * @throws ModelError where the weights are missing or damaged, DeviceError where the device does not work
   */
  static async load(
    model: EmbeddedName | (string & {}) = embeddedNames[0],
    options: LoadOptions = {},
  ): Promise<PhraseEncoder> {
    const page = (globalThis as unknown as { readonly document: { readonly baseURI: string } }).document
      .baseURI;
    const isNamed = (embeddedNames as readonly string[]).includes(model);
    const base = isNamed ? new URL(options.models ?? "models/", page) : page;
    const address = new URL(model, base).href;
    const { threads, device = "cpu" } = options;
    const id = nextNumber++;
    const reply = await ask<LoadReply>("load", { id, address, threads, device }, options);
    return new PhraseEncoder(model, id, reply);
  }

  /** @internal */
  static idOf(encoder: PhraseEncoder): EncoderId {
    if (encoder instanceof PhraseEncoder) return encoder.#id;
    throw new ArgumentError("encoder is not a PhraseEncoder: give the result of PhraseEncoder.load()");
  }

  /** One vector of `dimension` numbers for each phrase; all share one buffer. @throws ArgumentError */
  async encode(phrases: readonly string[], options: EncodeOptions = {}): Promise<Float32Array[]> {
    const { normalize, truncateDim } = options;
    const call = { id: this.#id, phrases, options: { normalize, truncateDim } };
    const { data, dimension } = await ask<{ data: Float32Array; dimension: number }>("encode", call, options);
    return phrases.map((_, row) => data.subarray(row * dimension, (row + 1) * dimension));
  }

  /** `result[i][j]`: cosine similarity of a[i] and b[j]; 0 where one of them is empty. */
  similarity(a: readonly string[], b: readonly string[], options: CallOptions = {}): Promise<Float32Array[]> {
    return ask("similarity", { id: this.#id, a, b }, options);
  }

  /** Phrases to search: they are encoded once. */
  async index(phrases: readonly string[], options: CallOptions = {}): Promise<PhraseIndex> {
    const index = nextNumber++;
    await ask("index", { id: this.#id, index, phrases }, options);
    return new PhraseIndex(this.#id, index);
  }

  /** Equal to Node's for the same model. */
  fingerprint(): Promise<string> {
    return ask("fingerprint", { id: this.#id });
  }

  /** Frees the model's memory. */
  async dispose(): Promise<void> {
    await ask("dispose", { id: this.#id });
  }
}

/** Phrases that can be searched exactly: every query is compared with each of them. */
export class PhraseIndex {
  readonly #encoder: EncoderId;
  readonly #index: number;

  /** @internal */
  constructor(encoder: EncoderId, index: number) {
    this.#encoder = encoder;
    this.#index = index;
  }

  /** The `k` nearest phrases of each query, best first. Default k: 10. */
  search(queries: readonly string[], options: CallOptions & { readonly k?: number } = {}): Promise<Hit[][]> {
    const { k = 10 } = options;
    if (!(Number.isInteger(k) && k > 0)) throw new ArgumentError(`k must be a positive integer, not ${k}`);
    return ask("search", { id: this.#encoder, index: this.#index, phrases: queries, k }, options);
  }

  /** Frees the vectors' memory. */
  async dispose(): Promise<void> {
    await ask("dispose", { id: this.#encoder, index: this.#index });
  }
}

/**
 * Joins the right rows to the left rows that mean the same, by all columns that carry evidence, or by those named: as
 * `pearl join` does.
 * @param options.encoder "none" compares without a model
 * @throws ArgumentError for an unknown column
 */
export function join(
  left: readonly Row[],
  right: readonly Row[],
  options: JoinOptions & CallOptions & { readonly encoder: PhraseEncoder | "none" },
): Promise<JoinResult> {
  const { encoder, onProgress, signal, ...rest } = options;
  const tables = { left: columnsOf(left, "the left table"), right: columnsOf(right, "the right table") };
  const id = encoder === "none" ? encoder : PhraseEncoder.idOf(encoder);
  return ask("join", { ...tables, encoder: id, options: rest }, { onProgress, signal });
}

/** Finds rows that are the same thing, and which to keep: as `pearl dedupe` does. @throws ArgumentError for an unknown column */
export function dedupe(
  rows: readonly Row[],
  options: MatchOptions & CallOptions & { readonly encoder: PhraseEncoder },
): Promise<DedupeResult> {
  const { encoder, onProgress, signal, ...rest } = options;
  const columns = columnsOf(rows, "the table");
  return ask(
    "dedupe",
    { columns, encoder: PhraseEncoder.idOf(encoder), options: rest },
    { onProgress, signal },
  );
}
