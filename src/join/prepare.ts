/**
 * Makes two columns of phrases ready to be compared: folded texts, terms with an index, vectors and, where the model
 * has a type head, entity types from the same run of it, in shared memory.
 */
import type { PhraseEncoder } from "../encoder/index.js";
import { createRandom } from "../random.js";
import { dotRows } from "../search/vectors.js";
import { indexTerms, shared, termRows } from "./grams.js";
import { foldPhrase } from "./phrase.js";
import type { ColumnPair, RankedColumn } from "./rank-rows.js";
import { type EntityTypes, entityTypes, writeTypeRoots } from "./type-agreement.js";

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
  const types = entityTypes(encoder?.model.types ?? []);
  const encode = async (texts: readonly string[], before: number): Promise<Encoded> =>
    encoder === undefined
      ? {}
      : encodeShared(encoder, texts, types, signal, (done) => onProgress?.(before + done, total));
  const leftEncoded = await encode(left, 0);
  const rightEncoded = await encode(right, left.length);
  const dimension = encoder?.dimension ?? 0;
  const [leftVectors, rightVectors] = [leftEncoded.vectors, rightEncoded.vectors];
  return {
    base: {
      texts: left,
      terms: terms.left,
      ...leftEncoded,
      index: indexTerms(terms.left, terms.statistics),
    },
    queries: { texts: right, terms: terms.right, ...rightEncoded },
    statistics: terms.statistics,
    dimension,
    entityTypes: types.names,
    floor: leftVectors && rightVectors ? unrelatedCosine(leftVectors, rightVectors, dimension) : 0,
    weight,
  };
}

/** What a model says of a column; nothing without one. */
type Encoded = Pick<RankedColumn, "vectors" | "types">;

async function encodeShared(
  encoder: PhraseEncoder,
  texts: readonly string[],
  entities: EntityTypes,
  signal: AbortSignal | undefined,
  onProgress: (done: number) => void,
): Promise<Encoded> {
  const { dimension } = encoder;
  const vectors = shared(Float32Array, texts.length * dimension);
  const tellsTypes = entities.names.length > 0;
  const types = tellsTypes ? shared(Float32Array, texts.length * entities.names.length) : undefined;
  for (let from = 0; from < texts.length; from += portion) {
    const part = texts.slice(from, from + portion);
    if (types === undefined)
      vectors.set((await encoder.encodeMatrix(part, { signal })).data, from * dimension);
    else {
      const encoded = await encoder.encodeWithTypes(part, { signal });
      vectors.set(encoded.data, from * dimension);
      writeTypeRoots(encoded.types, entities, types, from);
    }
    onProgress(Math.min(from + portion, texts.length));
  }
  return { vectors, types };
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
