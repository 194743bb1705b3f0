/** Decides which ranked pairs match: proposes pairs of the asked kind, and keeps the most probable ones. */
import { interleaved } from "../../match/estimates/audit.js";
import { type Calibration, calibrated } from "../../match/estimates/calibrate.js";
import { estimatePairs, type Rankings, type RowPair } from "../../match/estimates/estimate.js";
import { keepPromise } from "../../match/estimates/spacing-precision.js";
import type { DoubtfulPair } from "../../match/review/doubtful.js";
import type { EstimateWeights } from "../../match/scorer.js";
import type { RowMatch } from "../match-tables.js";
import type { JoinOptions } from "../options.js";
import { noLabels, openPairs, type RowLabels } from "./labels.js";
import { assignPairs, type EstimatedPair, everyPair } from "./select.js";
import { siblings } from "./siblings.js";

/** What is known of the pairs, and how their probabilities are computed. */
export interface Knowledge {
  readonly labels: RowLabels;
  readonly calibration: Calibration;
  readonly estimate: EstimateWeights;
}

export interface DecideOptions extends Required<Pick<JoinOptions, "kind" | "leastLikely" | "top">> {
  /** The matches have at least this mean probability; 0 for all likely pairs. */
  readonly meanProbability: number;
}

export interface Decision {
  /** The pair of each right row; left is -1 where it has none. */
  readonly pairs: readonly RowPair[];
  readonly proposals: readonly RowMatch[];
  readonly matches: readonly RowMatch[];
  /** Matches that are not known. */
  readonly unverified: readonly RowMatch[];
  /** Mean probability of the matches. */
  readonly meanProbability: number;
}

export function decideMatches(
  rankings: Rankings,
  { labels, calibration, estimate: weights }: Knowledge,
  { kind, meanProbability, leastLikely, top }: DecideOptions,
): Decision {
  const isKnown = (right: number, left: number): boolean => labels.matches.get(right)?.has(left) ?? false;
  const open = openPairs(rankings, labels);
  const unlabelled = (pairs: readonly RowPair[]): Float64Array =>
    estimatePairs(rankings, pairs, weights).map((estimate) => calibrated(estimate, calibration));
  const estimates = (pairs: readonly RowPair[]): Float64Array =>
    unlabelled(pairs).map((estimate, row) => (isKnown(row, pairs[row].left) ? 1 : estimate));
  const first = estimates(open);
  const pairs = kind === "one-to-one" ? assignPairs(rankings, open, first, labels) : open;
  const perRow = kind === "one-to-one" ? estimates(pairs) : first;
  const proposals = pairs.flatMap(({ left }, right): RowMatch[] =>
    left < 0 ? [] : [{ left, right, probability: perRow[right] }],
  );
  const found = (): EstimatedPair[] => {
    const free = openPairs(rankings, { ...noLabels, others: labels.others });
    const ofFree = labels.matches.size === 0 ? first : unlabelled(free);
    return open.map((best, row) =>
      labels.matches.has(row) ? { best: free[row], estimate: ofFree[row] } : { best, estimate: first[row] },
    );
  };
  const likely = kind === "many-to-many" ? everyPair(rankings, found(), { labels, top }) : proposals;
  const probabilities = likely.map(({ probability }) => probability);
  const { kept } = keepPromise(probabilities, { target: meanProbability, floor: leastLikely });
  const matches = kept
    .map((place) => likely[place])
    .sort((a, b) => a.right - b.right || b.probability - a.probability);
  return {
    ...{ pairs, proposals, matches },
    unverified: matches.filter(({ right, left }) => !isKnown(right, left)),
    meanProbability: meanOf(matches),
  };
}

/** The decision without unverified matches that contradict each other. */
export function withoutSiblings(decision: Decision, texts: Parameters<typeof siblings>[1]): Decision {
  const found = siblings(decision.unverified, texts);
  const matches = decision.matches.filter((match) => !found.has(match));
  const unverified = decision.unverified.filter((match) => !found.has(match));
  return { ...decision, matches, unverified, meanProbability: meanOf(matches) };
}

function meanOf(matches: readonly RowMatch[]): number {
  return matches.reduce((sum, { probability }) => sum + probability, 0) / Math.max(1, matches.length);
}

/** The proposals of rows that are not judged, those nearest to even odds first, between the pairs of a sample. */
export function doubtfulProposals(
  { proposals, matches }: Decision,
  decidedRows: ReadonlySet<number>,
  { sample, count }: { readonly sample: readonly RowMatch[]; readonly count: number },
): DoubtfulPair[] {
  const joined = new Set(matches.map(({ left, right }) => `${left} ${right}`));
  const doubt = ({ probability }: RowMatch): number => Math.abs(probability - 0.5);
  const open = proposals
    .filter(({ right }) => !decidedRows.has(right))
    .sort((a, b) => doubt(a) - doubt(b) || a.right - b.right);
  return interleaved(open, sample, count).map(({ left, right, probability }) => {
    return { left, right, probability, accepted: joined.has(`${left} ${right}`) };
  });
}
