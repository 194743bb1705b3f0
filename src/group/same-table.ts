/** Compares a table with itself: the nearest phrases by embedding and by n-grams, and the similarity of any two. */
import { nearestByEmbedding } from "../match/candidates/nearest-by-embedding.js";
import { type PrepareOptions, pairCosines, prepareColumn, unrelatedCosine } from "../match/columns.js";
import { featureNames, pairFeatures, type WeighedPhrase, weighPhrase } from "../match/evidence/features.js";
import { candidateRows } from "../match/rank-rows.js";
import { learnDistinguishing } from "./distinguishing.js";
import type { Links } from "./linkage.js";

export interface SameTable {
  readonly phrases: readonly string[];
  /** Candidate pairs, each once, the lower row on the left. */
  readonly links: Links;
  similarity(a: number, b: number): number;
}

/** Neighbours found by embedding, and by n-grams. */
const NEIGHBOURS = 15;
/** Above this many pairs, those of 50,000 phrases, neighbours by embedding are found with IVF lists. */
const MANY_PAIRS = 50_000 ** 2;
const POSTINGS = 50_000;
/** Phrases between two checks of the signal. */
const PORTION = 1024;

const place = Object.fromEntries(featureNames.map((name, index) => [name, index]));

/** Receives the number of phrases done in a stage and the total. */
export type GroupProgress = (done: number, total: number, stage?: "encoding" | "comparing") => void;

type SameTableOptions = Omit<PrepareOptions, "onProgress"> & { readonly onProgress?: GroupProgress };

/** Compares a table of distinct phrases with itself. Up to 50,000 phrases, neighbours by embedding are exact. */
export async function compareWithin(
  phrases: readonly string[],
  options: SameTableOptions,
): Promise<SameTable> {
  const { signal } = options;
  const prepared = await prepareColumn({ left: phrases, right: [], weight: 1 }, options);
  const { vectors } = prepared.base;
  const floor = vectors === undefined ? 0 : unrelatedCosine(vectors, vectors, prepared.dimension);
  const column = { ...prepared, queries: prepared.base, floor };
  const weighed = phrases.map((phrase) => weighPhrase(phrase, column.statistics));
  const alike = (a: number, b: number): number =>
    pairSimilarity(weighed[a], weighed[b], pairCosines(column, a, b));
  const pairs: number[] = [];
  const settings = { k: NEIGHBOURS + 1, manyPairs: MANY_PAIRS, signal };
  const near = await nearestByEmbedding(column, Uint32Array.from(phrases.keys()), settings);
  const limits = { candidates: NEIGHBOURS, postings: POSTINGS };
  const find = candidateRows({ columns: [column], sameTable: true, ...limits });
  for (let row = 0; row < phrases.length; row++) {
    if (row % PORTION === 0) {
      signal?.throwIfAborted();
      options.onProgress?.(row, phrases.length, "comparing");
      await new Promise(setImmediate);
    }
    for (const other of find(row, row, [near]))
      pairs.push(Math.min(row, other) * phrases.length + Math.max(row, other));
  }
  const keys = Float64Array.from(pairs)
    .sort()
    .filter((key, index, sorted) => key !== sorted[index - 1]);
  const left = Int32Array.from(keys, (key) => Math.floor(key / phrases.length));
  const right = Int32Array.from(keys, (key) => key % phrases.length);
  const scores = Float32Array.from(left, (row, link) => alike(row, right[link]));
  const distinguish = learnDistinguishing(weighed, { left, right, scores });
  const lowered = (score: number, a: number, b: number): number =>
    score * distinguish(weighed[a], weighed[b]);
  return {
    phrases,
    links: { left, right, scores: scores.map((score, link) => lowered(score, left[link], right[link])) },
    similarity: (a, b) => lowered(alike(a, b), a, b),
  };
}

/**
 * Similarity of two phrases, 0 to 1: the mean of the cosines of their embeddings and of their weighted n-grams, or 1 if
 * they differ only in case, accents and punctuation. It is reduced by up to half if each has a rare word that the other
 * lacks, and halved if each has a number that the other lacks: "Season 2009" is not "Season 2010". Distinguishing words of
 * the table reduce it too (distinguishing.ts).
 */
function pairSimilarity(
  a: WeighedPhrase,
  b: WeighedPhrase,
  cosines: { readonly embedding: number; readonly grams: number },
): number {
  if (a.compact !== "" && a.compact === b.compact && withoutPunctuation(a) === withoutPunctuation(b))
    return 1;
  pairFeatures(a, b, cosines, features);
  const mean = (features[place.embedding] + features[place.grams]) / 2;
  const conflict = features[place.numbersConflict] === 1 ? 0.5 : 1;
  return mean * conflict * (1 - features[place.bothDiffer] / 2);
}

/** "+" and "#" stay, so that "C" and "C++" differ. */
const withoutPunctuation = ({ folded }: WeighedPhrase): string => folded.replace(/[\s.,;:!?"'()[\]-]+/g, "");

const features = new Float64Array(featureNames.length);
