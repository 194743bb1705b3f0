/** Clusters phrases: groups spellings and variants of the same thing, each with a representative phrase. */
import { PhraseEncoder } from "../encoder/phrase-encoder.js";
import { ArgumentError } from "../errors.js";
import { kMeans } from "../search/k-means.js";
import { dotRows } from "../search/vectors.js";
import {
  type CountedTable,
  type EstimatedGroups,
  estimated,
  groupsAt,
  promisedGroups,
} from "./promised-threshold.js";
import { compareWithin } from "./same-table.js";

export interface ClusterOptions {
  /** Default: the embedded model, loaded for the call. */
  readonly encoder?: PhraseEncoder;
  /**
   * Links phrases of at least this similarity, 0 to 1: the mean of the cosines of their embeddings and of their weighted
   * n-grams, reduced if numbers or rare words differ.
   */
  readonly threshold?: number;
  /** Number of clusters of spherical k-means over the embeddings; for topics rather than duplicates. */
  readonly k?: number;
  /**
   * The promised precision: the share of rows that belong to the representative of their cluster. The threshold is
   * chosen from the spacing of the clusters, without labels. Default 0.9 if neither `threshold` nor `k` is given.
   */
  readonly precision?: number;
  /** Number of occurrences that each row stands for. Default: 1 each. */
  readonly counts?: ArrayLike<number>;
  /** Seed of k-means. Default 0. */
  readonly seed?: number;
  readonly signal?: AbortSignal;
  /** Called with the number of phrases encoded and the total. */
  readonly onProgress?: (done: number, total: number) => void;
}

/** A group of rows. */
export interface PhraseGroup {
  /** Rows, ascending. */
  readonly rows: readonly number[];
  /** The row of the representative phrase. */
  readonly representative: number;
}

export interface Clustering {
  /** Ordered by first row. Rows without visible characters are groups of their own. */
  readonly groups: readonly PhraseGroup[];
  /** Group of each row. */
  readonly groupOf: Int32Array;
  /** Similarity of each row to its representative: 1 for the same phrase. */
  readonly similarity: Float64Array;
  /** Similarity of any two rows, 0 to 1; with `k` the cosine of their embeddings. */
  similarityOf(a: number, b: number): number;
  /** The given or chosen threshold; undefined with `k`. */
  readonly threshold?: number;
  /** Estimated precision of the clusters, without labels; undefined with `k`. */
  readonly estimatedPrecision?: number;
}

/**
 * Clusters phrases.
 *
 *     const { groups } = await cluster(["NYTimes", "New York Times", "NY Times", "Le Monde"]);
 *
 * @throws ArgumentError for options that conflict or are out of range; InterruptedError
 */
export async function cluster(phrases: readonly string[], options: ClusterOptions = {}): Promise<Clustering> {
  check(phrases, options);
  const { distinct, nodeOf, counts } = distinctPhrases(phrases, options.counts);
  const encoder = options.encoder ?? (await PhraseEncoder.load());
  try {
    const { signal, onProgress } = options;
    if (options.k !== undefined) {
      const { data: vectors } = await encoder.encodeMatrix(distinct, { signal, onProgress });
      const { dimension } = encoder;
      const groups = sphericalGroups(vectors, dimension, options.k, options.seed ?? 0);
      const table = { ...dotTable(vectors, dimension), phrases: distinct, counts };
      const { representatives } = estimated(table, groups, 0);
      return spread(nodeOf, { groups, representatives }, table.similarity);
    }
    const compared = await compareWithin(distinct, { encoder, signal, onProgress });
    const table: CountedTable = { ...compared, phrases: distinct, counts };
    const found =
      options.threshold === undefined
        ? promisedGroups(table, options.precision ?? 0.9)
        : groupsAt(table, options.threshold);
    return {
      ...spread(nodeOf, found, table.similarity),
      threshold: found.threshold,
      estimatedPrecision: found.estimatedPrecision,
    };
  } finally {
    if (options.encoder === undefined) await encoder.dispose();
  }
}

