/** Clusters rows by pairwise similarity: links similar pairs, but never chains rows that are far apart. */
import { disjointSets, numberedRows } from "../disjoint-sets.js";
import { groupBy } from "../match/group-by.js";
import type { CountedTable } from "./one-column/promised-threshold.js";

export interface Links {
  readonly left: Int32Array;
  readonly right: Int32Array;
  /** Similarities, 0 to 1. */
  readonly scores: Float32Array;
}

export interface LinkageOptions {
  /** Pairs of at least this similarity are linked. */
  readonly threshold: number;
  /** Minimum similarity of any two rows of a group. */
  readonly endThreshold: number;
  /** Similarity of any two rows, linked or not. */
  similarity(a: number, b: number): number;
}

/** Larger components are first split at a stricter threshold, because memory grows with the square of the rows. */
const LARGEST_SQUARE = 1500;

/**
 * Group of each row, numbered by first row.
 *
 * Single linkage alone forms chains: a resembles b, b resembles c, but a has nothing in common with c. Therefore links are
 * processed from the most similar, and two groups merge only if every row of one has at least the similarity
 * `endThreshold` to every row of the other (complete linkage).
 */
export function linkGroups(size: number, links: Links, options: LinkageOptions): Int32Array {
  const { scores } = links;
  const order = Int32Array.from(scores.keys()).filter((link) => scores[link] >= options.threshold);
  order.sort((a, b) => scores[b] - scores[a] || a - b);
  const linked = new Uint8Array(size);
  for (const link of order) linked[links.left[link]] = linked[links.right[link]] = 1;
  const rows = Int32Array.from(linked.keys()).filter((row) => linked[row] === 1);
  const firstOf = Int32Array.from(linked.keys());
  for (const component of components(rows, order, links))
    for (const group of completeGroups(component, links, options))
      for (const row of group) firstOf[row] = group[0];
  return numberedRows(firstOf);
}

/** Connected rows, ascending, and their links, most similar first. */
interface Component {
  readonly rows: readonly number[];
  readonly links: readonly number[];
}

function components(
  rows: Int32Array | readonly number[],
  order: Iterable<number>,
  { left, right }: Links,
): Component[] {
  const { rootOf, unite } = disjointSets(1 + (rows.at(-1) ?? 0));
  for (const link of order) unite(left[link], right[link]);
  const linksOf = groupBy(order, (link) => rootOf(left[link]));
  return Array.from(groupBy(rows, rootOf), ([key, members]) => ({
    rows: members,
    links: linksOf.get(key) ?? [],
  }));
}

/** Splits a component into groups in which every pair is similar enough; rows ascending. */
function completeGroups(component: Component, links: Links, options: LinkageOptions): (readonly number[])[] {
  const { rows } = component;
  if (rows.length <= 2) return [rows];
  if (rows.length > LARGEST_SQUARE) {
    const kept = component.links.slice(0, Math.floor(component.links.length / 2));
    return components(rows, kept, links).flatMap((part) => completeGroups(part, links, options));
  }
  const count = rows.length;
  const places = new Map(rows.map((row, place) => [row, place]));
  // Lowest similarity between two groups, each under the place of its first row.
  const lowest = new Float32Array(count * count);
  for (let a = 0; a < count; a++) {
    for (let b = a + 1; b < count; b++)
      lowest[a * count + b] = lowest[b * count + a] = options.similarity(rows[a], rows[b]);
  }
  const members = new Map(rows.map((row, place) => [place, [row]]));
  const groupOf = Int32Array.from(rows.keys());
  for (const link of component.links) {
    const a = groupOf[places.get(links.left[link])!];
    const b = groupOf[places.get(links.right[link])!];
    if (a === b || lowest[a * count + b] < options.endThreshold) continue;
    const taken = members.get(b)!;
    members.get(a)!.push(...taken);
    members.delete(b);
    for (const row of taken) groupOf[places.get(row)!] = a;
    for (const other of members.keys()) {
      const low = Math.min(lowest[a * count + other], lowest[b * count + other]);
      lowest[a * count + other] = lowest[other * count + a] = low;
    }
  }
  return Array.from(members.values(), (group) => group.sort((a, b) => a - b));
}

/** The rows of each group, ascending. */
export function groupMembers(groups: Int32Array): number[][] {
  const members: number[][] = [];
  groups.forEach((group, row) => {
    while (members.length <= group) members.push([]);
    members[group].push(row);
  });
  return members;
}

/** In larger groups only this many of the most frequent members are candidates. */
const LARGEST_SEARCHED = 300;

/**
 * The medoid: the row most similar to all others, weighted by their occurrences. Ties (always between two rows) go to the
 * more frequent, then the longer, then the first.
 */
export function representative(
  members: readonly number[],
  { similarity, counts, phrases }: Pick<CountedTable, "similarity" | "counts" | "phrases">,
): number {
  if (members.length === 1) return members[0];
  const searched = [...members]
    .sort((a, b) => counts[b] - counts[a] || a - b)
    .slice(0, LARGEST_SEARCHED)
    .sort((a, b) => counts[b] - counts[a] || phrases[b].length - phrases[a].length || a - b);
  if (searched.length <= 2) return searched[0];
  let [best, bestSum] = [members[0], -Infinity];
  for (const row of searched) {
    // Without its own occurrences, a frequent row would score below its neighbours.
    let sum = counts[row];
    for (const other of searched) if (other !== row) sum += counts[other] * similarity(row, other);
    if (sum > bestSum + 1e-6) [best, bestSum] = [row, sum];
  }
  return best;
}
