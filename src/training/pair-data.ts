/** Batches of pairs: every epoch all pairs once, in an order of its own, as inputs of the graph of pair-program.ts. */
import type { FeatureRows, Featurizer } from "../encoder/features.js";
import { createRandom } from "../random.js";
import type { Feeds, Tensor } from "../runtime/tensor.js";
import type { TrainingBatch } from "./batch.js";
import { type ChunkOptions, planChunks } from "./chunks.js";
import type { Pair } from "./pairs.js";
import type { TrainingData } from "./trainer.js";

export interface PairDataOptions extends ChunkOptions {
  /** Pairs in a batch; an epoch's batches are of equal size, none larger than this. */
  readonly batchSize: number;
  readonly seed: number;
  /** Phrase types in the order of the type head; empty: types are not learned. */
  readonly types: readonly string[];
  /** Whether the program takes hard negatives. */
  readonly negatives: "used" | "none";
  /** Of the pairs. */
  readonly fingerprint: string;
  /** Inputs of the graph; others of a featurizer are left out. */
  readonly inputNames: readonly string[];
}

export interface PairData extends TrainingData {
  readonly batchesPerEpoch: number;
  /** Distinct phrases longer than the model reads, which were cut. */
  readonly truncated: number;
}

/** Phrases read at a time, so that the event loop is never held for long. */
const portion = 2048;

/** Reads all phrases into token ids, once, and hands out batches. */
export async function createPairData(
  pairs: readonly Pair[],
  featurizers: readonly Featurizer[],
  options: PairDataOptions,
): Promise<PairData> {
  const phrases = new Map<string, number>();
  const numberOf = (phrase: string): number => {
    const known = phrases.get(phrase) ?? phrases.size;
    phrases.set(phrase, known);
    return known;
  };
  const withNegatives = options.negatives === "used";
  const numbered = pairs.map(({ text, positive, negative, type }) => ({
    anchor: numberOf(text),
    positive: numberOf(positive),
    negative: withNegatives && negative !== "" ? numberOf(negative) : -1,
    type: options.types.indexOf(type),
  }));
  const read = await readAll([...phrases.keys()], featurizers);
  const batchesPerEpoch = Math.ceil(pairs.length / options.batchSize);
  let shuffled: { epoch: number; order: Int32Array } = { epoch: -1, order: new Int32Array(0) };
  const indicesOf = (index: number): Int32Array => {
    const epoch = Math.floor(index / batchesPerEpoch);
    if (shuffled.epoch !== epoch) shuffled = { epoch, order: permutation(pairs.length, options.seed, epoch) };
    const edge = (i: number) => Math.floor((i * pairs.length) / batchesPerEpoch);
    const within = index % batchesPerEpoch;
    return shuffled.order.slice(edge(within), edge(within + 1));
  };
  return {
    batchesPerEpoch,
    truncated: read.truncated,
    fingerprint: `${options.fingerprint} seed ${options.seed} batch ${options.batchSize}`,
    batch: (index) =>
      batchOf(
        Array.from(indicesOf(index), (i) => numbered[i]),
        read,
        options,
      ),
    describe: (index) => Array.from(indicesOf(index), (i) => pairs[i]),
  };
}

interface ReadPhrases {
  /** By featurizer. */
  readonly features: readonly { readonly featurizer: Featurizer; readonly rows: FeatureRows }[];
  /** Of each phrase: the longest of its features. */
  readonly lengths: Int32Array;
  /** Phrases with the same number look the same to the model. */
  readonly groups: Int32Array;
  readonly truncated: number;
}

async function readAll(phrases: readonly string[], featurizers: readonly Featurizer[]): Promise<ReadPhrases> {
  let truncated = 0;
  const features: { featurizer: Featurizer; rows: FeatureRows }[] = [];
  for (const featurizer of featurizers) {
    const parts: FeatureRows[] = [];
    let cut = 0;
    for (let from = 0; from < phrases.length; from += portion) {
      const read = featurizer.read(phrases.slice(from, from + portion));
      parts.push(read.rows);
      cut += read.truncated;
      await new Promise(setImmediate);
    }
    truncated = Math.max(truncated, cut);
    features.push({ featurizer, rows: joined(parts) });
  }
  const lengths = Int32Array.from(phrases, (_, i) =>
    features.reduce((longest, { rows: { starts } }) => Math.max(longest, starts[i + 1] - starts[i]), 1),
  );
  const seen = new Map<string, number>();
  const groups = Int32Array.from(phrases, (_, i) => {
    const key = features
      .map(({ rows: { ids, starts } }) => ids.subarray(starts[i], starts[i + 1]).join())
      .join(";");
    const group = seen.get(key) ?? seen.size;
    seen.set(key, group);
    return group;
  });
  return { features, lengths, groups, truncated };
}

