/** Compares a table with itself: the nearest phrases by embedding and by n-grams, and the similarity of any two. */
import { termCosine } from "../match/candidates/grams.js";
import { PairSet, type Pairs, type Spill } from "../match/candidates/pair-set.js";
import {
  type ColumnPair,
  type ComparedColumn,
  type PrepareOptions,
  pairCosines,
  prepareColumn,
  unrelatedCosine,
} from "../match/columns.js";
import type { MatchStage } from "../match/compare-tables.js";
import {
  featureNames,
  type PairCosines,
  pairFeatures,
  type WeighedPhrase,
  weighPhrase,
} from "../match/evidence/features.js";
import { foldPhrase, haveSameLetters } from "../match/evidence/phrase.js";
import { remembering } from "../match/once.js";
import { pauses } from "../match/run/pause.js";
import { mergedScores, unitedPairs } from "../match/shards/shared-pairs.js";
import { learnDistinguishing } from "./distinguishing.js";
import { type LinkTable, linkTable } from "./links.js";
import type { NumberedPhrases } from "./one-column/distinct-phrases.js";
import { neighbourPairs } from "./one-column/neighbours.js";

export interface SameTable {
  readonly phrases: readonly string[];
  /** Candidate pairs, each once, the lower row on the left. */
  readonly links: LinkTable;
  similarity(a: number, b: number): number;
}

/** Pairs between two checks of the signal. */
const PORTION = 1024;

const place = Object.fromEntries(featureNames.map((name, index) => [name, index]));

/** What is known of the phrases before they are compared. */
export interface TableParts {
  /** Phrases of the table that equal no other and are not compared; they follow the others in `similarity`. */
  readonly alone: readonly string[];
  /** Of the compared phrases. */
  readonly numbered: NumberedPhrases;
}

/** Receives what is done of a stage and the whole of it: phrases, pairs, or thresholds that are tried. */
export type GroupProgress = (done: number, total: number, stage?: MatchStage) => void;

export interface SameTableOptions extends Omit<PrepareOptions, "onProgress"> {
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
  const { column, pairs } = await pairedColumn(phrases, { alone, numbered }, options);
  const { phraseOf, alike } = likeness(column);
  const { sharing, signal, onProgress } = options;
  const { left, right } = pairs;
  const size = left.length;
  const pausing = (stage: "comparing" | "learning weights", total: number) =>
    pauses(signal, PORTION, (done) => onProgress?.(done, total, stage));
  const isMerge = sharing?.kind === "merge";
  const scores = isMerge ? await mergedScores(sharing.parts, pairs) : new Float32Array(size);
  if (!isMerge) await fill(scores, (link) => alike(left[link], right[link]), pausing("comparing", size));
  if (sharing?.kind === "shard") sharing.end({ ...pairs, scores });
  const texts = function* () {
    for (const list of [phrases, alone]) for (const text of list) yield foldPhrase(text);
  };
  // Each link is looked at twice.
  const pause = pausing("learning weights", 2 * size);
  const links = { ...pairs, scores };
  const distinguish = await learnDistinguishing({ texts: texts(), phraseOf, pause }, links);
  const lowered = (score: number, a: number, b: number): number =>
    score * distinguish(phraseOf(a), phraseOf(b));
  await fill(scores, (link) => lowered(scores[link], left[link], right[link]), pause);
  return {
    phrases,
    links: linkTable(phrases.length, links),
    similarity: (a, b) => lowered(alike(a, b), a, b),
  };
}

/** What two phrases are compared by: not the index, which is free once pairs are found. */
type PairedColumn = ComparedColumn & Pick<ColumnPair, "queries" | "statistics">;

async function pairedColumn(
  phrases: readonly string[],
  { alone, numbered }: TableParts,
  options: SameTableOptions,
): Promise<{ readonly column: PairedColumn; readonly pairs: Pairs }> {
  const prepared = await prepareColumn({ left: phrases, right: alone }, { ...options, embed: "base" });
  const { index, ...base } = prepared.base;
  const { dimension, queries, statistics, entityTypes } = prepared;
  const floor = base.vectors === undefined ? 0 : unrelatedCosine(base.vectors, base.vectors, dimension);
  const { sharing, spill } = options;
  const pairs =
    sharing?.kind === "merge"
      ? await unitedPairs(sharing.parts, new PairSet(phrases.length, spill))
      : await neighbourPairs({ ...prepared, queries: prepared.base, floor }, numbered, options);
  return { column: { base, queries, dimension, statistics, entityTypes, floor }, pairs };
}

/** How phrases are compared; those that are alone follow the others. */
function likeness({ queries: alone, statistics, ...column }: PairedColumn) {
  const { base } = column;
  const size = base.texts.length;
  const phraseOf = remembering((row) =>
    weighPhrase(row < size ? base.texts[row] : alone.texts[row - size], statistics),
  );
  const ofTable = { ...column, queries: base };
  const bySpelling = (a: number, b: number): PairCosines => {
    const [x, y] = [a, b].map((row) =>
      row < size ? { terms: base.terms, row } : { terms: alone.terms, row: row - size },
    );
    const grams = termCosine(x.terms, x.row, y.terms, y.row);
    return { embedding: grams, grams };
  };
  const isEmbedded = (a: number, b: number): boolean => base.vectors !== undefined && Math.max(a, b) < size;
  const alike = (a: number, b: number): number =>
    pairSimilarity(
      phraseOf(a),
      phraseOf(b),
      isEmbedded(a, b) ? pairCosines(ofTable, a, b) : bySpelling(a, b),
    );
  return { phraseOf, alike };
}

async function fill(
  scores: Float32Array,
  scoreOf: (link: number) => number,
  pause: () => Promise<void> | undefined,
): Promise<void> {
  for (let link = 0; link < scores.length; link++) {
    const waiting = pause();
    if (waiting !== undefined) await waiting;
    scores[link] = scoreOf(link);
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
  if (a.compact !== "" && haveSameLetters(a, b) && withoutPunctuation(a) === withoutPunctuation(b)) return 1;
  pairFeatures(a, b, cosines, features);
  const mean = (features[place.embedding] + features[place.grams]) / 2;
  const conflict = features[place.numbersConflict] === 1 ? 0.5 : 1;
  return mean * conflict * (1 - features[place.bothDiffer] / 2);
}

/** "+" and "#" stay, so that "C" and "C++" differ. */
const withoutPunctuation = ({ folded, rest }: WeighedPhrase): string =>
  (folded + rest.folded).replace(/[\s.,;:!?"'()[\]-]+/g, "");

const features = new Float64Array(featureNames.length);
