/** Writes the review file: proposed pairs for a person to decide, the most doubtful first. */
import { writeRows } from "../table/write/text-rows.js";
import { explanationLine } from "./explain.js";
import type { JoinResult, LabelledPair } from "./options.js";

/** Columns of a review file; a person fills in `decision` with yes or no. */
export const reviewColumns = [
  "decision",
  "left",
  "right",
  "second_best_left",
  "estimated_precision",
  "joined",
  "right_row",
  "left_row",
  "why",
] as const;

/**
 * Writes every proposed pair without a label. Pairs nearest to even odds come first, because their decisions improve the
 * estimates most.
 * @returns the number of pairs written
 */
export async function writeReview(
  path: string,
  texts: { readonly left: readonly string[]; readonly right: readonly string[] },
  { proposals, matches, runnersUp, explain }: JoinResult,
  labels: readonly LabelledPair[],
): Promise<number> {
  const joined = new Set(matches.map(({ left, right }) => `${left} ${right}`));
  const decided = new Set(labels.map(({ left, right }) => JSON.stringify([left.trim(), right.trim()])));
  const doubt = (estimate: number): number => Math.abs(estimate - 0.5);
  const open = proposals
    .filter(
      ({ left, right }) => !decided.has(JSON.stringify([texts.left[left].trim(), texts.right[right].trim()])),
    )
    .sort((a, b) => doubt(a.estimatedPrecision) - doubt(b.estimatedPrecision) || a.right - b.right);
  const rows = open.map(({ left, right, estimatedPrecision }) => [
    "",
    texts.left[left],
    texts.right[right],
    runnersUp[right] < 0 ? "" : texts.left[runnersUp[right]],
    estimatedPrecision.toFixed(4),
    joined.has(`${left} ${right}`) ? "yes" : "no",
    String(right + 1),
    String(left + 1),
    explanationLine(explain(left, right)),
  ]);
  return writeRows(path, reviewColumns, [rows]);
}
