/**
 * Decides which ranked pairs match. Every candidate has a probability: the best one of a row has its estimate, the others less, in
 * proportion to their odds. Pairs of the asked kind are proposed, and the most probable ones kept.
 */

import { groupBy } from "../../by-key.js";
import { cellWords, hasDigit } from "../../match/cells/cell-words.js";
import type { RowMatch, RowNumbers } from "../../match/compare-tables.js";
import {
  type Audit,
  auditOf,
  interleaved,
  likelyHalves,
  type SampledLevel,
} from "../../match/estimates/audit.js";
import { type Calibration, calibrated } from "../../match/estimates/calibrate.js";
import { candidatesOf, estimatePairs, type Rankings, type RowPair } from "../../match/estimates/estimate.js";
import { keepPromise } from "../../match/estimates/spacing-precision.js";
import type { DoubtfulPair } from "../../match/review/doubtful.js";
import type { EstimateWeights } from "../../match/scorer.js";
import { softLikeness } from "../../match/spelling/soft-words.js";
import type { JoinKind, JoinOptions } from "../options.js";
import { noLabels, openPairs, type RowLabels } from "./labels.js";

/** What is known of the pairs, and how their probabilities are computed. */
export interface Knowledge {
  readonly labels: RowLabels;
  readonly calibration: Calibration;
  readonly estimate: EstimateWeights;
}

/** Pairs that may match. */
export interface Proposed {
  readonly labels: RowLabels;
  readonly kind: JoinKind;
  /** The pair of each right row; left is -1 where it has none. */
  readonly pairs: readonly RowPair[];
  /** The same with their probabilities. */
  readonly proposals: readonly RowMatch[];
  /** Those that may be accepted: the proposals, or where rows may have several partners, all candidates. */
  readonly likely: readonly RowMatch[];
}

export interface Decision extends Proposed {
  readonly matches: readonly RowMatch[];
  /** Matches that are not known. */
  readonly unverified: readonly RowMatch[];
  /** Mean probability of the matches. */
  readonly meanProbability: number;
}

export function proposePairs(
  rankings: Rankings,
  { labels, calibration, estimate: weights }: Knowledge,
  { kind, top }: Required<Pick<JoinOptions, "kind" | "top">>,
): Proposed {
  const estimates = (pairs: readonly RowPair[]): Float64Array =>
    estimatePairs(rankings, pairs, weights).map((estimate) => calibrated(estimate, calibration));
  const withKnown = (estimate: number, pair: RowPair, right: number): number =>
    isMatch(labels, { ...pair, right }) ? 1 : estimate;
  const open = openPairs(rankings, labels);
  const ofOpen = estimates(open);
  const pairs = kind === "one-to-one" ? assignPairs(rankings, open, ofOpen, labels) : open;
  const ofPairs = pairs === open ? ofOpen : estimates(pairs);
  const proposals = pairs.flatMap((pair, right): RowMatch[] =>
    pair.left < 0 ? [] : [{ left: pair.left, right, probability: withKnown(ofPairs[right], pair, right) }],
  );
  if (kind !== "many-to-many") return { labels, kind, pairs, proposals, likely: proposals };
  // A known match says nothing about the row's other candidates: these are as likely as if it were not known.
  const free = labels.matches.size === 0 ? open : openPairs(rankings, { ...noLabels, others: labels.others });
  const ofFree = free === open ? ofOpen : estimates(free);
  const likely = free.flatMap((best, right) =>
    likelyPairs(rankings, { ...best, right, estimate: ofFree[right] }, labels).slice(0, top),
  );
  return { labels, kind, pairs, proposals, likely };
}

/** The best pair of a right row, and the probability that it is right. */
export interface EstimatedPair extends RowPair {
  readonly right: number;
  readonly estimate: number;
}

