/** A model in workers on one device: divides the phrases of a call among them. */
import { soleArchitecture } from "../architectures/registry.js";
import { DeviceError } from "../errors.js";
import { longestFirst } from "../longest-first.js";
import {
  type Device,
  type DeviceChoice,
  failedDevices,
  failureReason,
  isDeviceFailure,
  type Place,
} from "../runtime/device.js";
import { chooseDevice } from "../runtime/devices/choose-device.js";
import { shared } from "../runtime/shared-array.js";
import type { WorkerClient } from "../runtime/worker-client.js";
import { WorkerPool } from "../runtime/worker-pool.js";
import { isVisible } from "../text/visible.js";
import type { EncodeReply, EncodeRequest, OpenRequest } from "./encode-protocol.js";
import { FINISHED, rowWidth, STOP } from "./encode-protocol.js";
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
/** Phrases that the one worker of a GPU gets at a time: the GPU idles from one share to the next. */
const GPU_SHARE = 16_384;
const PROGRESS_MILLISECONDS = 100;
/** Memory that copies of a model in several workers may take together, in bytes. */
const COPIES_BUDGET = 1.5e9;

export interface PoolRequest extends Pick<OpenRequest, "folder" | "precision"> {
  readonly device: DeviceChoice;
  /** CPU threads in all. */
  readonly cores: number;
  readonly onNote?: (note: string) => void;
}

/** Workers that have the model open on one device. */
interface OpenWorkers {
  readonly pool: WorkerPool;
  readonly device: Device;
  readonly dimension: number;
  /** Workers that may encode at the same time. */
  readonly limit: number;
}

/** A model on one device: the first worker starts at once, the others when there is work for them. */
export class EncodePool {
  readonly #request: PoolRequest;
  readonly notes: readonly string[];
  #workers: OpenWorkers;
  #onCpu: Promise<OpenWorkers> | undefined;
  #isClosed = false;

  private constructor(request: PoolRequest, workers: OpenWorkers, notes: readonly string[]) {
    this.#request = request;
    this.#workers = workers;
    this.notes = notes;
  }

  get device(): Device {
    return this.#workers.device;
  }

  get dimension(): number {
    return this.#workers.dimension;
  }

