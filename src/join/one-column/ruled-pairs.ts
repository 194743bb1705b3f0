/**
 * Rules where one column is compared. Pairs that a rule keeps apart are no candidates; those that a rule makes the same are matches
 * beside what is found and estimated, and their rows are free for no other partner that the kind of the join forbids.
 */
import type { KnownPair, RowMatch, RowNumbers } from "../../match/compare-tables.js";
import { estimatePairs, type Rankings } from "../../match/estimates/estimate.js";
import { forbidding, isForbidden, type PairRules, type SamePairs } from "../../match/rules.js";
import type { EstimateWeights } from "../../match/scorer.js";
import type { JoinKind } from "../options.js";
import { likelyPairs } from "./decide.js";
import { noLabels, openPairs, type RowLabels } from "./labels.js";

export interface RuledPairs {
  /** Pairs that are the same by a rule, and that nobody has judged. */
  readonly matches: readonly RowMatch[];
  /** Right rows that have no other partner than these. */
  readonly settled: number;
  /** Whether two rows may be found to match. */
  mayMatch(left: number, right: number): boolean;
}

const keyOf = ({ left, right }: RowNumbers): string => `${left} ${right}`;

export function ruledPairs(
  rules: PairRules,
  { pairs: { left, right } }: SamePairs,
  { known, kind }: { readonly known: readonly KnownPair[]; readonly kind: JoinKind },
): RuledPairs {
  const judged = new Set(known.map(keyOf));
  const matches = Array.from(left, (row, at) => ({ left: row, right: right[at], probability: 1 })).filter(
    (pair) => !judged.has(keyOf(pair)),
  );
  const decided = new Set(matches.map(keyOf));
  const [lefts, rights] = [
    new Set(matches.map(({ left }) => left)),
    new Set(matches.map(({ right }) => right)),
  ];
  const isTaken = (pair: RowNumbers): boolean => {
    if (kind === "many-to-many") return decided.has(keyOf(pair));
    return rights.has(pair.right) || (kind === "one-to-one" && lefts.has(pair.left));
  };
  return {
    matches,
    settled: kind === "many-to-many" ? 0 : rights.size,
    mayMatch: (left, right) => !isForbidden(rules, left, right) && !isTaken({ left, right }),
  };
}

/** Labels without the pairs that only equal texts make known, and that a rule keeps apart. */
export function withinRules(labels: RowLabels, rules: PairRules): RowLabels {
  const matches = Array.from(labels.matches, ([right, lefts]) => {
    const own = labels.confirmed.get(right);
    const kept = [...lefts].filter((left) => own?.has(left) || !isForbidden(rules, left, right));
    return [right, new Set(kept)] as const;
  });
  return { ...labels, matches: new Map(matches.filter(([, lefts]) => lefts.size > 0)) };
}

/** By `never` rule, how many candidates it keeps apart that are at least as likely the same as not. @param rankings without rules */
export function likelyApart(rankings: Rankings, weights: EstimateWeights, rules: PairRules): number[] {
  const counts = rules.never.map(() => 0);
  const best = openPairs(rankings, noLabels);
  const estimates = estimatePairs(rankings, best, weights);
  for (const [right, pair] of best.entries())
    for (const { left, probability } of likelyPairs(
      rankings,
      { ...pair, right, estimate: estimates[right] },
      noLabels,
    ))
      if (probability >= 0.5) for (const rule of forbidding(rules, left, right)) counts[rule]++;
  return counts;
}
