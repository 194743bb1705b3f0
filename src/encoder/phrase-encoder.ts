/** PhraseEncoder: loads a model and turns phrases into vectors in worker threads. */
import { type ModelFolder, readModelFolder } from "../architectures/model-folder.js";
import { ArgumentError, ModelError } from "../errors.js";
import type { DownloadProgress } from "../hub/download.js";
import { locateModel } from "../hub/locate.js";
import type { Device, DeviceChoice } from "../runtime/device.js";
import { availableParallelism } from "../runtime/thread.js";
import { softmax } from "../statistics.js";
import { isVisible } from "../text/visible.js";
import { dotProducts } from "./batching.js";
import { deviceFor, EncodePool, type PoolRequest } from "./encode-pool.js";
import { type EncodePart, type Precision, splitRows } from "./encode-protocol.js";
import { modelFingerprint } from "./model-fingerprint.js";
import { ranked, type TypeProbability } from "./type-probabilities.js";

/** Options of {@link PhraseEncoder.load}. */
export interface LoadOptions {
  /** Where the graph runs; default "cpu". "auto" takes the fastest device that works, measured once on a machine. */
  readonly device?: DeviceChoice;
  /** CPU threads in all; default all that this process may use. */
  readonly threads?: number;
  /**
   * "int8" uses the folder's quantised graph, or quantises the weights while loading; a vector then moves by about 1e-3
   * with the phrases of its batch. "half" computes transformers in float16, for GPUs: unit vectors differ by at most 1e-3
   * per number. Default "full".
   */
  readonly precision?: Precision;
  /** Revision of a hub model: a branch, tag or commit; default "main". */
  readonly revision?: string;
  /** Called during a download of the model, several times a second. */
  readonly onDownload?: (progress: DownloadProgress) => void;
  /** Called with a line where devices were measured, one failed and encoding continues on the CPU, or pooling is not stated. */
  readonly onNote?: (note: string) => void;
  /** Stops the download; the call then rejects with the signal's reason. */
  readonly signal?: AbortSignal;
}

/** Options of {@link PhraseEncoder.encode}. */
export interface EncodeOptions {
  /** Phrases in one run of the graph at most; default: what suits the device's caches. */
  readonly batchSize?: number;
  /** Scale vectors to length 1, so that their dot product is their cosine; default true. */
  readonly normalize?: boolean;
  /** Text prepended to every phrase, such as "query: "; default: the model's own default prompt, which most have not. */
  readonly prompt?: string;
  /** In place of `prompt`: a prompt of the model by its name, such as "query". */
  readonly promptName?: string;
  /** The device of this call, default that of the model; the model is opened there too. */
  readonly device?: DeviceChoice;
  /** Keep only the first coordinates (before scaling); default all. */
  readonly truncateDim?: number;
  /** Called several times a second with the phrases finished and in all. */
  readonly onProgress?: (finished: number, total: number) => void;
  /** Stops between two batches; the call then rejects with the signal's reason. */
  readonly signal?: AbortSignal;
}

/** Vectors of many phrases in one array, with counts. */
export interface EmbeddingMatrix {
  /** [rows, dimension], row-major, in the phrases' order. */
  readonly data: Float32Array;
  readonly rows: number;
  readonly dimension: number;
  /** Distinct phrases: each is encoded once. */
  readonly distinct: number;
  /** Distinct phrases cut off because they were longer than the model reads. */
  readonly truncated: number;
  /** Rows without any visible character: their vector is all zeros. */
  readonly empty: number;
}

/** Vectors of many phrases, with the length of each. */
export interface CountedMatrix extends EmbeddingMatrix {
  /** [rows] tokens that the model reads: subwords of a transformer, words of pearl-mini. 0 for an empty phrase. */
  readonly tokens: Float32Array;
}

/** Vectors and phrase types of many phrases, from one run of the model. */
export interface TypedMatrix extends EmbeddingMatrix {
  /** [rows, `encoder.model.types.length`] probabilities in the order of the labels; zeros for an empty phrase. */
  readonly types: Float32Array;
}

/** One phrase's vector: `encoder.dimension` coordinates, of unit length by default. */
export type Embedding = Float32Array;

/** Options of {@link PhraseEncoder.types}. */
export interface TypesOptions
  extends Pick<EncodeOptions, "prompt" | "promptName" | "device" | "batchSize" | "onProgress" | "signal"> {
  /** Types given for each phrase, the most probable first; default all. */
  readonly top?: number;
}

/**
 * A phrase encoder.
 *
 *     const encoder = await PhraseEncoder.load();
 *     const [a, b] = await encoder.encode(["NYTimes", "The New York Times"]);
 *     await encoder.dispose();
 */
export class PhraseEncoder {
  readonly #options: Omit<PoolRequest, "device">;
  readonly #pools: Map<Device, Promise<EncodePool>>;
  readonly #main: EncodePool;
  #fingerprint: Promise<string> | undefined;
  #disposed = false;

