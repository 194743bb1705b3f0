/** What the routes work with: a loaded model, open indexes, limits, and the queues that requests wait in. */
import { BatchQueue } from "../encoder/batch-queue.js";
import type { PhraseEncoder } from "../encoder/phrase-encoder.js";
import type { TypeProbability } from "../encoder/type-probabilities.js";
import { createRandom, sampleWithout } from "../random.js";
import type { IndexEntry } from "../search/index-types.js";
import type { VectorIndex } from "../search/vector-index.js";
import { folded } from "../text/accents.js";
import { type Compare, openComparisons } from "./comparisons.js";
import { createMetrics, type Metrics } from "./metrics.js";

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
