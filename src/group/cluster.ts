/** Clusters phrases: groups spellings and variants of the same thing, each with a representative phrase. */
import type { PhraseEncoder } from "../encoder/phrase-encoder.js";
import { withEncoder } from "../encoder/with-encoder.js";
import { ArgumentError, UsageError } from "../errors.js";
import type { Sharing } from "../files/shards/shard.js";
import type { Spill } from "../match/candidates/pair-set.js";
import { textsInOneScript } from "../match/cells/one-script.js";
import { checkCells } from "../match/check-tables.js";
import { type KnownPair, mostEmbedded } from "../match/compare-tables.js";
import type { PrecisionReport } from "../match/estimates/promise.js";
import type { DoubtfulPair } from "../match/review/doubtful.js";
import { type PairRules, type RulesReport, rulesReport, samePairs } from "../match/rules.js";
import { placesByNumber } from "../places-by-number.js";
import { kMeans } from "../search/k-means.js";
import { dotRows } from "../search/vectors.js";
import { representativesOf } from "./links.js";
import {
  type DistinctPhrases,
  distinctPhrases,
  type PhraseGroups,
  phraseGroups,
  withAlone,
} from "./one-column/distinct-phrases.js";
import { type Rewritings, rewritings } from "./one-column/list-words.js";
import {
  answeredGroups,
  doubtfulLinks,
  type EstimatedGroups,
  groupedPrecision,
  groupedPromise,
  groupsAt,
  promisedGroups,
} from "./one-column/promised-threshold.js";
import { type RuledPhrases, ruledPhrases } from "./one-column/ruled-phrases.js";
import { compareWithin, type GroupProgress } from "./same-table.js";

/** Options of {@link cluster}: `threshold`, `k` or `precision` decides how many clusters there are. */
export interface ClusterOptions {
  /** Default: the embedded model, loaded for the call. "none": phrases are compared by spelling alone. */
  readonly encoder?: PhraseEncoder | "none";
  /**
   * Puts phrases together whose similarity is at least this on average, 0 to 1. Similarity is the mean of the cosines of
   * embeddings and of weighted n-grams (of more than 300,000 different phrases, that of n-grams), reduced if numbers or rare
   * words differ.
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
  /** What was read of rules on other columns of these rows: those of `never` keep phrases apart; not with `k`. */
  readonly rules?: PairRules;
  readonly signal?: AbortSignal;
  readonly onProgress?: GroupProgress;
}

/**
 * The groups that {@link cluster} found. Rows are positions in the list of phrases, counted from 0. The estimated
 * precision is undefined with `k`, and the promise with `threshold`, too.
 */
export interface Clustering extends PhraseGroups, Partial<PrecisionReport> {
  /** Estimated probability that each row is its representative; undefined with `k`. */
  readonly probability?: Float64Array;
  /** The given or chosen threshold; undefined with `k`. */
  readonly threshold?: number;
  /** What rules decided; undefined without any. */
  readonly ruled?: RulesReport;
  /** Pairs that are most worth judging, the most doubtful first, without those that were judged; none with `k`. */
  doubtful(count: number, isJudged?: (left: number, right: number) => boolean): DoubtfulPair[];
}

/** What {@link cluster} returns. */
export interface AnswerableClustering extends Clustering {
  /** The clustering at the threshold that judged pairs of rows find: from ten of them on, without `threshold` and `k`. */
  answered(known: readonly KnownPair[]): Promise<Clustering>;
}

/**
 * Clusters phrases. Those in different scripts are compared in Latin letters.
 *
 *     const { groups } = await cluster(["NYTimes", "New York Times", "NY Times", "Le Monde"]);
 *
 * @throws UsageError for options that conflict, ArgumentError for one out of range
 */
export async function cluster(
  phrases: readonly string[],
  options: ClusterOptions = {},
): Promise<AnswerableClustering> {
  check(phrases, options);
  options.signal?.throwIfAborted();
  const { k, threshold = 1, counts, signal } = options;
  const [texts] = await textsInOneScript([phrases]);
  const found = distinctPhrases(texts, counts, k === undefined && threshold > DIFFERENT_NUMBERS);
  return withEncoder(options.encoder, { signal }, (encoder) =>
    k === undefined
      ? clusterSpellings(found, encoder, options)
      : clusterTopics(found, encoder, { ...options, k }),
  );
}

/** The greatest similarity of phrases with different numbers (same-table.ts). */
const DIFFERENT_NUMBERS = 0.5;

async function clusterTopics(
  { compared, nodeOf, counts }: DistinctPhrases,
  encoder: PhraseEncoder | undefined,
  { k, seed = 0, signal, onProgress }: ClusterOptions & { readonly k: number },
): Promise<AnswerableClustering> {
  if (encoder === undefined) throw new ArgumentError("k needs an encoder: topics are clusters of embeddings");
  const { dimension } = encoder;
  const phrases = [...compared];
  if (k > phrases.length && nodeOf.length > 0)
    throw new ArgumentError(
      `k is ${k}, but there are only ${phrases.length} different phrases. Choose a smaller k.`,
    );
  const { data: vectors } = await encoder.encodeMatrix(phrases, { signal, onProgress });
  // On unit vectors, Euclidean distance orders pairs as the cosine does.
  const groups =
    nodeOf.length > 0 ? kMeans(vectors, { dimension, clusters: k, seed }).labels : new Int32Array(0);
  const similarity = (a: number, b: number): number => dotRows(vectors, a, vectors, b, dimension);
  const representatives = representativesOf(placesByNumber(groups, k), { similarity, phrases, counts });
  const found: AnswerableClustering = Object.assign(
    phraseGroups(nodeOf, { groups, representatives }, similarity),
    {
      doubtful: () => [],
      answered: async () => found,
    },
  );
  return found;
}