/** The candidates of a right row and its known matches, the likeliest first. */
export function likelyPairs(
  { right: ranked }: Pick<Rankings, "right">,
  best: EstimatedPair,
  labels: RowLabels,
): RowMatch[] {
  const { right } = best;
  const candidates = candidatesOf(ranked, right).filter(({ left }) => !best.taken?.has(left));
  const found = new Set(candidates.map(({ left }) => left));
  // Known matches count even if they were not among the candidates.
  const unfound = [...(labels.matches.get(right) ?? [])].filter((left) => !found.has(left));
  return [...candidates, ...unfound.map((left) => ({ left, score: best.score }))]
    .map(({ left, score }) => {
      const isConfirmed = Number(labels.confirmed.get(right)?.has(left) ?? false);
      const odds = Math.exp(Math.min(0, score - best.score));
      return {
        left,
        score,
        isConfirmed,
        probability: isMatch(labels, { left, right }) ? 1 : best.estimate * odds,
      };
    })
    .sort((a, b) => b.isConfirmed - a.isConfirmed || b.probability - a.probability || b.score - a.score)
    .map(({ left, probability }) => ({ left, right, probability }));
}

/** Gives each left row to one right row, the likeliest pairs first. A row that loses its best one is judged by its other candidates. */
function assignPairs(
  { right: ranked }: Rankings,
  open: readonly RowPair[],
  estimates: ArrayLike<number>,
  labels: RowLabels,
): RowPair[] {
  const choices = open.flatMap((best, right) => {
    const rankOf = ({ left }: RowPair): number =>
      labels.confirmed.get(right)?.has(left) ? 2 : isMatch(labels, { left, right }) ? 1 : 0;
    // Known matches are chosen first.
    const candidates = candidatesOf(ranked, right).filter(({ left }) => !best.taken?.has(left));
    return [best, ...candidates.filter(({ left }) => left !== best.left)].map((pair) => {
      const weight = estimates[right] * Math.exp(Math.min(0, pair.score - best.score));
      return { ...pair, right, rank: rankOf(pair), weight };
    });
  });
  const possible = choices.filter(({ left, weight, rank }) => left >= 0 && (rank > 0 || weight > 0));
  const order = possible.sort((a, b) => b.rank - a.rank || b.weight - a.weight || b.score - a.score);
  const assigned = new Map(freePairs(order, "one-to-one").map((choice) => [choice.right, choice]));
  const scoreOfOwner = new Map(Array.from(assigned.values(), ({ left, score }) => [left, score]));
  return open.map(({ taken = [] }, right): RowPair => {
    const choice = assigned.get(right);
    if (choice === undefined) return { left: -1, score: -Infinity };
    // Rows of which another right row is the better match.
    const lost = candidatesOf(ranked, right).filter(
      ({ left, score }) => left !== choice.left && (scoreOfOwner.get(left) ?? -Infinity) > score,
    );
    return {
      ...{ left: choice.left, score: choice.score },
      taken: new Set([...taken, ...lost.map(({ left }) => left)]),
    };
  });
}

/** The pairs in their order, as long as the rows that have one partner at most are free. */
function freePairs<Pair extends RowNumbers>(pairs: Iterable<Pair>, kind: JoinKind): Pair[] {
  const [ofLeft, ofRight] = [new Set<number>(), new Set<number>()];
  const isFree = ({ left, right }: Pair): boolean => {
    if ((kind !== "many-to-many" && ofRight.has(right)) || (kind === "one-to-one" && ofLeft.has(left)))
      return false;
    ofLeft.add(left);
    ofRight.add(right);
    return true;
  };
  return [...pairs].filter(isFree);
}

const isMatch = ({ matches }: RowLabels, { left, right }: RowNumbers): boolean =>
  matches.get(right)?.has(left) ?? false;

/** The most probable pairs, as many as have a mean probability; all likely ones at 0. */
export function decisionAt(
  proposed: Proposed,
  { meanProbability, leastLikely }: { readonly meanProbability: number; readonly leastLikely: number },
): Decision {
  const { likely } = proposed;
  const probabilities = likely.map(({ probability }) => probability);
  const kept = keepPromise(probabilities, { target: meanProbability, floor: leastLikely });
  return decisionWith(
    proposed,
    kept.map((place) => likely[place]),
  );
}

function decisionWith(proposed: Proposed, accepted: readonly RowMatch[]): Decision {
  const matches = accepted.toSorted((a, b) => a.right - b.right || b.probability - a.probability);
  const sum = matches.reduce((total, { probability }) => total + probability, 0);
  const unverified = matches.filter((match) => !isMatch(proposed.labels, match));
  return { ...proposed, matches, unverified, meanProbability: sum / Math.max(1, matches.length) };
}

