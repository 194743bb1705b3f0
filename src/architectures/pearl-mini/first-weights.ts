/**
 * First weights of a word encoder: tables from word vectors without their common directions (Mu and Viswanath, 2018),
 * n-grams as Gaussian vectors scaled by inverse document frequency, so that their sums compare like TF-IDF, and
 * weights of words by rank, low for frequent words.
 */
import { fromSeed, type WeightSource } from "../../nn/net.js";
import { tensor } from "../../onnx/tensor.js";
import type { WordVectors } from "../../text/word-vectors.js";
import { contextRows } from "../contexts.js";
import type { TextStartOptions } from "../pretraining.js";
import { contextPrefix } from "./context.js";
import { hashWord } from "./features.js";
import type { WordReading } from "./inputs.js";
import type { WordEncoderSizes } from "./sizes.js";

interface FirstWeightOptions extends Omit<TextStartOptions, "contextWords"> {
  readonly sizes: WordEncoderSizes;
  readonly reading: WordReading;
}

const UNKNOWN = 0.02;
/** First gates of characters, meaning and types. */
const GATES = [0.5, 0.37, 0.13] as const;

export function firstWordWeights(options: FirstWeightOptions): WeightSource {
  const { sizes, words, seed } = options;
  const base = fromSeed(seed);
  const given = options.vectors ? plainVectors(options.vectors) : undefined;
  const table = (name: string, dims: readonly number[], offset: number): Float32Array => {
    const data = base(name, dims, (random) => UNKNOWN * (2 * random() - 1)).data as Float32Array;
    words.slice(0, dims[0] - offset).forEach((word, i) => {
      const vector = given?.get(word);
      if (vector) data.set(vector, (i + offset) * sizes.vectors);
    });
    return data;
  };
  const ranks = (rows: number, offset: number): Float32Array =>
    Float32Array.from({ length: rows }, (_, row) => {
      const rank = row < offset ? sizes.vocabulary : row - offset + 1;
      return inverseSoftplus(weightOfRank(rank, sizes.vocabulary));
    });
  const contextWords = sizes.contextWords ?? sizes.vocabulary;
  const context = contextRows(contextWords);
  const special: Record<string, (dims: readonly number[]) => Float32Array> = {
    "vectors.weight": (dims) => table("vectors.weight", dims, 1),
    [`${contextPrefix}vectors`]: (dims) => table(`${contextPrefix}vectors`, dims, context - contextWords),
    "char_weight.weight": ([rows]) => ranks(rows, 1),
    "sum_weight.weight": ([rows]) => ranks(rows, 1),
    [`${contextPrefix}weights`]: ([rows]) => ranks(rows, context - contextWords),
    "share.bias": ([outputs]) =>
      Float32Array.from({ length: outputs }, (_, i) => Math.log(GATES[i % GATES.length])),
  };
  return (name, dims, initialiser) => {
    if (Object.hasOwn(special, name)) return tensor("float32", dims, special[name](dims));
    const weight = base(name, dims, initialiser);
    if (name === "ngrams.weight") scaleByRarity(weight.data as Float32Array, options);
    return weight;
  };
}

/** First weight of a word by its rank in the text, from 1: the most frequent words count least. */
export const weightOfRank = (rank: number, vocabulary: number): number =>
  (0.12 + (0.88 * Math.log(1 + rank)) / Math.log(1 + vocabulary)) ** 2;

const inverseSoftplus = (y: number): number => Math.log(Math.expm1(y));

/** log((N + 1) / (n + 1)) over its largest: 1 for n-grams that no word has. */
function scaleByRarity(table: Float32Array, { allWords, reading, sizes }: FirstWeightOptions): void {
  const found = new Float64Array(sizes.buckets + 1);
  const ngrams = new Int32Array(reading.ngrams);
  for (const word of allWords) {
    const { count } = hashWord(word, reading, ngrams);
    for (const ngram of new Set(ngrams.subarray(0, count))) found[ngram]++;
  }
  const largest = Math.log(1 + allWords.length);
  for (let row = 0; row <= sizes.buckets; row++) {
    const rarity = row === 0 ? 0 : (largest - Math.log(1 + found[row])) / largest;
    for (let i = 0; i < sizes.characters; i++) table[row * sizes.characters + i] *= rarity;
  }
}

/** Words' vectors without their mean and their two commonest directions, at length 1. */
function plainVectors({ words, dimension, data }: WordVectors): Map<string, Float32Array> {
  const centred = Float32Array.from(data);
  const count = words.length;
  const mean = new Float64Array(dimension);
  centred.forEach((value, i) => {
    mean[i % dimension] += value / count;
  });
  centred.forEach((value, i) => {
    centred[i] = value - mean[i % dimension];
  });
  for (let k = 0; k < 2; k++) removeDirection(centred, dimension, commonDirection(centred, dimension));
  const unit = (i: number) => {
    const vector = centred.subarray(i * dimension, (i + 1) * dimension);
    const length = Math.hypot(...vector) || 1;
    return vector.map((value) => value / length);
  };
  return new Map(words.map((word, i) => [word, unit(i)]));
}

/** The first principal direction, by power iteration over the first 30,000 rows. */
function commonDirection(rows: Float32Array, dimension: number): Float64Array {
  let direction = Float64Array.from({ length: dimension }, (_, i) => 1 + (i % 7) / 10);
  const end = Math.min(rows.length, 30_000 * dimension);
  for (let iteration = 0; iteration < 20; iteration++) {
    const next = new Float64Array(dimension);
    for (let at = 0; at < end; at += dimension) {
      const along = product(rows, at, direction);
      for (let i = 0; i < dimension; i++) next[i] += along * rows[at + i];
    }
    const length = Math.hypot(...next) || 1;
    direction = next.map((value) => value / length);
  }
  return direction;
}

function removeDirection(rows: Float32Array, dimension: number, direction: Float64Array): void {
  for (let at = 0; at < rows.length; at += dimension) {
    const along = product(rows, at, direction);
    for (let i = 0; i < dimension; i++) rows[at + i] -= along * direction[i];
  }
}

const product = (rows: Float32Array, at: number, direction: Float64Array): number =>
  direction.reduce((sum, value, i) => sum + rows[at + i] * value, 0);
