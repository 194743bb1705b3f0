/** Makes two columns of phrases ready to be compared: folded texts, terms with an index, vectors in shared memory. */
import type { PhraseEncoder } from "../encoder/index.js";
import { createRandom } from "../random.js";
import { dotRows } from "../search/vectors.js";
import { indexTerms, shared, termRows } from "./grams.js";
import { foldPhrase } from "./phrase.js";
import type { ColumnPair } from "./rank-rows.js";

/** A column of both tables with its share in the score. */
export interface JoinColumn {
  readonly left: readonly string[];
  readonly right: readonly string[];
  readonly weight: number;
}

export interface PrepareOptions {
  /** Undefined compares without a model. */
  readonly encoder?: PhraseEncoder;
  readonly signal?: AbortSignal;
  /** Called with phrases encoded and all. */
  readonly onProgress?: (done: number, total: number) => void;
}

/** Phrases encoded at a time, so that vectors are never held twice as a whole. */
const portion = 16_384;

/** Prepares a column: queries are the right table, the base is the left one. */
export async function prepareColumn(
  { left, right, weight }: JoinColumn,
  { encoder, signal, onProgress }: PrepareOptions,
): Promise<ColumnPair> {
  const terms = termRows(left.map(foldPhrase), right.map(foldPhrase));
  const total = left.length + right.length;
  const encode = (texts: readonly string[], before: number): Promise<Float32Array> | undefined =>
    encoder && encodeShared(encoder, texts, signal, (done) => onProgress?.(before + done, total));
  const leftVectors = await encode(left, 0);
  const rightVectors = await encode(right, left.length);
  const dimension = encoder?.dimension ?? 0;
  return {
    base: {
      texts: left,
      terms: terms.left,
      vectors: leftVectors,
      index: indexTerms(terms.left, terms.statistics),
    },
    queries: { texts: right, terms: terms.right, vectors: rightVectors },
    statistics: terms.statistics,
    dimension,
    floor: leftVectors && rightVectors ? unrelatedCosine(leftVectors, rightVectors, dimension) : 0,
    weight,
  };
}

async function encodeShared(
  encoder: PhraseEncoder,
  texts: readonly string[],
  signal: AbortSignal | undefined,
  onProgress: (done: number) => void,
): Promise<Float32Array> {
  const { dimension } = encoder;
  const vectors = shared(Float32Array, texts.length * dimension);
  for (let from = 0; from < texts.length; from += portion) {
    const { data } = await encoder.encodeMatrix(texts.slice(from, from + portion), { signal });
    vectors.set(data, from * dimension);
    onProgress(Math.min(from + portion, texts.length));
  }
  return vectors;
}

/** Mean cosine of pairs drawn at random: models differ in what they call unrelated. From 0 to 0.95. */
export function unrelatedCosine(left: Float32Array, right: Float32Array, dimension: number): number {
  const [rowsLeft, rowsRight] = [left.length / dimension, right.length / dimension];
  if (rowsLeft === 0 || rowsRight === 0) return 0;
  const random = createRandom(1);
  const draws = 1000;
  let sum = 0;
  for (let draw = 0; draw < draws; draw++) {
    const a = Math.floor(random() * rowsLeft);
    const b = Math.floor(random() * rowsRight);
    sum += dotRows(left, a, right, b, dimension);
  }
  return Math.min(0.95, Math.max(0, sum / draws));
}