  /**
   * Opens the model in a first worker; on the CPU if the device that "auto" chose cannot run this model.
   * @throws ModelError, DeviceError
   */
  static async open(request: PoolRequest): Promise<EncodePool> {
    const { device, notes } = await deviceFor(request, request.device);
    try {
      return new EncodePool(request, await openWorkers(request, device), notes);
    } catch (error) {
      if (device === "cpu" || !isDeviceFailure(error)) throw error;
      const reason = failureReason(error);
      if (request.device !== "auto") throw error instanceof DeviceError ? error : unfit(request, reason);
      const more = [...notes, `${device}: ${reason}`];
      return new EncodePool(request, await openWorkers(request, "cpu"), more);
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
    const pending = new Set(shares(distinct, this.device));
    const encodeShare = async (worker: WorkerClient, some: Int32Array): Promise<void> => {
      if (Atomics.load(state, STOP) === 1) return;
      const request = { ...settings, state, phrases: Array.from(some, (place) => distinct[place]) };
      const reply = await worker.call<EncodeReply>("encode", request);
      some.forEach((place, i) => {
        data.set(reply.vectors.subarray(i * width, (i + 1) * width), firstRows[place] * width);
      });
      truncated += reply.truncated;
      pending.delete(some);
      // a worker that got a copy of the state could not count there
      if (state.buffer instanceof ArrayBuffer) state[FINISHED] += some.length;
    };
    try {
      if (this.#isClosed && distinct.length > 0) throw new DeviceError("the encoder's workers have ended");
      for (let workers = this.#workers; pending.size > 0; workers = this.#workers)
        try {
          const most = distinct.length < SPREAD_FROM ? 1 : workers.limit;
          await workers.pool.each([...pending], encodeShare, most);
          break;
        } catch (error) {
          await this.#fallBack(workers, error);
          // shares that failed are encoded again
          const left = [...pending].reduce((sum, { length }) => sum + length, 0);
          Atomics.store(state, FINISHED, distinct.length - left);
        }
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

  /** Opens the model on the CPU after a device has failed. @throws `error` where the device is not to blame */
  async #fallBack(failed: OpenWorkers, error: unknown): Promise<void> {
    if (failed.device === "cpu" || this.#isClosed || !isDeviceFailure(error)) throw error;
    if (this.#onCpu === undefined) {
      failedDevices.add(failed.device);
      this.#request.onNote?.(
        `${failed.device} failed (${failureReason(error)}): encoding continues on the CPU`,
      );
      this.#onCpu = openWorkers(this.#request, "cpu");
      void failed.pool.close();
    }
    this.#workers = await this.#onCpu;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#workers.pool.close();
    await this.#onCpu?.then(
      ({ pool }) => pool.close(),
      () => {},
    );
  }
}

/**
 * Opens the model in a first worker. On the CPU one graph per core beats one graph on all cores, since short phrases
 * leave little to parallelise within an operator; a large model gets fewer copies with more threads each.
 */
async function openWorkers({ folder, precision, cores }: PoolRequest, device: Device): Promise<OpenWorkers> {
  const affordable = Math.floor(COPIES_BUDGET / (3 * folder.sizeBytes));
  const copies = Math.max(1, Math.min(cores, affordable));
  const request = { folder, precision, device, threads: Math.max(1, Math.floor(cores / copies)) };
  let dimension = 0;
  const stored = precision === "half" ? "full" : precision;
  const share = async () =>
    device === "cpu" ? soleArchitecture(folder.features)?.share?.(folder, stored) : undefined;
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
      dimension = await worker.call<number>("open", { ...request, graph: await graph });
    },
  });
  try {
    await pool.worker(0);
    return { pool, device, dimension, limit: device === "cpu" ? copies : 1 };
  } catch (error) {
    await pool.close();
    throw error;
  }
}

/** Where a model runs; "auto" takes the device that the model is known to run fastest on. */
export const deviceFor = (
  { folder, onNote }: Pick<PoolRequest, "folder" | "onNote">,
  choice: DeviceChoice,
): Promise<Place> => chooseDevice(choice === "auto" ? (folder.preferredDevice ?? choice) : choice, onNote);

function unfit({ device, folder, precision }: PoolRequest, reason: string): DeviceError {
  const cure = precision === "half" ? `precision "full", or --device cpu` : "--device cpu";
  return new DeviceError(`${folder.name} does not run on device ${device}: ${reason}. Use ${cure}.`);
}

/** The phrases in shares for the workers, longest first. */
function* shares(phrases: readonly string[], device: Device): Generator<Int32Array> {
  const order = longestFirst(phrases.map(({ length }) => length));
  const share =
    device === "cpu"
      ? Math.min(LARGEST_SHARE, Math.max(SMALLEST_SHARE, Math.ceil(phrases.length / SHARES)))
      : GPU_SHARE;
  for (let first = 0; first < order.length; first += share) yield order.subarray(first, first + share);
}

/** The distinct phrases with visible characters, the first row of each, and each row's place among them (-1: empty). */
function distinctPhrases(phrases: readonly string[]) {
  const known = new Map<string, number>();
  const firstRows: number[] = [];
  let empty = 0;
  const places = Int32Array.from(phrases, (phrase, row) => {
    const place = known.get(phrase);
    if (place !== undefined) return place;
    if (!isVisible(phrase)) {
      empty++;
      return -1;
    }
    known.set(phrase, known.size);
    return firstRows.push(row) - 1;
  });
  return { distinct: [...known.keys()], firstRows, places, empty };
}
