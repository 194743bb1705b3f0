/** Phrases as a model's features, and batches of anchors, positives and hard negatives made of them. */
import type { Assembled, FeatureRows, Featurizer, ModelFolder } from "../architectures/architecture.js";
import { concatenate } from "../architectures/architecture.js";
import { architectureOf, costliest, openFeaturizers } from "../architectures/registry.js";
import { numbered } from "../disjoint-sets.js";
import { dropoutSeed } from "../onnx/rewrite/dropout.js";
import type { Device } from "../runtime/device.js";
import { type Feeds, int32, int64 } from "../runtime/tensor.js";
import type { ChunkOptions } from "../training/gradients/chunks.js";
import { paddedLength, planChunks, planEqualChunks } from "../training/gradients/chunks.js";
import type { TrainingBatch } from "../training/program.js";

export interface ReadPhrases {
  /** Whether batches are cut and padded to few shapes, as a GPU needs it; default false. */
  readonly bucketShapes?: boolean;
  readonly features: readonly FeatureLengths[];
  /** For each phrase the length of the costliest feature: tokens where the model reads them. */
  readonly lengths: Int32Array;
  /** Phrases with the same number look the same to the model. */
  readonly groups: Int32Array;
  readonly truncated: number;
}

interface FeatureLengths extends PaddedFeature {
  readonly rows: FeatureRows;
  readonly lengths: Int32Array;
}

interface PaddedFeature {
  readonly featurizer: Featurizer;
  /** The length that rows are padded to whose longest has this one. */
  padded(longest: number): number;
}

export interface Reader {
  /** True on a GPU. */
  readonly bucketShapes: boolean;
  readonly features: readonly PaddedFeature[];
  /** Index of the feature with the lengths that decide how batches are cut. */
  readonly primary: number;
}

/**
 * Opens the featurizers of a model's graph; its tokenizer and vocabulary are the folder's. @param device on a GPU, tokens are
 * padded to powers of two
 */
export async function openReader(
  folder: ModelFolder,
  { model, features }: Pick<Assembled, "model" | "features">,
  device: Device = "cpu",
): Promise<Reader> {
  const { inputs, initializers } = model.graph;
  const names = inputs.map(({ name }) => name).filter((name) => !initializers.has(name));
  const featurizers = await openFeaturizers({ ...folder, features }, names);
  const isPadded = (i: number) => device !== "cpu" && architectureOf(features[i]).padsRows === true;
  const primary = costliest(features);
  return {
    features: featurizers.map((featurizer, i) => ({
      featurizer,
      padded: (longest) => (isPadded(i) ? paddedLength(longest, features[i].maximumLength) : longest),
    })),
    ...{ primary, bucketShapes: isPadded(primary) },
  };
}

/** Eight phrases of different lengths, for the sample batch of loss/program.ts. */
export const samplePhrases: readonly string[] = [
  ...["phrase", "two words", "The New York Times", "a", "an unusually long phrase of many words indeed"],
  ...["in the end", "Zürich", "3.5 % of it"],
];

/** Phrases read at a time, so that the event loop is never held for long. */
const portion = 2048;

export async function readPhrases(
  phrases: readonly string[],
  { features: asked, primary, bucketShapes }: Reader,
): Promise<ReadPhrases> {
  let truncated = 0;
  const features: FeatureLengths[] = [];
  for (const { featurizer, padded } of asked) {
    const lists: Int32Array[] = [];
    let cut = 0;
    for (let from = 0; from < phrases.length; from += portion) {
      const read = featurizer.read(phrases.slice(from, from + portion));
      const { ids, starts } = read.rows;
      for (let i = 1; i < starts.length; i++) lists.push(ids.subarray(starts[i - 1], starts[i]));
      cut += read.truncated;
      if (phrases.length > portion) await new Promise(setImmediate);
    }
    truncated = Math.max(truncated, cut);
    const rows = concatenate(lists);
    const inBatch = featurizer.lengths?.(rows);
    const lengths = Int32Array.from(lists, (list, i) => Math.max(1, inBatch?.[i] ?? list.length));
    features.push({ featurizer, padded, rows, lengths });
  }
  const keyOf = (i: number): string =>
    features.map(({ rows: { ids, starts } }) => ids.subarray(starts[i], starts[i + 1])).join(";");
  const groups = numbered(Array.from(phrases, (_, i) => keyOf(i)));
  const lengths = features[primary].lengths.map(features[primary].padded);
  return { bucketShapes, features, lengths, groups, truncated };
}

