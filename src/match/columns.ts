/**
 * A column of two tables made ready for comparison: terms with an index, embeddings and, if the model has a type head,
 * entity types from the same run, in shared memory.
 */
import type { PhraseEncoder } from "../encoder/phrase-encoder.js";
import { ArgumentError } from "../errors.js";
import { formatCount } from "../files/count-text.js";
import { type Kept, type KeptArray, learnedOnce, type Sharing } from "../files/shards/shard.js";
import { createRandom } from "../random.js";
import { inSharedMemory, shared } from "../runtime/shared-array.js";
import { dotRows } from "../search/vectors.js";
import {
  type FoldedTexts,
  indexTerms,
  type SparseRows,
  type TermIndex,
  type TermStatistics,
  termCosine,
  termRows,
} from "./candidates/grams.js";
import type { PairCosines } from "./evidence/features.js";
import { foldPhrase } from "./evidence/phrase.js";

/** One column of a table, prepared for comparison. Memory may be shared between threads. */
export interface RankedColumn {
  readonly texts: readonly string[];
  readonly terms: SparseRows;
  /** [rows, dimension], unit length; undefined without a model. */
  readonly vectors?: Float32Array;
  /** [rows, entity types], square roots of probabilities; undefined without a type head. */
  readonly types?: Float32Array;
}

/** A column of the base table and of the query table, with what two rows are compared by. */
export interface ComparedColumn {
  readonly base: RankedColumn;
  readonly queries: RankedColumn;
  readonly dimension: number;
  /** The entity types of the model; empty without a type head. */
  readonly entityTypes: readonly string[];
  /** Mean cosine of unrelated rows, which counts as 0. */
  readonly floor: number;
}

/** The same with what rows are found by. */
export interface ColumnPair extends ComparedColumn {
  readonly base: RankedColumn & { readonly index: TermIndex };
  readonly statistics: TermStatistics;
}

/** The cosines of a pair: of the embeddings (rescaled so that unrelated rows have 0), of the terms, and of the types. */
export function pairCosines(
  { base, queries, dimension, entityTypes, floor }: ComparedColumn,
  query: number,
  row: number,
): PairCosines {
  const grams = termCosine(queries.terms, query, base.terms, row);
  if (base.vectors === undefined || queries.vectors === undefined) return { embedding: 0, grams };
  const cosine = dotRows(queries.vectors, query, base.vectors, row, dimension);
  const embedding = Math.max(0, (cosine - floor) / (1 - floor));
  if (base.types === undefined || queries.types === undefined) return { embedding, grams };
  const types = dotRows(queries.types, query, base.types, row, entityTypes.length);
  return { embedding, grams, types: Math.min(1, types) };
}

export interface JoinColumn {
  readonly left: readonly string[];
  readonly right: readonly string[];
}

export interface PrepareOptions {
  /** Undefined: compare without a model. */
  readonly encoder?: PhraseEncoder;
  /** "base" embeds the base only, and leaves types out. Default "all". */
  readonly embed?: "all" | "base";
  /** A first pass ends with the embeddings, and others take them from it. */
  readonly sharing?: Sharing;
  readonly signal?: AbortSignal;
  readonly onProgress?: (done: number, total: number) => void;
}

/** Phrases encoded at a time, so that only a part of the embeddings is in memory twice. */
const portion = 16_384;

/** Numbers of an array at most: of Node.js 20, later versions have more. */
const mostNumbers = 2 ** 32;

/** @throws ArgumentError where the embeddings of a table do not fit into one array: those of 7,158,278 rows do at 600 dimensions */
export function checkEmbeddings(rows: number, dimension: number): void {
  const most = Math.floor(mostNumbers / dimension);
  if (rows > most)
    throw new ArgumentError(
      `${formatCount(rows)} rows are more than can be embedded: ${formatCount(most)} with ${dimension} dimensions. ` +
        'Use a model of fewer dimensions, or compare without one: --model none (encoder: "none").',
    );
}

