/** Clusters phrases: groups spellings and variants of the same thing, each with a representative phrase. */
import type { PhraseEncoder } from "../encoder/phrase-encoder.js";
import { withEncoder } from "../encoder/with-encoder.js";
import { ArgumentError } from "../errors.js";
import type { Sharing } from "../files/shards/shard.js";
import type { Spill } from "../match/candidates/pair-set.js";
import type { PrecisionReport } from "../match/estimates/promise.js";
import { groupBy } from "../match/group-by.js";
import type { DoubtfulPair } from "../match/review/doubtful.js";
import { kMeans } from "../search/k-means.js";
import { dotRows } from "../search/vectors.js";
import { groupMembers, representative } from "./linkage.js";
import { numberedPhrases } from "./numbered.js";
import {
  doubtfulLinks,
  type EstimatedGroups,
  groupedPrecision,
  groupedPromise,
  groupsAt,
  promisedGroups,
} from "./one-column/promised-threshold.js";
import { compareWithin, type GroupProgress } from "./same-table.js";

/** Options of {@link cluster}: `threshold`, `k` or `precision` decides how many clusters there are. */
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
   * chosen from the spacing of the clusters, without labels. Default 0.9 if neither `threshold` nor `k` is given. If the
   * promise is not established, the clusters are likely, but not verified.
   */
  readonly precision?: number;
  /** Number of occurrences that each row stands for. Default: 1 each. */
  readonly counts?: ArrayLike<number>;
  /** Seed of k-means. Default 0. */
  readonly seed?: number;
  /** Compares one shard of the phrases and ends, or takes what all shards found; not with `k`. */
  readonly sharing?: Sharing;
  /** Where candidate pairs go that have no room in memory. Default: all are in memory. Results do not depend on it. */
  readonly spill?: Spill;
  readonly signal?: AbortSignal;
  readonly onProgress?: GroupProgress;
}

/** A group of rows. */
export interface PhraseGroup {
  /** Rows, ascending. */
  readonly rows: readonly number[];
  /** The row of the representative phrase. */
  readonly representative: number;
}

/**
 * The groups that {@link cluster} found. Rows are positions in the list of phrases, counted from 0. The estimated
 * precision is undefined with `k`, and the promise with `threshold`, too.
 */
export interface Clustering extends Partial<PrecisionReport> {
  /** Ordered by first row. Rows without visible characters are groups of their own. */
  readonly groups: readonly PhraseGroup[];
  /** Group of each row. */
  readonly groupOf: Int32Array;
  /** Similarity of each row to its representative: 1 for the same phrase. */
  readonly similarity: Float64Array;
  /** Similarity of any two rows, 0 to 1; with `k` the cosine of their embeddings. */
  similarityOf(a: number, b: number): number;
  /** Estimated probability that each row is its representative; undefined with `k`. */
  readonly probability?: Float64Array;
  /** The given or chosen threshold; undefined with `k`. */
  readonly threshold?: number;
  /** Pairs that are most worth judging, the most doubtful first; none with `k`. */
  doubtful(count: number): DoubtfulPair[];
}

/**
 * Clusters phrases.
 *
 *     const { groups } = await cluster(["NYTimes", "New York Times", "NY Times", "Le Monde"]);
 *
 * @throws ArgumentError for options that conflict or are out of range
 */
export async function cluster(phrases: readonly string[], options: ClusterOptions = {}): Promise<Clustering> {
  check(phrases, options);
  options.signal?.throwIfAborted();
  const found = distinctPhrases(phrases, options);
  const { k, signal } = options;
  return withEncoder(options.encoder, { signal }, (encoder) =>
    k === undefined
      ? clusterSpellings(found, encoder, options)
      : clusterTopics(found, encoder, { ...options, k }),
  );
}

async function clusterTopics(
  { distinct, nodeOf, counts }: DistinctPhrases,
  encoder: PhraseEncoder,
  { k, seed = 0, signal, onProgress }: ClusterOptions & { readonly k: number },
): Promise<Clustering> {
  const { dimension } = encoder;
  if (k > distinct.length)
    throw new ArgumentError(
      `k is ${k}, but there are only ${distinct.length} different phrases. Choose a smaller k.`,
    );
  const { data: vectors } = await encoder.encodeMatrix(distinct, { signal, onProgress });
  // On unit vectors, Euclidean distance orders pairs as the cosine does.
  const groups = Int32Array.from(kMeans(vectors, { dimension, clusters: k, seed }).labels);
  const similarity = (a: number, b: number): number => dotRows(vectors, a, vectors, b, dimension);
  const table = { similarity, phrases: distinct, counts };
  const representatives = groupMembers(groups).map((rows) => representative(rows, table));
  return { ...spread(nodeOf, { groups, representatives }, similarity), doubtful: () => [] };
}

