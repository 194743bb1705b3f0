/** Decides which ranked pairs match: proposes pairs of the asked kind, and keeps those that the promised precision allows. */
import { type Calibration, calibrated } from "../match/estimates/calibrate.js";
import { estimatePairs, type Rankings, type RowPair } from "../match/estimates/estimate.js";
import { keepPromise, type PrecisionPromise } from "../match/estimates/spacing-precision.js";
import { groupBy } from "../match/group-by.js";
import type { EstimateWeights } from "../match/scorer.js";
import { openPairs, type RowLabels } from "./labels.js";
import type { JoinMatch, JoinOptions, LabelEffect } from "./options.js";
import { assignPairs, everyPair } from "./select.js";

/** What is known of the pairs, and how their estimates are computed. */
export interface Knowledge {
  readonly labels: RowLabels;
  readonly calibration: Calibration;
  readonly estimate: EstimateWeights;
}

export type DecideOptions = Required<Pick<JoinOptions, "kind" | "precision" | "leastLikely" | "top">>;

export type Decision = ReturnType<typeof decideMatches>;

export function decideMatches(
  rankings: Rankings,
  { labels, calibration, estimate: weights }: Knowledge,
  { kind, precision, leastLikely, top }: DecideOptions,
) {
  const isKnown = (right: number, left: number): boolean => labels.matches.get(right)?.has(left) ?? false;
  const open = openPairs(rankings, labels);
  const estimates = (pairs: readonly RowPair[]): Float64Array =>
    estimatePairs(rankings, pairs, weights).map((estimate, row) =>
      isKnown(row, pairs[row].left) ? 1 : calibrated(estimate, calibration),
    );
  const first = estimates(open);
  const pairs = kind === "one-to-one" ? assignPairs(rankings, open, first, labels) : open;
  const perRow = kind === "one-to-one" ? estimates(pairs) : first;
  const proposals = pairs.flatMap(({ left, score }, right): JoinMatch[] =>
    left < 0 ? [] : [{ left, right, score, estimatedPrecision: perRow[right] }],
  );
  const likely = kind === "many-to-many" ? everyPair(rankings, open, first, { labels, top }) : proposals;
  const { kept, estimatedPrecision, threshold } = keepPromise(
    likely.map((pair) => pair.estimatedPrecision),
    { target: precision, floor: leastLikely },
  );
  const matches = kept
    .map((place) => likely[place])
    .sort((a, b) => a.right - b.right || b.estimatedPrecision - a.estimatedPrecision || b.score - a.score);
  // A match that a label gives promises nothing about the others.
  const estimated = ({ right, left }: JoinMatch): boolean => !isKnown(right, left);
  const best = likely.filter(estimated).reduce((most, pair) => Math.max(most, pair.estimatedPrecision), 0);
  const isKept = matches.some(estimated) || (best === 0 && matches.length > 0);
  const promise: PrecisionPromise = { asked: precision, isKept, best };
  return { pairs, proposals, matches, estimatedPrecision, threshold, promise };
}

/** How the labels changed the matches: rows of the right table by cause. */
export function labelEffect(without: Decision, within: Decision, labels: RowLabels): LabelEffect {
  const [before, after] = [without, within].map(({ matches }) => groupBy(matches, ({ right }) => right));
  let [decided, gained, lost, replaced] = [0, 0, 0, 0];
  for (const right of new Set([...before.keys(), ...after.keys()])) {
    const [old, now] = [before, after].map((rows) => (rows.get(right) ?? []).map(({ left }) => left));
    if (old.length === now.length && old.every((left) => now.includes(left))) continue;
    if (labels.matches.has(right) || labels.others.has(right)) decided++;
    else if (old.length === 0) gained++;
    else if (now.length === 0) lost++;
    else replaced++;
  }
  const mean = ({ proposals }: Decision): number =>
    proposals.reduce((sum, { estimatedPrecision }) => sum + estimatedPrecision, 0) /
    Math.max(1, proposals.length);
  const meanEstimate = { without: mean(without), with: mean(within) };
  return { rows: { decided, gained, lost, replaced }, meanEstimate };
}
