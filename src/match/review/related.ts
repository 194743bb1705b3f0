/** Pairs of rows that are different things and look alike, as two people of one household: what they share, and what differs. */
import type { PairProbabilities } from "../estimates/scored-pairs.js";
import { missing } from "../evidence/levels.js";
import { scorePairs, type Weights } from "../weights/learn.js";
import { nearOdds } from "../weights/near-misses.js";
import { classCount } from "../weights/pair-classes.js";
import type { PairTable } from "../weights/pair-table.js";
import type { DoubtfulPair } from "./doubtful.js";
import type { ReviewPair } from "./review-file.js";

/** A pair of different things that share more than chance explains. */
export interface RelatedPair extends DoubtfulPair {
  /** Columns that both rows have of one source, and in which they differ as two things do. */
  readonly shares: readonly string[];
  readonly differs: readonly string[];
}

export interface RelatedOptions {
  readonly table: PairTable;
  readonly weights: Weights;
  /** Of the pairs that they are the same. */
  readonly probability: PairProbabilities;
  readonly count: number;
  /** Header of a column of the table. */
  nameOf(column: number): string;
}

const evenOdds = 0.5;

/**
 * Those that are likelier near misses than the same or unrelated, and share a column; first those that share most. None where near
 * misses are not learned.
 */
export function relatedPairs({ table, weights, probability, count, nameOf }: RelatedOptions): RelatedPair[] {
  const { near } = weights;
  if (near === undefined) return [];
  const { own, sum } = nearOdds(near, table.columns);
  const classes = classCount(table);
  const ofClass = new Float64Array(classes);
  scorePairs(table.levels, weights, table.columns, ofClass);
  const kindOf = new Int32Array(classes);
  const shared = new Float64Array(classes);
  for (let place = 0; place < classes; place++) {
    const all = sum(table.levels, place);
    if (all === 0) continue;
    let best = 1;
    for (let kind = 2; kind < own.length; kind++) if (own[kind] > own[best]) best = kind;
    kindOf[place] = best;
    // The kind that shares nothing is of unrelated pairs.
    ofClass[place] *= (all - own[0]) / all;
    shared[place] = Math.log(all - own[0]);
  }
  /** Columns of the table in which the pairs of a class share something, or differ. */
  const columnsIn = (place: number, isShared: boolean): number[] =>
    table.columns.flatMap(({ field, unit }, column) => {
      const isHere = field >= 0 && table.levels[column][place] !== missing;
      return isHere && ((kindOf[place] >> unit) & 1) === Number(isShared) ? [column] : [];
    });
  const isRelated = Array.from(
    ofClass,
    (share, place) => share > evenOdds && columnsIn(place, true).length > 0,
  );
  const found: number[] = [];
  table.classOf.forEach((place, pair) => {
    if (isRelated[place] && (probability.at(pair) ?? 0) < evenOdds) found.push(pair);
  });
  found.sort((a, b) => shared[table.classOf[b]] - shared[table.classOf[a]] || a - b);
  const namesIn = (pair: number, isShared: boolean): string[] =>
    columnsIn(table.classOf[pair], isShared).map(nameOf);
  return found.slice(0, count).map((pair) => ({
    ...{ left: table.left.at(pair)!, right: table.right[pair] },
    ...{ probability: probability.at(pair) ?? 0, accepted: false },
    ...{ shares: namesIn(pair, true), differs: namesIn(pair, false) },
  }));
}

/** The pair for a person to see, with the reason in one sentence. */
export const relatedForReview = (pair: RelatedPair): ReviewPair => ({
  ...pair,
  why: `two things that share ${pair.shares.join(", ")}, and differ in ${listed(pair.differs)}`,
});

const listed = (names: readonly string[]): string => names.join(", ") || "nothing else";
