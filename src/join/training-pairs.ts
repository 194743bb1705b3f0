/** Writes known matches as pairs for `pearl finetune`. */
import { TableError } from "../errors.js";
import type { TableColumns } from "../match/columns/align.js";
import { rowsOf } from "../match/columns/fields.js";
import type { KnownPair } from "../match/compare-tables.js";
import { groupBy } from "../match/group-by.js";
import { writeRows } from "../table/write/text-rows.js";
import type { Joined } from "./roads.js";

/** Counts of the written pairs. */
export interface PairsReport {
  readonly pairs: number;
  readonly withNegative: number;
}

/**
 * Writes the names of known matches: text (right), positive (left) and a hard negative, which is a left row known not to
 * match or, without one, the row's second-best candidate.
 */
export async function writePairs(
  path: string,
  { left, right }: { readonly left: TableColumns; readonly right: TableColumns },
  { naming, runnerUp }: Pick<Joined, "naming" | "runnerUp">,
  known: readonly KnownPair[],
): Promise<PairsReport> {
  const nameOf = (row: number | undefined): string =>
    row === undefined ? "" : left[naming.left][row].trim();
  const textOf = (row: number): string => right[naming.right][row].trim();
  const matches = known.filter((pair) => pair.match && nameOf(pair.left) !== textOf(pair.right));
  if (matches.length === 0 && rowsOf(left) > 0 && rowsOf(right) > 0)
    throw new TableError(
      `${path}: no pairs to write. Pairs are made from the matches among the labels or decisions.`,
    );
  const rejected = new Map(known.filter(({ match }) => !match).map((pair) => [pair.right, pair.left]));
  const positives = groupBy(matches, (pair) => pair.right);
  const rows = matches.map((pair) => {
    const negative = nameOf(rejected.get(pair.right) ?? runnerUp(pair.right));
    const isPositive = positives.get(pair.right)!.some((other) => nameOf(other.left) === negative);
    return [textOf(pair.right), nameOf(pair.left), isPositive ? "" : negative];
  });
  await writeRows(path, ["text", "positive", "negative"], [rows]);
  return { pairs: rows.length, withNegative: rows.filter(([, , negative]) => negative !== "").length };
}