async function clusterSpellings(
  { distinct, nodeOf, counts, numbered, compared }: DistinctPhrases,
  encoder: PhraseEncoder,
  { threshold, precision: target = 0.9, ...options }: ClusterOptions,
): Promise<Clustering> {
  const parts = { alone: distinct.slice(compared), numbered };
  const near = await compareWithin(distinct.slice(0, compared), parts, { ...options, encoder });
  const table = { ...near, counts };
  const found = threshold === undefined ? promisedGroups(table, target) : groupsAt(table, threshold);
  const clustering = spread(nodeOf, withAlone(found, distinct.length), table.similarity);
  const probability = Float64Array.from(nodeOf, (node) => found.probability[node] ?? 1);
  const grouped = clustering.groups.flatMap(({ rows, representative: middle }) =>
    rows
      .filter((row) => row !== middle)
      .map((row) => ({ probability: probability[row], isSure: nodeOf[row] === nodeOf[middle] })),
  );
  const report = threshold === undefined ? groupedPromise(grouped, target) : groupedPrecision(grouped);
  const rowOf = (node: number): number => nodeOf.indexOf(node);
  return {
    ...{ ...clustering, ...report, probability, threshold: found.threshold },
    doubtful: (count) => doubtfulLinks(table.links, found, { count, rowOf }),
  };
}

function check(phrases: readonly string[], { threshold, k, precision, counts }: ClusterOptions): void {
  const given = [threshold, k, precision].filter((value) => value !== undefined);
  if (given.length > 1) throw new ArgumentError("give only one of threshold, k and precision");
  for (const [name, value] of Object.entries({ threshold, precision }))
    if (value !== undefined && !(value >= 0 && value <= 1))
      throw new ArgumentError(`${name} must be between 0 and 1, not ${value}`);
  if (k !== undefined && !(Number.isInteger(k) && k >= 1))
    throw new ArgumentError(`k must be a whole number of at least 1, not ${k}`);
  if (counts !== undefined && counts.length !== phrases.length)
    throw new ArgumentError(`counts has ${counts.length} numbers for ${phrases.length} phrases`);
}

type DistinctPhrases = ReturnType<typeof distinctPhrases>;

/** Of numbered phrases, enough are compared that the cosine of unrelated phrases is that of the table. */
const LEAST_COMPARED = 5_000;
/** The greatest similarity of phrases with different numbers (same-table.ts). */
const DIFFERENT_NUMBERS = 0.5;

/**
 * The distinct phrases, how often each occurs, and which of them are numbered. `nodeOf` is per row its place among them; -1
 * for a row without visible characters. From `compared` on, no phrase can belong to a group with another.
 */
function distinctPhrases(phrases: readonly string[], { counts: weights, k, threshold = 1 }: ClusterOptions) {
  const rowsOf = groupBy(phrases.keys(), (row) => phrases[row].trim().replace(/\s+/g, " "));
  rowsOf.delete("");
  const found = [...rowsOf.keys()];
  const numbered = numberedPhrases(k === undefined && threshold > DIFFERENT_NUMBERS ? found : []);
  const [together, alone]: number[][] = [[], []];
  for (const place of found.keys()) (numbered.isAlone[place] === 1 ? alone : together).push(place);
  together.push(...alone.splice(0, LEAST_COMPARED - together.length));
  together.sort((a, b) => a - b);
  const order = [...together, ...alone];
  const nodeOf = new Int32Array(phrases.length).fill(-1);
  const counts = order.map((place, node) => {
    const rows = rowsOf.get(found[place])!;
    for (const row of rows) nodeOf[row] = node;
    return rows.reduce((sum, row) => sum + (weights?.[row] ?? 1), 0);
  });
  return {
    distinct: order.map((place) => found[place]),
    ...{ nodeOf, counts, compared: together.length },
    numbered: {
      isNumbered: Uint8Array.from(together, (place) => numbered.isNumbered[place]),
      numbers: Int32Array.from(together, (place) => numbered.numbers[place]),
    },
  };
}

/** Adds a group of its own for each phrase that was not compared. */
function withAlone(
  { groups, representatives }: Pick<EstimatedGroups, "groups" | "representatives">,
  size: number,
) {
  const all = new Int32Array(size);
  all.set(groups);
  const nodes = [...representatives];
  for (let node = groups.length; node < size; node++) all[node] = nodes.push(node) - 1;
  return { groups: all, representatives: nodes };
}

/** From groups of distinct phrases to groups of rows. */
function spread(
  nodeOf: Int32Array,
  { groups, representatives }: Pick<EstimatedGroups, "groups" | "representatives">,
  similarityOf: (a: number, b: number) => number,
): Omit<Clustering, "doubtful"> {
  const groupOf = new Int32Array(nodeOf.length);
  const similarity = new Float64Array(nodeOf.length).fill(1);
  const similarityBetween = (a: number, b: number): number => {
    const [left, right] = [nodeOf[a], nodeOf[b]];
    if (left < 0 || right < 0) return 0;
    return left === right ? 1 : similarityOf(left, right);
  };
  // Each empty row has its own key below zero.
  const rowsOf = groupBy(nodeOf.keys(), (row) => (nodeOf[row] < 0 ? -1 - row : groups[nodeOf[row]]));
  const phraseGroups = Array.from(rowsOf, ([key, rows], index) => {
    const middle = rows.find((row) => nodeOf[row] === representatives[key]) ?? rows[0];
    for (const row of rows) {
      groupOf[row] = index;
      if (key >= 0) similarity[row] = similarityBetween(row, middle);
    }
    return { rows, representative: middle };
  });
  return { groups: phraseGroups, groupOf, similarity, similarityOf: similarityBetween };
}