async function clusterSpellings(
  { compared, alone, nodeOf: phraseOf, counts: ofPhrases, numbered }: DistinctPhrases,
  encoder: PhraseEncoder | undefined,
  { threshold, precision, rules, counts: weights, ...options }: ClusterOptions,
): Promise<AnswerableClustering> {
  // A rule of too many pairs is refused before phrases are compared.
  const same = rules && samePairs(rules, true);
  const isEmbedded = ofPhrases.length <= mostEmbedded;
  const near = await compareWithin(
    compared,
    { alone, numbered },
    { ...options, encoder: isEmbedded ? encoder : undefined },
  );
  const textOf = (phrase: number): string => compared[phrase] ?? alone[phrase - compared.length];
  const nodes: RuledPhrases = rules?.never.length
    ? ruledPhrases(near, { phraseOf, textOf, rules, weights })
    : { nodeOf: phraseOf, table: { ...near, counts: ofPhrases } };
  const written = rewritings(nodes.table.phrases);
  const given = { phraseOf, written, threshold, precision, ruled: rules && { rules, same: same! } };
  const found =
    threshold === undefined
      ? await promisedGroups(nodes.table, written, precision ?? standardPrecision, options)
      : await groupsAt(nodes.table, threshold, options);
  return clusteringOf(nodes, found, { ...given, signal: options.signal });
}

/** The promised precision where none is given. */
export const standardPrecision = 0.9;

/** Fewer answers decide about their own pairs alone. */
const leastAnswers = 10;

interface ClusteringOptions extends Pick<ClusterOptions, "threshold" | "precision" | "signal"> {
  /** The phrase of each row, -1 of a row that says nothing. */
  readonly phraseOf: Int32Array;
  readonly written: Rewritings;
  readonly ruled?: { readonly rules: PairRules; readonly same: ReturnType<typeof samePairs> };
}

/** What groups of nodes say of rows. */
function clusteringOf(
  nodes: RuledPhrases,
  found: EstimatedGroups,
  options: ClusteringOptions,
): AnswerableClustering {
  const { nodeOf, table } = nodes;
  const { phraseOf, written, threshold, precision = standardPrecision, ruled } = options;
  const clustering = phraseGroups(nodeOf, withAlone(found, table.counts.length), table.similarity);
  const probability = Float64Array.from(nodeOf, (node) => found.probability[node] ?? 1);
  const grouped = clustering.groupsOfSeveral().flatMap(({ rows, representative: middle }) =>
    rows
      .filter((row) => row !== middle)
      .map((row) => ({
        probability: probability[row],
        isSure: phraseOf[row] === phraseOf[middle],
        isRewritten: written.isRewritten(nodeOf[row], nodeOf[middle]),
      })),
  );
  const report = threshold === undefined ? groupedPromise(grouped, precision) : groupedPrecision(grouped);
  return Object.assign(clustering, {
    ...{ ...report, probability, threshold: found.threshold },
    ruled: ruled && rulesReport(ruled.rules, ruled.same, table.rules?.keptApart(found.threshold) ?? []),
    doubtful(count: number, isJudged?: (left: number, right: number) => boolean) {
      const rowOf = new Int32Array(table.counts.length);
      for (let row = nodeOf.length - 1; row >= 0; row--) if (nodeOf[row] >= 0) rowOf[nodeOf[row]] = row;
      return doubtfulLinks(table.links, found, { count, rowOf, isJudged });
    },
    async answered(known: readonly KnownPair[]) {
      const judged = known
        .filter(({ left, right }) => Math.min(nodeOf[left], nodeOf[right]) >= 0)
        .filter(({ left, right }) => phraseOf[left] !== phraseOf[right])
        .map(({ left, right, match }) => ({ left: nodeOf[left], right: nodeOf[right], match }));
      if (threshold !== undefined || judged.length < leastAnswers) return clusteringOf(nodes, found, options);
      return clusteringOf(nodes, await answeredGroups(table, found, judged, options), options);
    },
  });
}

function check(phrases: readonly string[], { threshold, k, precision, counts }: ClusterOptions): void {
  checkCells("phrases", phrases);
  const given = [threshold, k, precision].filter((value) => value !== undefined);
  if (given.length > 1) throw new UsageError("give only one of threshold, k and precision");
  for (const [name, value] of Object.entries({ threshold, precision }))
    if (value !== undefined && !(value >= 0 && value <= 1))
      throw new ArgumentError(`${name} must be between 0 and 1, not ${value}`);
  if (k !== undefined && !(Number.isInteger(k) && k >= 1))
    throw new ArgumentError(`k must be a whole number of at least 1, not ${k}`);
  if (counts !== undefined && counts.length !== phrases.length)
    throw new ArgumentError(`counts has ${counts.length} numbers for ${phrases.length} phrases`);
}
