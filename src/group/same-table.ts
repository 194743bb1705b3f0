/** Compares a table with itself: the nearest phrases by embedding and by n-grams, and the similarity of any two. */
import { ownRange } from "../files/shards/shard.js";
import { termCosine } from "../match/candidates/grams.js";
import { nearestByEmbedding } from "../match/candidates/nearest-by-embedding.js";
import { PairSet, type Pairs, type Spill } from "../match/candidates/pair-set.js";
import {
  type ColumnPair,
  type PrepareOptions,
  pairCosines,
  prepareColumn,
  unrelatedCosine,
} from "../match/columns.js";
import {
  featureNames,
  type PairCosines,
  pairFeatures,
  type WeighedPhrase,
  weighPhrase,
} from "../match/evidence/features.js";
import { foldPhrase, splitFolded } from "../match/evidence/phrase.js";
import { endWithPairs, levelsOfParts, type Parts, unitedPairs } from "../match/parts/shared-pairs.js";
import { candidateRows } from "../match/rank-rows.js";
import { learnDistinguishing } from "./distinguishing.js";
import type { Links } from "./linkage.js";
import { type NumberedPhrases, sameNumbers } from "./numbered.js";

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
/** Up to this many phrases with the same numbers, a numbered phrase is compared with all of them. */
const SMALL_BLOCK = 50;
/** In larger blocks, the postings visited: the numbers and the rare words come first. */
const BLOCK_POSTINGS = 5_000;
/** Phrases between two checks of the signal. */
const PORTION = 1024;

const place = Object.fromEntries(featureNames.map((name, index) => [name, index]));

/** What is known of the phrases before they are compared. */
export interface TableParts {
  /** Phrases of the table that equal no other and are not compared; they follow the others in `similarity`. */
  readonly alone: readonly string[];
  /** Of the compared phrases. */
  readonly numbered: NumberedPhrases;
}

/** Receives the number of phrases done in a stage and the total. */
export type GroupProgress = (done: number, total: number, stage?: "encoding" | "comparing") => void;

interface SameTableOptions extends Omit<PrepareOptions, "onProgress"> {
  /** Where candidate pairs go that have no room in memory. */
  readonly spill?: Spill;
  readonly onProgress?: GroupProgress;
}

/** Compares a table of distinct phrases with itself. Up to 50,000 phrases, neighbours by embedding are exact. */
export async function compareWithin(
  phrases: readonly string[],
  { alone, numbered }: TableParts,
  options: SameTableOptions,
): Promise<SameTable> {
  const prepared = await prepareColumn({ left: phrases, right: alone }, { ...options, embed: "base" });
  const { base, queries, dimension, statistics } = prepared;
  const floor = base.vectors === undefined ? 0 : unrelatedCosine(base.vectors, base.vectors, dimension);
  const column = { ...prepared, queries: base, floor };
  const weighed = phrases.map((phrase) => weighPhrase(phrase, statistics));
  const aloneCosines = (a: number, b: number): PairCosines => {
    const [x, y] = [a, b].map((row) =>
      row < phrases.length ? { terms: base.terms, row } : { terms: queries.terms, row: row - phrases.length },
    );
    const grams = termCosine(x.terms, x.row, y.terms, y.row);
    return { embedding: grams, grams };
  };
  const isCompared = (a: number, b: number): boolean => Math.max(a, b) < phrases.length;
  const phraseOf = (row: number): WeighedPhrase =>
    weighed[row] ?? weighPhrase(alone[row - phrases.length], statistics);
  const alike = (a: number, b: number): number =>
    pairSimilarity(
      phraseOf(a),
      phraseOf(b),
      isCompared(a, b) ? pairCosines(column, a, b) : aloneCosines(a, b),
    );
  const { sharing, spill } = options;
  const isMerge = sharing?.kind === "merge";
  const pairs = isMerge
    ? await unitedPairs(sharing.parts, new PairSet(phrases.length, spill))
    : await candidatePairs(column, numbered, options);
  const { left, right } = pairs;
  const scores = isMerge
    ? await mergedScores(sharing.parts, pairs)
    : Float32Array.from(left, (row, link) => alike(row, right[link]));
  if (sharing?.kind === "shard") endWithPairs(sharing, pairs, [scores]);
  const otherWords = function* () {
    for (const phrase of alone) yield splitFolded(foldPhrase(phrase));
  };
  const distinguish = learnDistinguishing(weighed, { left, right, scores }, otherWords());
  const lowered = (score: number, a: number, b: number): number =>
    score * distinguish(phraseOf(a), phraseOf(b));
  return {
    phrases,
    links: { left, right, scores: scores.map((score, link) => lowered(score, left[link], right[link])) },
    similarity: (a, b) => lowered(alike(a, b), a, b),
  };
}

async function mergedScores(parts: Parts, pairs: Pairs): Promise<Float32Array> {
  const scores = new Float32Array(pairs.left.length);
  for await (const { levels, places } of levelsOfParts<Float32Array>(parts, pairs))
    for (const [pair, score] of levels[0].entries()) scores[places[pair]] = score;
  return scores;
}

/** Pairs of rows to compare, each once, the lower row on the left. */
async function candidatePairs(
  column: ColumnPair,
  numbered: NumberedPhrases,
  { sharing, spill, signal, onProgress }: SameTableOptions,
): Promise<Pairs> {
  const size = column.base.texts.length;
  const { isNumbered, numbers } = numbered;
  const { from, to } = ownRange(size, sharing);
  const ordinary = Uint32Array.from(isNumbered.keys()).filter((row) => isNumbered[row] === 0);
  const settings = { k: NEIGHBOURS + 1, manyPairs: MANY_PAIRS, total: ordinary.length, signal };
  const own = ordinary.filter((row) => row >= from && row < to);
  const near = await nearestByEmbedding(column, own, settings);
  const table = { column, sameTable: true, candidates: NEIGHBOURS };
  const find = candidateRows({ ...table, postings: POSTINGS });
  const blocks = { base: numbers, queries: numbers };
  const findInBlock = candidateRows({ ...table, blocks, postings: BLOCK_POSTINGS });
  const withNumbersOf = sameNumbers(numbered);
  const none = { k: 0, rows: new Int32Array(0) };
  let position = 0;
  const candidatesOf = (row: number): readonly number[] => {
    if (isNumbered[row] === 0) return find(row, position++, near);
    const same = withNumbersOf(row);
    return same.length <= SMALL_BLOCK ? same.filter((other) => other !== row) : findInBlock(row, 0, none);
  };
  const pairs = new PairSet(size, spill);
  try {
    for (let row = from; row < to; row++) {
      if (row % PORTION === 0) {
        signal?.throwIfAborted();
        onProgress?.(row - from, to - from, "comparing");
        await new Promise(setImmediate);
      }
      for (const other of candidatesOf(row)) pairs.add(Math.min(row, other), Math.max(row, other));
    }
    return pairs.finish();
  } finally {
    spill?.runs.close();
  }
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