/** The decision without unverified matches that contradict each other. */
export function withoutSiblings(decision: Decision, texts: Parameters<typeof siblings>[1]): Decision {
  const found = siblings(decision.unverified, texts);
  return decisionWith(
    decision,
    decision.matches.filter((match) => !found.has(match)),
  );
}

/** A random sample of the likely matches that people judged. @param likely the matches that no label has influenced */
export function sampledMatches(likely: readonly RowMatch[], { labels, kind }: Proposed): Audit<SampledLevel> {
  const known = new Map<number, number>();
  likely.forEach((match, pair) => {
    const { left, right } = match;
    if (isMatch(labels, match)) known.set(pair, 1);
    // Where a row has one partner, another known match says that this pair is wrong.
    else if (labels.others.get(right)?.has(left) || (kind !== "many-to-many" && labels.matches.has(right)))
      known.set(pair, 0);
  });
  return auditOf(() => likelyHalves(likely), known);
}

/** The decision with the pairs of a level: confirmed pairs are matched in place of rivals, and rejected ones are not. */
export function atLevel(decision: Decision, { table, accepted, probability }: SampledLevel): Decision {
  const { labels, kind, matches } = decision;
  const confirmed = matches.filter((match) => isMatch(labels, match));
  const open = Array.from(accepted, (pair): RowMatch => {
    return { left: table.left.at(pair)!, right: table.right[pair], probability: probability.at(pair)! };
  }).filter((match) => !isMatch(labels, match) && !labels.others.get(match.right)?.has(match.left));
  return decisionWith(decision, freePairs([...confirmed, ...open], kind));
}

/** The proposals of rows that are not judged, those nearest to even odds first, between the pairs of a sample. */
export function doubtfulProposals(
  { proposals, matches, labels }: Decision,
  { sample, count }: { readonly sample: readonly RowMatch[]; readonly count: number },
): DoubtfulPair[] {
  const joined = new Set(matches.map(({ left, right }) => `${left} ${right}`));
  const doubt = ({ probability }: RowMatch): number => Math.abs(probability - 0.5);
  const open = proposals
    .filter(({ right }) => !labels.matches.has(right) && !labels.others.has(right))
    .sort((a, b) => doubt(a) - doubt(b) || a.right - b.right);
  return interleaved(open, sample, count).map(({ left, right, probability }) => {
    return { left, right, probability, accepted: joined.has(`${left} ${right}`) };
  });
}

/** Shorter words are initials, articles and forms; of other scripts two letters are a word. */
const shortest = 3;
const otherScript = /^[^\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}]{2}/u;
/** Right texts that are compared with each other, of one left row. */
const most = 50;

/**
 * The matches of a left row that contradict each other: each of two right rows has a word that is like none of the other's
 * and none of the left row's. They are different things, and the left row is more general than both.
 */
export function siblings(
  matches: readonly RowMatch[],
  { left, right }: { readonly left: readonly string[]; readonly right: readonly string[] },
): Set<RowMatch> {
  const found = new Set<RowMatch>();
  for (const [row, own] of groupBy(matches, (match) => match.left)) {
    const texts = [...groupBy(own, (match) => right[match.right])].slice(0, most);
    if (texts.length < 2) continue;
    const base = wordsOf(left[row]);
    const further = texts.map(([text]) => without(wordsOf(text), base));
    texts.forEach(([, rows], place) => {
      const isOpposed = further.some(
        (other) => without(other, further[place]).length > 0 && without(further[place], other).length > 0,
      );
      if (isOpposed) for (const match of rows) found.add(match);
    });
  }
  return found;
}

const wordsOf = (text: string): string[] =>
  cellWords(text).filter((word) => word.length >= shortest || hasDigit(word) || otherScript.test(word));

/** The words that are like none of the others. */
const without = (words: readonly string[], others: readonly string[]): string[] =>
  words.filter((word) => !others.some((other) => word === other || softLikeness(word, other) > 0));
