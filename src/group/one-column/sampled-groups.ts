/** Establishes the precision of groups by one column from a random sample of their rows that people judged. */
import type { KnownPair } from "../../match/compare-tables.js";
import { auditOf, likelyHalves, type SampledLevel } from "../../match/estimates/audit.js";
import type { DuplicateRow } from "../kept-rows.js";

/**
 * @param grouped rows with the other row that would be kept in their place, which no answer has influenced
 * @param sureOf equal for rows that are equal or confirmed
 */
export function sampledGroups(
  grouped: readonly DuplicateRow[],
  sureOf: ArrayLike<number>,
  known: readonly KnownPair[],
) {
  const classesOf = (a: number, b: number): string => [sureOf[a], sureOf[b]].sort((x, y) => x - y).join(" ");
  const rejected = new Set(
    known.flatMap(({ left, right, match }) => (match ? [] : [classesOf(left, right)])),
  );
  /** Whether two rows are the same, as far as answers say so. */
  const answerOf = (a: number, b: number): 0 | 1 | undefined => {
    if (sureOf[a] === sureOf[b]) return 1;
    return rejected.has(classesOf(a, b)) ? 0 : undefined;
  };
  const pairs = grouped.map(({ row, keptRow, probability }) => {
    return { left: Math.min(row, keptRow), right: Math.max(row, keptRow), probability };
  });
  const answers = new Map<number, number>();
  pairs.forEach(({ left, right }, place) => {
    const answer = answerOf(left, right);
    if (answer !== undefined) answers.set(place, answer);
  });
  return { answerOf, ...auditOf(() => likelyHalves(pairs), answers) };
}

/** The groups without the rows whose pairs are not accepted: each of these is a group of its own. */
export function groupsAtLevel(
  groupOf: Int32Array,
  grouped: readonly DuplicateRow[],
  { accepted }: SampledLevel,
): Int32Array {
  const narrow = groupOf.slice();
  let last = groupOf.reduce((most, group) => Math.max(most, group), -1);
  for (const { row } of grouped) narrow[row] = ++last;
  for (const place of accepted) narrow[grouped[place].row] = groupOf[grouped[place].row];
  return narrow;
}
