/** Chooses the threshold of a clustering without labels: the lowest at which the clusters keep a promised precision. */
import { spacingPrecision } from "../match/estimates/spacing-precision.js";
import { groupMembers, type Links, linkGroups, representative } from "./linkage.js";
import type { SameTable } from "./same-table.js";

/** A clustering at a threshold, with precision estimated from the spacing of its groups. */
export interface EstimatedGroups {
  readonly threshold: number;
  readonly groups: Int32Array;
  /** The representative row of each group. */
  readonly representatives: Int32Array;
  /** Estimated probability that each row belongs to its group: 1 for the representative. */
  readonly estimates: Float64Array;
  /** Mean estimate of the rows other than representatives; 1 if there are none. */
  readonly estimatedPrecision: number;
}

/** Rows and the occurrences of each. */
export interface CountedTable extends SameTable {
  readonly phrases: readonly string[];
  readonly counts: ArrayLike<number>;
}

/** The ends of a group may be this many times as far apart as two linked rows. */
const SPREAD = 1.5;

const STRICTEST = 0.98;
const LOOSEST = 0.5;
const STEP = 0.02;
/** Number of thresholds that may break the promise before the search stops. */
const PATIENCE = 3;

/** Groups at a threshold. */
export function groupsAt(table: CountedTable, threshold: number): EstimatedGroups {
  const { size, links, similarity } = table;
  const endThreshold = Math.max(0, 1 - SPREAD * (1 - threshold));
  const groups = linkGroups(size, links, { threshold, endThreshold, similarity });
  return estimated(table, groups, threshold);
}

/** Representatives and estimates of given groups. */
export function estimated(table: CountedTable, groups: Int32Array, threshold: number): EstimatedGroups {
  const members = groupMembers(groups);
  const representatives = Int32Array.from(members, (rows) => representative(rows, table));
  const around = neighboursOf(representatives, table.links, table.size);
  const estimates = new Float64Array(table.size).fill(1);
  let sum = 0;
  let count = 0;
  members.forEach((rows, group) => {
    const middle = representatives[group];
    const distances = nearestGroups(around.get(middle) ?? [], groups, group);
    for (const row of rows) {
      if (row === middle) continue;
      estimates[row] = spacingPrecision(distanceOf(table.similarity(row, middle)), distances);
      sum += estimates[row];
      count++;
    }
  });
  const estimatedPrecision = count > 0 ? sum / count : 1;
  return { threshold, groups, representatives, estimates, estimatedPrecision };
}

/**
 * The groups at the lowest threshold with an estimated precision of at least the target.
 *
 * AutoFJ's estimate needs a reference table with almost no duplicates. The representatives of the groups form one: a row
 * at distance t from its representative is right with probability 1 / (1 + other groups within 2t of it).
 */
export function promisedGroups(table: CountedTable, target: number): EstimatedGroups {
  let best = groupsAt(table, 1);
  let broken = 0;
  for (let threshold = STRICTEST; threshold >= LOOSEST && broken < PATIENCE; threshold -= STEP) {
    const groups = groupsAt(table, Number(threshold.toFixed(4)));
    if (groups.estimatedPrecision >= target) best = groups;
    else broken++;
  }
  return best;
}

/**
 * Similarities behave like cosines: 1 - cosine is half the squared distance of unit vectors, and only its root obeys the
 * triangle inequality that the estimate relies on.
 */
function distanceOf(similarity: number): number {
  return Math.sqrt(Math.max(0, 1 - similarity));
}

interface Neighbour {
  readonly row: number;
  readonly distance: number;
}

/** Linked rows of each representative. */
function neighboursOf(
  representatives: Int32Array,
  { left, right, scores }: Links,
  size: number,
): Map<number, Neighbour[]> {
  const isWanted = new Uint8Array(size);
  for (const row of representatives) isWanted[row] = 1;
  const found = new Map<number, Neighbour[]>();
  const add = (row: number, other: number, score: number): void => {
    if (isWanted[row] === 0) return;
    const list = found.get(row);
    const neighbour = { row: other, distance: distanceOf(score) };
    if (list === undefined) found.set(row, [neighbour]);
    else list.push(neighbour);
  };
  scores.forEach((score, link) => {
    add(left[link], right[link], score);
    add(right[link], left[link], score);
  });
  return found;
}

/** Distance to the nearest linked member of each other group. */
function nearestGroups(neighbours: readonly Neighbour[], groups: Int32Array, own: number): number[] {
  const nearest = new Map<number, number>();
  for (const { row, distance } of neighbours) {
    const group = groups[row];
    if (group !== own) nearest.set(group, Math.min(distance, nearest.get(group) ?? Infinity));
  }
  return [...nearest.values()];
}