  /** The model's folder: configuration, types, files. */
  readonly model: ModelFolder;
  /** Length of the model's vectors. */
  readonly dimension: number;

  private constructor(options: Omit<PoolRequest, "device">, pool: EncodePool) {
    this.#options = options;
    this.model = options.folder;
    this.dimension = pool.dimension;
    this.#main = pool;
    this.#pools = new Map([[pool.device, Promise.resolve(pool)]]);
  }

  /** The device in use: the CPU after another one has failed. */
  get device(): Device {
    return this.#main.device;
  }

  /** Why faster devices were not used, one line each. */
  get notes(): readonly string[] {
    return this.#main.notes;
  }

  /**
   * Loads a model.
   * @param model a folder, a hub id such as "intfloat/e5-small-v2" (downloaded once, then cached), or
   *   nothing for the embedded model
   * @throws ModelError, DeviceError
   */
  static async load(model?: string, options: LoadOptions = {}): Promise<PhraseEncoder> {
    const cores = options.threads ?? availableParallelism();
    if (!(Number.isInteger(cores) && cores > 0))
      throw new ArgumentError(`threads must be a positive integer, not ${cores}`);
    const { device = "cpu", precision = "full", signal, onNote } = options;
    signal?.throwIfAborted();
    const folder = await readModelFolder(await locateModel(model, options));
    if (folder.isPoolingAssumed)
      onNote?.(`${folder.name}: 1_Pooling/config.json is missing, so token vectors are pooled by their mean`);
    const loaded = { folder, precision, cores, onNote };
    const pool = await EncodePool.open({ ...loaded, device });
    if (signal?.aborted) {
      await pool.close();
      throw signal.reason;
    }
    return new PhraseEncoder(loaded, pool);
  }

  /**
   * Encodes phrases, in order.
   * Equal phrases are encoded once; a phrase's vector does not depend on the others, beyond 1e-5, but with int8. A
   * phrase without any visible character gets the zero vector, which is similar to nothing.
   * @returns one vector per phrase; all share one buffer
   * @throws ArgumentError
   */
  async encode(phrases: readonly string[], options: EncodeOptions = {}): Promise<Embedding[]> {
    const { data, dimension } = await this.encodeMatrix(phrases, options);
    return phrases.map((_, row) => data.subarray(row * dimension, (row + 1) * dimension));
  }

  /** Like encode, with all vectors in one array: for many phrases. */
  async encodeMatrix(phrases: readonly string[], options: EncodeOptions = {}): Promise<EmbeddingMatrix> {
    const part = this.#embeddingPart(phrases, options);
    const encoded = await this.#run(phrases, options, [part]);
    return { rows: phrases.length, dimension: part.dimension, ...encoded };
  }

  /**
   * Like encodeMatrix, with the probability of each phrase type, from the same run.
   * @throws ModelError where the model has no type head, ArgumentError
   */
  async encodeWithTypes(phrases: readonly string[], options: EncodeOptions = {}): Promise<TypedMatrix> {
    const { rest, ...matrix } = await this.#vectorsWith(this.#typesPart(), phrases, options);
    const labels = this.model.types.length;
    const types = new Float32Array(rest.length);
    phrases.forEach((phrase, row) => {
      if (!isVisible(phrase)) return;
      types.set(softmax(rest.subarray(row * labels, (row + 1) * labels)), row * labels);
    });
    return { ...matrix, types };
  }

  /** Like encodeMatrix, with the number of tokens of each phrase. @throws ArgumentError */
  async encodeWithTokens(phrases: readonly string[], options: EncodeOptions = {}): Promise<CountedMatrix> {
    const part: EncodePart = { output: "tokens", dimension: 1, length: "raw" };
    const { rest: tokens, ...matrix } = await this.#vectorsWith(part, phrases, options);
    return { ...matrix, tokens };
  }

  /**
   * What kind of thing each phrase names, by the model's type head.
   * @returns for each phrase its types with their probabilities, the most probable first; none for an empty phrase
   * @throws ModelError where the model has no type head, ArgumentError
   */
  async types(phrases: readonly string[], options: TypesOptions = {}): Promise<TypeProbability[][]> {
    const part = this.#typesPart();
    const labels = this.model.types;
    const { top = labels.length } = options;
    if (!(Number.isInteger(top) && top > 0))
      throw new ArgumentError(`top must be a positive integer, not ${top}`);
    this.#checkedDimension(phrases, options);
    const { data: rows } = await this.#run(phrases, options, [part]);
    return phrases.map((phrase, row) => {
      const scores = rows.subarray(row * labels.length, (row + 1) * labels.length);
      return isVisible(phrase) ? ranked(scores, labels, top) : [];
    });
  }

