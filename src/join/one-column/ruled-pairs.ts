/**
 * Rules where one column is compared. Pairs that a rule keeps apart are no candidates; those that a rule makes the same are matches
 * beside what is found and estimated, and their rows are free for no other partner that the kind of the join forbids.
 */
import type { RowMatch, RowNumbers } from "../../match/compare-tables.js";
import { estimatePairs, type Rankings } from "../../match/estimates/estimate.js";
import { countApart, isForbidden, type PairRules, type SamePairs } from "../../match/rules.js";
import type { EstimateWeights } from "../../match/scorer.js";
import type { JoinOptions } from "../options.js";
import { likelyPairs } from "./decide.js";
import { noLabels, openPairs, type RowLabels } from "./labels.js";

export interface RuledPairs {
  /** Pairs that are the same by a rule, and that nobody has judged. */
  readonly matches: readonly RowMatch[];
  /** How many right rows have no other partner than these. */
  readonly settled: number;
  /** Whether two rows are candidates. */
  mayMatch(left: number, right: number): boolean;
  /** Whether a candidate is none of `matches`. */
  isOpen(pair: RowNumbers): boolean;
}

const keyOf = ({ left, right }: RowNumbers): string => `${left} ${right}`;

export function ruledPairs(
  rules: PairRules,
  { pairs: { left, right } }: SamePairs,
  { known = [], kind = "many-to-one" }: Pick<JoinOptions, "known" | "kind">,
): RuledPairs {
  const judged = new Set(known.map(keyOf));
  const all = Array.from(left, (row, at): RowMatch => ({ left: row, right: right[at], probability: 1 }));
  const matches = all.filter((pair) => !judged.has(keyOf(pair)));
  const decided = new Set(matches.map(keyOf));
  // Where a row may have several partners, one that a rule gives it is no reason against others.
  const lefts = new Set(kind === "one-to-one" ? matches.map((pair) => pair.left) : []);
  const rights = new Set(kind === "many-to-many" ? [] : matches.map((pair) => pair.right));
  return {
    ...{ matches, settled: rights.size, isOpen: (pair) => !decided.has(keyOf(pair)) },
    mayMatch: (left, right) => !lefts.has(left) && !rights.has(right) && !isForbidden(rules, left, right),
  };
}

/** Labels without the pairs that only equal texts make known, and that a rule keeps apart. */
export function withinRules(labels: RowLabels, rules: PairRules | undefined): RowLabels {
  if (rules === undefined) return labels;
  const matches = Array.from(labels.matches, ([right, lefts]) => {
    const own = labels.confirmed.get(right);
    const kept = [...lefts].filter((left) => own?.has(left) || !isForbidden(rules, left, right));
    return [right, new Set(kept)] as const;
  });
  return { ...labels, matches: new Map(matches.filter(([, lefts]) => lefts.size > 0)) };
}

/** By `never` rule, how many candidates it keeps apart that are at least as likely the same as not. @param rankings without rules */
export function likelyApart(rankings: Rankings, weights: EstimateWeights, rules: PairRules): number[] {
  const best = openPairs(rankings, noLabels);
  const estimates = estimatePairs(rankings, best, weights);
  const likely = best.flatMap((pair, right) =>
    likelyPairs(rankings, { ...pair, right, estimate: estimates[right] }, noLabels).filter(isLikely),
  );
  return countApart(
    rules,
    likely.map(({ left, right }) => [left, right]),
  );
}

const isLikely = ({ probability }: RowMatch): boolean => probability >= 0.5;
