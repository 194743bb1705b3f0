/** Establishes the precision of a join by one column from a random sample of its likely matches that people judged. */
import { type Audit, auditOf, likelyHalves, type SampledLevel } from "../../match/estimates/audit.js";
import type { RowMatch } from "../match-tables.js";
import type { JoinKind } from "../options.js";
import type { Decision } from "./decide.js";
import type { RowLabels } from "./labels.js";

/** @param likely the matches that no label has influenced */
export function sampledMatches(
  likely: readonly RowMatch[],
  { matches, others }: RowLabels,
  kind: JoinKind,
): Audit<SampledLevel> {
  const known = new Map<number, number>();
  likely.forEach(({ left, right }, pair) => {
    if (matches.get(right)?.has(left)) known.set(pair, 1);
    // Where a row has one partner, another known match says that this pair is wrong.
    else if (others.get(right)?.has(left) || (kind !== "many-to-many" && matches.has(right)))
      known.set(pair, 0);
  });
  return auditOf(() => likelyHalves(likely), known);
}

/** The decision with the pairs of a level: confirmed pairs are matched in place of rivals, and rejected ones are not. */
export function atLevel(
  decision: Decision,
  { table, accepted, probability }: SampledLevel,
  { others }: RowLabels,
  kind: JoinKind,
): Decision {
  const open = new Set(decision.unverified);
  const confirmed = decision.matches.filter((match) => !open.has(match));
  const taken = { left: new Set<number>(), right: new Set<number>() };
  for (const { left, right } of confirmed) {
    if (kind !== "many-to-many") taken.right.add(right);
    if (kind === "one-to-one") taken.left.add(left);
  }
  const isConfirmed = new Set(confirmed.map(({ left, right }) => `${left} ${right}`));
  const unverified = Array.from(accepted).flatMap((pair): RowMatch[] => {
    const [left, right] = [table.left.at(pair)!, table.right[pair]];
    const isFree = !taken.left.has(left) && !taken.right.has(right) && !isConfirmed.has(`${left} ${right}`);
    if (!isFree || others.get(right)?.has(left)) return [];
    return [{ left, right, probability: probability.at(pair)! }];
  });
  const matches = [...confirmed, ...unverified].sort(
    (a, b) => a.right - b.right || b.probability - a.probability,
  );
  return { ...decision, matches, unverified };
}
