/** Chooses the threshold of a clustering without labels: the lowest at which the clusters keep a promised precision. */
import { type PrecisionPromise, spacingPrecision } from "../match/estimates/spacing-precision.js";
import { groupMembers, type Links, linkGroups, representative } from "./linkage.js";
import type { SameTable } from "./same-table.js";

export interface CountedTable extends SameTable {
  /** How often each row occurs. */
  readonly counts: ArrayLike<number>;
}

/** The ends of a group may be this many times as far apart as two linked rows. */
const SPREAD = 1.5;

const STRICTEST = 0.98;
const LOOSEST = 0.5;
const STEP = 0.02;
/** Number of thresholds that may break the promise before the search stops. */
const PATIENCE = 3;

export type EstimatedGroups = ReturnType<typeof groupsAt>;

/**
 * The groups at a threshold, with the representative row of each; `grouped` is the number of other rows. The precision is estimated from their spacing: the mean
 * over the other rows, 1 if there are none.
 */
export function groupsAt(table: CountedTable, threshold: number) {
  const { phrases, links, similarity } = table;
  const endThreshold = Math.max(0, 1 - SPREAD * (1 - threshold));
  const groups = linkGroups(phrases.length, links, { threshold, endThreshold, similarity });
  const members = groupMembers(groups);
  const representatives = members.map((rows) => representative(rows, table));
  const measured = new Set(representatives.filter((_, group) => members[group].length > 1));
  const nearest = nearestGroups(measured, groups, links);
  let [sum, count] = [0, 0];
  members.forEach((rows, group) => {
    const distances = [...(nearest.get(representatives[group])?.values() ?? [])];
    for (const row of rows) {
      if (row === representatives[group]) continue;
      sum += spacingPrecision(distanceOf(similarity(row, representatives[group])), distances);
      count++;
    }
  });
  const estimatedPrecision = count > 0 ? sum / count : 1;
  return { threshold, groups, representatives, estimatedPrecision, grouped: count };
}

/**
 * The groups at the lowest threshold with an estimated precision of at least the target.
 *
 * AutoFJ's estimate needs a reference table with almost no duplicates. The representatives of the groups form one: a row
 * at distance t from its representative is right with probability 1 / (1 + other groups within 2t of it).
 */
export function promisedGroups(
  table: CountedTable,
  target: number,
): EstimatedGroups & { readonly promise: PrecisionPromise } {
  let found = groupsAt(table, 1);
  let [broken, best] = [0, found.grouped > 0 ? found.estimatedPrecision : 0];
  for (let threshold = STRICTEST; threshold >= LOOSEST && broken < PATIENCE; threshold -= STEP) {
    const groups = groupsAt(table, Number(threshold.toFixed(4)));
    if (groups.grouped > 0) best = Math.max(best, groups.estimatedPrecision);
    if (groups.estimatedPrecision >= target) found = groups;
    else broken++;
  }
  // Where no phrases are alike, nothing is grouped, and nothing wrongly.
  return { ...found, promise: { asked: target, isKept: best === 0 || best >= target, best } };
}

/**
 * Similarities behave like cosines: 1 - cosine is half the squared distance of unit vectors, and only its root obeys the
 * triangle inequality that the estimate relies on.
 */
function distanceOf(similarity: number): number {
  return Math.sqrt(Math.max(0, 1 - similarity));
}

/** For each of the rows, the distances to the nearest linked member of each other group. */
function nearestGroups(
  rows: ReadonlySet<number>,
  groups: Int32Array,
  { left, right, scores }: Links,
): Map<number, Map<number, number>> {
  const nearest = new Map<number, Map<number, number>>();
  const add = (row: number, other: number, score: number): void => {
    const group = groups[other];
    if (!rows.has(row) || groups[row] === group) return;
    const known = nearest.get(row) ?? new Map<number, number>();
    nearest.set(row, known.set(group, Math.min(distanceOf(score), known.get(group) ?? Infinity)));
  };
  scores.forEach((score, link) => {
    add(left[link], right[link], score);
    add(right[link], left[link], score);
  });
  return nearest;
}
