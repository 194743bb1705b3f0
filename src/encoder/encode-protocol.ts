/** Messages between PhraseEncoder and its workers. */
import type { ModelFolder, SharedGraph } from "../architectures/architecture.js";
import type { Device } from "../runtime/device.js";
import type { OrtSession } from "../runtime/ort-session.js";
import type { Feeds } from "../runtime/tensor.js";

export interface OpenRequest {
  readonly folder: ModelFolder;
  readonly device: Device;
  readonly threads: number;
  readonly precision: Precision;
  /** The graph if it is already prepared; otherwise the worker loads it from the folder. */
  readonly graph?: SharedGraph;
}

/** A session that may keep the first ids of all rows on a GPU: `pin` is called before the runs that have them. */
export interface GraphSession extends OrtSession {
  /** Whether padding is computed in attention only. */
  readonly isUnpadded?: boolean;
  pin?(opening: Int32Array): Promise<void>;
  /** Starts a run on a GPU, which works while this thread does other things. @returns waits for the outputs */
  start?(feeds: Feeds, fetches: readonly string[]): Promise<() => Promise<Feeds>>;
}

/** Numbers the graph computes with: as exported, float16 in transformers (pooled in float32), or weights in int8. */
export type Precision = "full" | "half" | "int8";

export interface EncodeRequest {
  readonly phrases: readonly string[];
  readonly prompt: string;
  /** What is computed for each phrase, in one run of the graph; a row of the reply holds the parts in this order. */
  readonly parts: readonly EncodePart[];
  readonly batchSize: number | undefined;
  /** Slot 0: set to 1 by the caller to stop; slot 1: rows finished, increased by every worker. */
  readonly state: Int32Array;
}

/** A phrase's vector, its score for each phrase type, or how many tokens the model reads of it. */
export interface EncodePart {
  readonly output: "embedding" | "types" | "tokens";
  /** Numbers of a row that are kept, the first ones; 0, in a request of this part alone, keeps them all. */
  readonly dimension: number;
  readonly length: "unit" | "raw";
}

export function rowWidth(parts: readonly EncodePart[]): number {
  return parts.reduce((sum, { dimension }) => sum + dimension, 0);
}

/** Rows of all parts as one array for each part. */
export function splitRows(all: Float32Array, parts: readonly EncodePart[]): Float32Array[] {
  const width = rowWidth(parts);
  const rows = all.length / width;
  let offset = 0;
  return parts.map(({ dimension }) => {
    const own = new Float32Array(rows * dimension);
    for (let row = 0; row < rows; row++) {
      const start = row * width + offset;
      own.set(all.subarray(start, start + dimension), row * dimension);
    }
    offset += dimension;
    return own;
  });
}

export interface EncodeReply {
  /** [phrases, width of all parts], row-major. */
  readonly vectors: Float32Array;
  readonly truncated: number;
}

/** Slots of EncodeRequest.state. */
export const STOP = 0;
export const FINISHED = 1;