function check(phrases: readonly string[], { threshold, k, precision, counts }: ClusterOptions): void {
  const given = [threshold, k, precision].filter((value) => value !== undefined);
  if (given.length > 1) throw new ArgumentError("give only one of threshold, k and precision");
  for (const [name, value] of Object.entries({ threshold, precision })) {
    if (value !== undefined && !(value >= 0 && value <= 1))
      throw new ArgumentError(`${name} must be between 0 and 1, not ${value}`);
  }
  if (k !== undefined && !(Number.isInteger(k) && k >= 1))
    throw new ArgumentError(`k must be a whole number of at least 1, not ${k}`);
  if (counts !== undefined && counts.length !== phrases.length)
    throw new ArgumentError(`counts has ${counts.length} numbers for ${phrases.length} phrases`);
}

interface DistinctPhrases {
  readonly distinct: string[];
  /** Per row its place among the distinct phrases; -1 for a row without visible characters. */
  readonly nodeOf: Int32Array;
  /** Occurrences of each distinct phrase. */
  readonly counts: Float64Array;
}

function distinctPhrases(phrases: readonly string[], weights?: ArrayLike<number>): DistinctPhrases {
  const places = new Map<string, number>();
  const sums: number[] = [];
  const nodeOf = Int32Array.from(phrases, (phrase, row) => {
    const text = phrase.trim().replace(/\s+/g, " ");
    if (text === "") return -1;
    const known = places.get(text);
    if (known !== undefined) {
      sums[known] += weights?.[row] ?? 1;
      return known;
    }
    places.set(text, places.size);
    sums.push(weights?.[row] ?? 1);
    return places.size - 1;
  });
  return { distinct: [...places.keys()], nodeOf, counts: Float64Array.from(sums) };
}

/** K-means on unit vectors: their Euclidean distance orders pairs as the cosine does. */
function sphericalGroups(vectors: Float32Array, dimension: number, k: number, seed: number): Int32Array {
  const count = vectors.length / dimension;
  if (k > count) throw new ArgumentError(`k is ${k}, but there are only ${count} different phrases`);
  const { labels } = kMeans(vectors, { dimension, clusters: k, seed });
  return Int32Array.from(labels);
}

/** A table without links, whose similarity is the cosine of the embeddings. */
function dotTable(vectors: Float32Array, dimension: number) {
  const none = { left: new Int32Array(0), right: new Int32Array(0), scores: new Float32Array(0) };
  const similarity = (a: number, b: number): number => dotRows(vectors, a, vectors, b, dimension);
  return { size: vectors.length / dimension, links: none, similarity };
}

/** From groups of distinct phrases to groups of rows. */
function spread(
  nodeOf: Int32Array,
  { groups, representatives }: Pick<EstimatedGroups, "groups" | "representatives">,
  similarityOf: (a: number, b: number) => number,
): Clustering {
  const rowsOf = new Map<number, number[]>();
  const groupOf = new Int32Array(nodeOf.length);
  const similarity = new Float64Array(nodeOf.length).fill(1);
  nodeOf.forEach((node, row) => {
    // An empty row has a key of its own below zero.
    const key = node < 0 ? -1 - row : groups[node];
    const rows = rowsOf.get(key);
    if (rows === undefined) rowsOf.set(key, [row]);
    else rows.push(row);
    if (node < 0) return;
    const middle = representatives[groups[node]];
    if (middle !== node) similarity[row] = similarityOf(node, middle);
  });
  const phraseGroups = [...rowsOf].map(([key, rows], index) => {
    for (const row of rows) groupOf[row] = index;
    const middle = key < 0 ? rows[0] : rows.find((row) => nodeOf[row] === representatives[key]);
    return { rows, representative: middle as number };
  });
  return {
    groups: phraseGroups,
    groupOf,
    similarity,
    similarityOf: (a, b) => {
      const [left, right] = [nodeOf[a], nodeOf[b]];
      if (left < 0 || right < 0) return 0;
      return left === right ? 1 : similarityOf(left, right);
    },
  };
}