  /** Vectors, and beside them (`rest`) what one more part of the same run gives. */
  async #vectorsWith(part: EncodePart, phrases: readonly string[], options: EncodeOptions) {
    const parts = [this.#embeddingPart(phrases, options), part];
    const { data: all, ...counts } = await this.#run(phrases, options, parts);
    const [data, rest] = splitRows(all, parts);
    return { data, rest, rows: phrases.length, dimension: parts[0].dimension, ...counts };
  }

  #embeddingPart(phrases: readonly string[], options: EncodeOptions): EncodePart {
    const dimension = this.#checkedDimension(phrases, options);
    return { output: "embedding", dimension, length: options.normalize === false ? "raw" : "unit" };
  }

  #typesPart(): EncodePart {
    const { name, types } = this.model;
    if (types.length > 0) return { output: "types", dimension: types.length, length: "raw" };
    throw new ModelError(
      `${name} has no type head and cannot predict phrase types. Use the embedded model (no --model), ` +
        "or train one on a corpus (pearl train)",
    );
  }

  /** @throws ArgumentError for a name that the model has not */
  #prompt({ prompt, promptName: name }: EncodeOptions): string {
    const { prompts = {}, defaultPrompt = "" } = this.model;
    if (name === undefined) return prompt ?? defaultPrompt;
    if (prompt === undefined && Object.hasOwn(prompts, name)) return prompts[name];
    if (prompt !== undefined) throw new ArgumentError("give a prompt or the name of one, not both");
    const names = Object.keys(prompts).join(", ");
    throw new ArgumentError(
      names === ""
        ? `${this.model.name}: the model names no prompts. Give the text itself (--prompt)`
        : `${this.model.name} has no prompt "${name}". Choose one of: ${names}`,
    );
  }

  async #run(phrases: readonly string[], options: EncodeOptions, parts: readonly EncodePart[]) {
    const { batchSize, device, signal } = options;
    const prompt = this.#prompt(options);
    signal?.throwIfAborted();
    if (prompt !== "" && this.model.leavesPromptOut)
      throw new ModelError(
        `${this.model.path}/1_Pooling/config.json: the model pools without the prompt's tokens (include_prompt), ` +
          "which pearl does not support. Leave the prompt out, or use another model.",
      );
    const pool = device === undefined ? this.#main : await this.#pool(device);
    return pool.encode(phrases, { prompt, parts, batchSize }, options);
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
    return dotProducts(vectors.slice(0, a.length), vectors.slice(a.length));
  }

  /** Fingerprint of the graph, the inputs' numbering, pooling and the precision; differs between two models. */
  fingerprint(): Promise<string> {
    this.#fingerprint ??= modelFingerprint(this.model, this.#options.precision);
    return this.#fingerprint;
  }

  /** Ends the workers and frees their memory. */
  async dispose(): Promise<void> {
    this.#disposed = true;
    await Promise.allSettled([...this.#pools.values()].map(async (pool) => (await pool).close()));
    this.#pools.clear();
  }

  /** The model on a device, opened there on first use. */
  async #pool(choice: DeviceChoice): Promise<EncodePool> {
    const { device } = await deviceFor(this.#options, choice);
    this.#refuseDisposed(); // else a pool would be opened that nobody closes
    if (device === this.device) return this.#main;
    const pool = this.#pools.get(device) ?? EncodePool.open({ ...this.#options, device });
    this.#pools.set(device, pool);
    // A failed device may be tried again.
    pool.catch(() => this.#pools.delete(device));
    return pool;
  }

  #refuseDisposed(): void {
    if (this.#disposed) throw new ArgumentError("This encoder was disposed. Load it again.");
  }

  #checkedDimension(phrases: readonly string[], { truncateDim, batchSize }: EncodeOptions): number {
    this.#refuseDisposed();
    if (!Array.isArray(phrases)) throw new ArgumentError("encode takes an array of strings");
    const odd = phrases.findIndex((phrase) => typeof phrase !== "string");
    if (odd >= 0) throw new ArgumentError(`phrase ${odd} is ${typeof phrases[odd]}, not a string`);
    if (batchSize !== undefined && !(Number.isInteger(batchSize) && batchSize > 0))
      throw new ArgumentError(`batchSize must be a positive integer, not ${batchSize}`);
    return truncatedDimension(this, truncateDim);
  }
}

/**
 * Length of vectors that are cut to `truncateDim`.
 * @throws ArgumentError where the model's are shorter, or it records the lengths that it was trained on and this is none
 */
export function truncatedDimension(
  { dimension, model: { dims } }: Pick<PhraseEncoder, "dimension" | "model">,
  truncateDim = dimension,
): number {
  if (dims !== undefined && truncateDim !== dimension && !dims.includes(truncateDim))
    throw new ArgumentError(
      `truncateDim must be one of ${[...new Set([...dims, dimension])].join(", ")}, which the model was trained on, not ${truncateDim}`,
    );
  if (Number.isInteger(truncateDim) && truncateDim > 0 && truncateDim <= dimension) return truncateDim;
  throw new ArgumentError(`truncateDim must be between 1 and ${dimension}, not ${truncateDim}`);
}