function joined(parts: readonly FeatureRows[]): FeatureRows {
  const ids = new Int32Array(parts.reduce((sum, part) => sum + part.ids.length, 0));
  const starts = new Int32Array(parts.reduce((sum, part) => sum + part.starts.length - 1, 1));
  let [row, at] = [0, 0];
  for (const part of parts) {
    ids.set(part.ids, at);
    for (let i = 1; i < part.starts.length; i++) starts[++row] = at + part.starts[i];
    at += part.ids.length;
  }
  return { ids, starts };
}

/** Fisher and Yates' shuffle, its own for every epoch. */
function permutation(count: number, seed: number, epoch: number): Int32Array {
  const random = createRandom((seed + Math.imul(epoch + 1, 0x9e3779b1)) | 0);
  const order = Int32Array.from({ length: count }, (_, i) => i);
  for (let i = count - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [order[i], order[j]] = [order[j], order[i]];
  }
  return order;
}

interface NumberedPair {
  readonly anchor: number;
  readonly positive: number;
  readonly negative: number;
  readonly type: number;
}

const int64 = (numbers: readonly number[]): Tensor => ({
  type: "int64",
  dims: [numbers.length],
  data: BigInt64Array.from(numbers, BigInt),
});

function batchOf(pairs: readonly NumberedPair[], read: ReadPhrases, options: PairDataOptions): TrainingBatch {
  const negatives = pairs.map(({ negative }) => negative).filter((negative) => negative >= 0);
  const phrases = [
    ...pairs.map(({ anchor }) => anchor),
    ...pairs.map(({ positive }) => positive),
    ...negatives,
  ];
  const sizes = [pairs.length, pairs.length, ...(options.negatives === "used" ? [negatives.length] : [])];
  const groups = Int32Array.from(phrases, (phrase) => read.groups[phrase]);
  const feeds: Feeds = {
    sizes: int64(sizes),
    groups: { type: "int32", dims: [phrases.length], data: groups },
    ...(options.types.length > 0 && typeFeeds(pairs)),
  };
  const inputsOf = (rows: readonly number[]): Feeds => {
    const numbers = Int32Array.from(rows, (row) => phrases[row]);
    const length = numbers.reduce((longest, phrase) => Math.max(longest, read.lengths[phrase]), 1);
    const filled: Feeds = {};
    for (const { featurizer, rows: all } of read.features) featurizer.fill(all, numbers, length, filled);
    return Object.fromEntries(Object.entries(filled).filter(([name]) => options.inputNames.includes(name)));
  };
  const plan = planChunks(
    Int32Array.from(phrases, (phrase) => read.lengths[phrase]),
    options,
  );
  if (!plan) return { feeds: { ...feeds, ...inputsOf([...phrases.keys()]) }, phrases: phrases.length };
  const chunks = plan.map((rows) => ({ rows, feeds: inputsOf([...rows]) }));
  return { feeds, chunks, phrases: phrases.length };
}

/** Rows whose type is known, anchors and then positives. Without any, a row that counts for nothing. */
function typeFeeds(pairs: readonly NumberedPair[]): Feeds {
  const known = [...pairs.keys()].filter((row) => pairs[row].type >= 0);
  const rows = [...known, ...known.map((row) => row + pairs.length)];
  const labels = [...known, ...known].map((row) => pairs[row].type);
  const weight = Float32Array.of(known.length > 0 ? 1 : 0);
  return {
    typed_rows: int64(known.length > 0 ? rows : [0]),
    type_labels: int64(known.length > 0 ? labels : [0]),
    type_weight: { type: "float32", dims: [], data: weight },
  };
}