/** Prepares a column: queries are the right table, the base is the left one. */
export async function prepareColumn(
  { left, right }: JoinColumn,
  { encoder, embed = "all", sharing, signal, onProgress }: PrepareOptions,
): Promise<ColumnPair> {
  const embedded = embed === "all" ? right : [];
  const total = left.length + embedded.length;
  if (encoder !== undefined)
    for (const { length } of [left, embedded]) checkEmbeddings(length, encoder.dimension);
  const types = entityTypes((embed === "all" && encoder?.model.types) || []);
  const encode = async (texts: readonly string[], before: number): Promise<Encoded> =>
    encoder === undefined
      ? {}
      : encodeShared(encoder, texts, types, signal, (done) => onProgress?.(before + done, total));
  const encodeBoth = async (): Promise<readonly Encoded[]> => {
    const make = async (): Promise<Kept> => {
      const [ofLeft, ofRight] = [await encode(left, 0), await encode(embedded, left.length)];
      return { ...keptAs("left", ofLeft), ...keptAs("right", ofRight) };
    };
    const kept = await learnedOnce(keptNames, make, sharing);
    if (sharing?.kind === "learn") sharing.end(kept);
    return [encodedIn(kept, "left"), encodedIn(kept, "right")];
  };
  const readTerms = async () => {
    // The encoder's workers get their first phrases before this thread is busy.
    await new Promise(setImmediate);
    const terms = termRows(foldedTexts(left), foldedTexts(right));
    return { ...terms, index: indexTerms(terms.left, terms.statistics.documents.length) };
  };
  const [encoded, terms] = await Promise.all([encodeBoth(), readTerms()]);
  const base = { texts: left, terms: terms.left, index: terms.index, ...encoded[0] };
  const queries = { texts: right, terms: terms.right, ...(embed === "all" && encoded[1]) };
  const dimension = encoder?.dimension ?? 0;
  return {
    ...{ base, queries, dimension },
    statistics: terms.statistics,
    entityTypes: types.names,
    floor: base.vectors && queries.vectors ? unrelatedCosine(base.vectors, queries.vectors, dimension) : 0,
  };
}

const foldedTexts = (texts: readonly string[]): FoldedTexts => ({
  length: texts.length,
  *[Symbol.iterator]() {
    for (const text of texts) yield foldPhrase(text);
  },
});

type Encoded = Pick<RankedColumn, "vectors" | "types">;

const keptNames = ["left vectors", "left types", "right vectors", "right types"];

const keptAs = (side: string, { vectors, types }: Encoded): Kept => ({
  ...(vectors && { [`${side} vectors`]: vectors }),
  ...(types && { [`${side} types`]: types }),
});

function encodedIn(kept: Kept, side: string): Encoded {
  const [vectors, types] = [kept[`${side} vectors`], kept[`${side} types`]];
  const sharedBy = (numbers: KeptArray | undefined) => numbers && inSharedMemory(numbers as Float32Array);
  return { vectors: sharedBy(vectors), types: sharedBy(types) };
}

async function encodeShared(
  encoder: PhraseEncoder,
  texts: readonly string[],
  entities: EntityTypes,
  signal: AbortSignal | undefined,
  onProgress: (done: number) => void,
): Promise<Encoded> {
  const { dimension } = encoder;
  const vectors = shared(Float32Array, texts.length * dimension);
  const width = entities.names.length;
  const types = width > 0 ? shared(Float32Array, texts.length * width) : undefined;
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

export type EntityTypes = ReturnType<typeof entityTypes>;

/**
 * Two phrases agree on their types by the Bhattacharyya coefficient of the types' probabilities (Bhattacharyya 1943), the sum of
 * sqrt(left × right): 1 for equal distributions, 0 if no type is possible for both. Lexical classes are ignored: in tables of
 * names they carry no information. The entity types of a model's labels: "NP-ORG" and "VP-ORG" are both ORG; a label without a hyphen is a type itself.
 * `places` is the index of each label's type in `names`.
 */
export function entityTypes(labels: readonly string[]) {
  const entities = labels.map((label) => label.slice(label.indexOf("-") + 1));
  const names = [...new Set(entities)];
  return { names, places: Int32Array.from(entities, (entity) => names.indexOf(entity)) };
}

/**
 * Writes the square roots of the entity types' probabilities to `out`, from row `first`: agreement is then a dot product.
 *
 * @param probabilities [rows, labels]
 * @param out [all rows, entity types]
 */
export function writeTypeRoots(
  probabilities: Float32Array,
  { names, places }: EntityTypes,
  out: Float32Array,
  first: number,
): void {
  const rows = probabilities.length / places.length;
  for (let row = 0; row < rows; row++) {
    const start = (first + row) * names.length;
    for (let label = 0; label < places.length; label++)
      out[start + places[label]] += probabilities[row * places.length + label];
    for (let type = start; type < start + names.length; type++) out[type] = Math.sqrt(out[type]);
  }
}

export interface LikelyType {
  readonly type: string;
  readonly probability: number;
}

export function likeliestType(roots: Float32Array, row: number, names: readonly string[]): LikelyType {
  const own = roots.subarray(row * names.length, (row + 1) * names.length);
  const best = own.reduce((place, root, index) => (root > own[place] ? index : place), 0);
  return { type: names[best], probability: own[best] ** 2 };
}
