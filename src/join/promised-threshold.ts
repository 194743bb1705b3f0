/** The similarity threshold of a clustering without labels: the loosest whose groups' spacing bears a promised precision. */
import { spacingPrecision } from "../search/spacing-precision.js";
import { groupMembers, type Links, linkGroups, representative } from "./linkage.js";
import type { SameTable } from "./same-table.js";

/** A clustering at a threshold, with what its spacing says of it. */
export interface EstimatedGroups {
  readonly threshold: number;
  readonly groups: Int32Array;
  /** Row that stands for each group. */
  readonly representatives: Int32Array;
  /** Per row how likely it belongs to its group: 1 for the representative itself. */
  readonly estimates: Float64Array;
  /** Mean estimate of the rows that are not representatives; 1 where there is none. */
  readonly estimatedPrecision: number;
}

/** Rows with how often each occurs. */
export interface CountedTable extends SameTable {
  readonly phrases: readonly string[];
  readonly counts: ArrayLike<number>;
}

/** Ends of a group may be this many times as far apart as a link is long. */
export const SPREAD = 1.5;

const STRICTEST = 0.98;
const LOOSEST = 0.5;
const STEP = 0.02;
/** Looser thresholds are tried so many steps after the promise was first broken. */
const PATIENCE = 3;

/** Groups at a threshold. */
export function groupsAt(table: CountedTable, threshold: number): EstimatedGroups {
  const { size, links, similarity } = table;
  const endThreshold = Math.max(0, 1 - SPREAD * (1 - threshold));
  const groups = linkGroups(size, links, { threshold, endThreshold, similarity });
  return estimated(table, groups, threshold);
}

/** Representatives and estimates of groups that are made already. */
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
 * The groups of the loosest threshold whose estimated precision meets the target.
 *
 * AutoFJ's estimate wants a reference table nearly free of duplicates. Here the groups' representatives are one: a
 * row at distance t from its representative is right with 1 / (1 + other groups within 2t of the representative).
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
 * Similarities are cosines at heart: 1 - cosine is half a squared distance of unit vectors, and only its root obeys the
 * triangle inequality that the estimate leans on.
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

/** Distance to the nearest member of each other group in sight. */
function nearestGroups(neighbours: readonly Neighbour[], groups: Int32Array, own: number): number[] {
  const nearest = new Map<number, number>();
  for (const { row, distance } of neighbours) {
    const group = groups[row];
    if (group !== own) nearest.set(group, Math.min(distance, nearest.get(group) ?? Infinity));
  }
  return [...nearest.values()];
}
