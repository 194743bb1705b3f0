/** What the routes work with: a loaded model, open indexes, limits, and the queues that requests wait in. */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import { BatchQueue } from "../encoder/batch-queue.js";
import type { PhraseEncoder } from "../encoder/phrase-encoder.js";
import type { TypeProbability } from "../encoder/type-probabilities.js";
import { createRandom, sampleWithout } from "../random.js";
import type { IndexEntry } from "../search/index-types.js";
import type { VectorIndex } from "../search/vector-index.js";
import { folded } from "../text/accents.js";
import { type Compare, openComparisons } from "./comparisons.js";

export interface Limits {
  /** Bytes of a request's body. */
  readonly bodyBytes: number;
  /** Phrases or rows of a request. */
  readonly items: number;
  /** Characters of a phrase or cell. */
  readonly characters: number;
  /** Phrases that may wait. */
  readonly queue: number;
}

/** An index with its rows in memory. */
export interface ServedIndex {
  readonly index: VectorIndex;
  /** Cells by key. */
  readonly rows: ReadonlyMap<string, readonly string[]>;
  /** The name of each row, {@link folded}: a suggestion compares all of them at each key. */
  readonly names: readonly string[];
  /** Some rows, which show how often unrelated rows agree. */
  readonly ordinary: readonly IndexEntry[];
}

export interface Embedded {
  /** Of unit length, with all the model's dimensions. */
  readonly vector: Float32Array;
  readonly tokens: number;
}

type Task<Result> = (compare: Compare, signal: AbortSignal) => Promise<Result>;

export interface Service {
  readonly encoder: PhraseEncoder;
  readonly indexes: ReadonlyMap<string, ServedIndex>;
  readonly limits: Limits;
  readonly metrics: Metrics;
  readonly embeddings: BatchQueue<string, Embedded>;
  readonly types: BatchQueue<string, readonly TypeProbability[]>;
  /** Runs one comparison of tables at a time. */
  readonly compare: <Result>(work: Task<Result>, gone: AbortSignal) => Promise<Result>;
  /** Ends the worker of the comparisons. */
  readonly close: () => Promise<void>;
}

/** Phrases in a batch: enough for several workers. */
const batchItems = 1024;
/** Comparisons that may wait. */
const comparisons = 64;
const ordinaryRows = 500;

export function createService(
  encoder: PhraseEncoder,
  indexes: ReadonlyMap<string, ServedIndex>,
  limits: Limits,
): Service {
  const metrics = createMetrics(() => embeddings.length + types.length);
  const batches = { batchItems, queueItems: limits.queue, onBatch: metrics.onBatch };
  const embeddings = new BatchQueue<string, Embedded>({
    ...batches,
    run: async (phrases, signal) => {
      const { data, tokens, dimension } = await encoder.encodeWithTokens(phrases, { signal });
      return phrases.map((_, row) => {
        return { vector: data.subarray(row * dimension, (row + 1) * dimension), tokens: tokens[row] };
      });
    },
  });
  const types = new BatchQueue<string, readonly TypeProbability[]>({
    ...batches,
    run: (phrases, signal) => encoder.types(phrases, { signal }),
  });
  const { compareUntil, close } = openComparisons(encoder);
  const tasks = new BatchQueue<Task<unknown>, unknown>({
    ...{ batchItems: 1, queueItems: comparisons },
    run: async ([task], signal) => [await task(compareUntil(signal), signal)],
  });
  const compare: Service["compare"] = async <Result>(work: Task<Result>, gone: AbortSignal) =>
    (await tasks.add([work], gone))[0] as Result;
  return { encoder, indexes, limits, metrics, embeddings, types, compare, close };
}

/** The column that names a row. */
export const nameColumn = ({ layout }: VectorIndex): string => layout.phraseColumn ?? layout.columns[0];

/** Reads an index once, and draws some rows at random. */
export async function serveIndex(index: VectorIndex): Promise<ServedIndex> {
  const place = index.layout.columns.indexOf(nameColumn(index));
  const rows = new Map<string, readonly string[]>();
  for await (const { key, cells } of index.entries()) rows.set(key, cells);
  const names = Array.from(rows.values(), (cells) => folded(cells[place] ?? ""));
  const drawn = sampleWithout([...rows.keys()], ordinaryRows, createRandom(0));
  return { index, rows, names, ordinary: drawn.map((key) => ({ key, cells: rows.get(key)! })) };
}

export type Metrics = ReturnType<typeof createMetrics>;

/** @param waiting phrases in the queues */
function createMetrics(waiting: () => number) {
  const registers = [new Registry()];
  const [registry] = registers;
  collectDefaultMetrics({ register: registry });
  // gauges that are named like counters, which promtool refuses
  for (const name of ["handles", "requests", "resources"]) {
    registry.removeSingleMetric(`nodejs_active_${name}_total`);
  }
  const labelNames = ["method", "route", "status"] as const;
  const requests = new Counter({
    name: "pearl_requests_total",
    help: "Answered requests.",
    labelNames,
    registers,
  });
  const seconds = new Histogram({
    name: "pearl_request_duration_seconds",
    help: "Time from a request's first byte to the end of its answer.",
    labelNames: ["route"] as const,
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers,
  });
  const batches = new Histogram({
    name: "pearl_batch_phrases",
    help: "Phrases that were computed together.",
    buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048],
    registers,
  });
  const tokens = new Counter({ name: "pearl_tokens_total", help: "Tokens of embedded phrases.", registers });
  new Gauge({
    name: "pearl_queue_phrases",
    help: "Phrases that wait for a batch.",
    registers,
    collect() {
      this.set(waiting());
    },
  });
  return {
    registry,
    onRequest: (method: string, route: string, status: number, duration: number): void => {
      requests.inc({ method, route, status });
      seconds.observe({ route }, duration);
    },
    onBatch: (phrases: number): void => batches.observe(phrases),
    onTokens: (count: number): void => tokens.inc(count),
  };
}