/** Each phrase read once, and the number of a phrase among them. */
export async function readDistinct(phrases: Iterable<string>, reader: Reader) {
  const places = new Map([...new Set(phrases)].map((phrase, place) => [phrase, place]));
  const read = await readPhrases([...places.keys()], reader);
  return { read, places, place: (phrase: string) => places.get(phrase) as number };
}

/** Row i of anchors and positives mean the same. Numbers are indices of phrases in {@link ReadPhrases}. */
export interface ContrastiveRows {
  readonly anchors: readonly number[];
  readonly positives: readonly number[];
  /** Further negatives of every row; absent for a program without them. */
  readonly negatives?: readonly number[];
  /** Type of each anchor and its positive, an index; -1 where unknown. */
  readonly types: ArrayLike<number>;
  /** Of further terms of the loss: rows behind all others, which no pair is compared with, and inputs. */
  readonly further?: { readonly rows?: readonly number[]; readonly feeds: Feeds };
  /** Of anchors, positives and negatives in turn: equal numbers are not negatives of each other. Default: the reader's. */
  readonly groups?: Int32Array;
}

export interface ContrastiveBatchOptions extends ChunkOptions {
  /** Number of phrase types; 0: types are not learned. */
  readonly types: number;
  /** Inputs of the graph; others of a featurizer are left out. */
  readonly inputNames: ReadonlySet<string>;
  readonly seed: number;
}

/** Cells of a chunk on a GPU: E5-small's training takes 0.6 MB of memory for each. */
const cellsOnGpu = 8192;

/** The inputs of loss/program.ts for some rows, in chunks where that is cheaper. */
export function contrastiveBatch(
  rows: ContrastiveRows,
  read: ReadPhrases,
  options: ContrastiveBatchOptions,
): TrainingBatch {
  const { anchors, positives, negatives, further } = rows;
  const parts = [anchors, positives, negatives, further?.rows].filter((part) => part !== undefined);
  const phrases = parts.flat();
  const compared = phrases.slice(0, phrases.length - (further?.rows?.length ?? 0));
  const groups = rows.groups ?? Int32Array.from(compared, (phrase) => read.groups[phrase]);
  const feeds: Feeds = {
    sizes: int64(parts.map(({ length }) => length)),
    groups: int32(groups),
    ...(options.types > 0 && typeFeeds(rows)),
    ...further?.feeds,
  };
  const lengths = Int32Array.from(phrases, (phrase) => read.lengths[phrase]);
  const plan = read.bucketShapes
    ? planEqualChunks(lengths, options.cells ?? cellsOnGpu)
    : planChunks(lengths, options);
  const shortest = lengths.indexOf(lengths.reduce((least, count) => Math.min(least, count)));
  const inputsOf = (chunk: Iterable<number>, part: number) => {
    // rows that only fill a chunk are short ones
    const numbers = Int32Array.from(chunk, (row) => phrases[row < 0 ? shortest : row]);
    return encoderFeeds(read, numbers, options, part);
  };
  if (!plan) return { feeds: { ...feeds, ...inputsOf(phrases.keys(), 0) }, phrases: phrases.length };
  const chunks = plan.map((chunk, part) => ({ rows: chunk, feeds: inputsOf(chunk, part) }));
  return { feeds, chunks, phrases: phrases.length };
}

/** The encoder's inputs for some phrases, each feature padded by its own longest. */
function encoderFeeds(
  { features }: ReadPhrases,
  numbers: Int32Array,
  { inputNames, seed }: ContrastiveBatchOptions,
  part: number,
): Feeds {
  const filled: Feeds = { [dropoutSeed]: int64([(seed + 977 * part) % (2 ** 31 - 1)]) };
  for (const { featurizer, padded, rows, lengths } of features) {
    const longest = numbers.reduce((most, phrase) => Math.max(most, lengths[phrase]), 1);
    featurizer.fill(rows, numbers, padded(longest), filled);
  }
  return Object.fromEntries(Object.entries(filled).filter(([name]) => inputNames.has(name)));
}

/** Rows with a known type, anchors and then positives. Without any, one row of weight 0. */
function typeFeeds({ anchors, types }: ContrastiveRows): Feeds {
  const known = [...anchors.keys()].filter((row) => types[row] >= 0);
  const rows = [...known, ...known.map((row) => row + anchors.length)];
  const labels = [...known, ...known].map((row) => types[row]);
  const weight = Float32Array.of(known.length > 0 ? 1 : 0);
  return {
    typed_rows: int64(known.length > 0 ? rows : [0]),
    type_labels: int64(known.length > 0 ? labels : [0]),
    type_weight: { type: "float32", dims: [], data: weight },
  };
}
