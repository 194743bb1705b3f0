/**
 * Prepares two columns of phrases for comparison: terms with an index, embeddings and, if the model has a type head,
 * entity types from the same run, in shared memory.
 */
import type { PhraseEncoder } from "../../encoder/phrase-encoder.js";
import { createRandom } from "../../random.js";
import { dotRows } from "../../search/vectors.js";
import { indexTerms, shared, termRows } from "../candidates/grams.js";
import { foldPhrase } from "../evidence/phrase.js";
import { type EntityTypes, entityTypes, writeTypeRoots } from "../evidence/type-agreement.js";
import type { ColumnPair, RankedColumn } from "./column-pair.js";

/** A column of both tables and its weight in the score. */
export interface JoinColumn {
  readonly left: readonly string[];
  readonly right: readonly string[];
  /** The weights of all columns sum to 1. */
  readonly weight: number;
}

export interface PrepareOptions {
  /** Undefined: compare without a model. */
  readonly encoder?: PhraseEncoder;
  readonly signal?: AbortSignal;
  /** Called with the number of phrases encoded and the total. */
  readonly onProgress?: (done: number, total: number) => void;
}

/** Phrases encoded at a time, so that only a part of the embeddings is in memory twice. */
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

/** The output of the model for a column; empty without a model. */
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

/** Mean cosine of random pairs, from 0 to 0.95: models differ in the cosine of unrelated phrases. */
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
