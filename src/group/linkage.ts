/** Clusters rows by pairwise similarity: links similar pairs, but never chains rows that are far apart. */
import { disjointSets, numberedRows } from "../disjoint-sets.js";
import type { Apart } from "../match/rules.js";
import { chosenPlaces, placeIn } from "../match/weights/chosen-places.js";
import { type PlacesByNumber, placesByNumber } from "../places-by-number.js";
import type { CountedTable } from "./one-column/promised-threshold.js";

/** Pairs of rows with their similarity, ascending by left row and then by right row. */
export interface Links {
  readonly left: Int32Array;
  readonly right: Int32Array;
  /** Similarities, 0 to 1. */
  readonly scores: Float32Array;
}

/** Links that are found by their similarity and by their rows. */
export interface LinkTable extends Links {
  /** All links, the most similar first; of equal ones the earlier. */
  readonly strongest: Uint32Array;
  /** The links of a row, ascending. */
  ofRow(row: number): Iterable<number>;
}

export function linkTable(size: number, { left, right, scores }: Links): LinkTable {
  const toRight = placesByNumber(right, size);
  const fromLeft = placesByNumber(left, size).starts;
  return {
    ...{ left, right, scores, strongest: strongestFirst(scores) },
    *ofRow(row) {
      // A row is on the right of links of earlier rows.
      yield* toRight.order.subarray(toRight.starts[row], toRight.starts[row + 1]);
      for (let link = fromLeft[row]; link < fromLeft[row + 1]; link++) yield link;
    },
  };
}

/** The rows that a row is linked with, and how similar they are. */
export function* linkedWith(links: LinkTable, row: number): Generator<readonly [number, number]> {
  for (const link of links.ofRow(row))
    yield [links.left[link] === row ? links.right[link] : links.left[link], links.scores[link]];
}

/** Sorts by the bits of the numbers, which are in the order of the numbers where these are not negative: each half once. */
function strongestFirst(scores: Float32Array): Uint32Array {
  const bits = new Int32Array(scores.buffer, scores.byteOffset, scores.length);
  const byLow = placesByNumber(
    bits.map((value) => ~value & 0xffff),
    2 ** 16,
  ).order;
  const byBoth = placesByNumber(
    Int32Array.from(byLow, (link) => ~bits[link] >>> 16),
    2 ** 16,
  ).order;
  return byBoth.map((place) => byLow[place]);
}

export interface LinkageOptions {
  /** Pairs of at least this similarity are linked. */
  readonly threshold: number;
  /** Minimum similarity of any two rows of a group. */
  readonly endThreshold: number;
  /** Similarity of any two rows, linked or not. */
  similarity(a: number, b: number): number;
  /** Keeps groups apart. */
  readonly apart?: Apart;
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
export function linkGroups(size: number, links: LinkTable, options: LinkageOptions): Int32Array {
  const { left, right, scores, strongest } = links;
  const isLinked = (place: number): boolean => scores[strongest[place]] >= options.threshold;
  const chosen = strongest.subarray(0, placeIn(0, strongest.length, isLinked));
  const linked = new Uint8Array(size);
  for (const link of chosen) linked[left[link]] = linked[right[link]] = 1;
  const whole = { rows: Uint32Array.from(chosenPlaces(size, (row) => linked[row] === 1)), links: chosen };
  const places = new Int32Array(size);
  const firstOf = Int32Array.from(linked.keys());
  for (const component of componentsOf(whole, links, places))
    for (const group of completeGroups(component, links, places, options))
      for (const row of group) firstOf[row] = group[0];
  return numberedRows(firstOf);
}

/** Rows, ascending, and the links among them, most similar first. */
interface Component {
  readonly rows: Uint32Array;
  readonly links: Uint32Array;
}

/** The connected parts. @param places by row: overwritten before the first part is given */
function* componentsOf(
  { rows, links }: Component,
  { left, right }: Links,
  places: Int32Array,
): Generator<Component> {
  rows.forEach((row, place) => {
    places[row] = place;
  });
  const { rootOf, unite, roots } = disjointSets(rows.length);
  for (const link of links) unite(places[left[link]], places[right[link]]);
  const linksOf = placesByNumber(
    Int32Array.from(links, (link) => rootOf(places[left[link]])),
    rows.length,
  );
  const rowsOf = placesByNumber(roots(), rows.length);
  for (let root = 0; root < rows.length; root++) {
    const found = rowsOf.order.subarray(rowsOf.starts[root], rowsOf.starts[root + 1]);
    if (found.length === 0) continue;
    const inside = linksOf.order.subarray(linksOf.starts[root], linksOf.starts[root + 1]);
    yield { rows: found.map((place) => rows[place]), links: inside.map((place) => links[place]) };
  }
}

/** Splits a component into groups in which every pair is similar enough; rows ascending. */
function* completeGroups(
  component: Component,
  links: Links,
  places: Int32Array,
  options: LinkageOptions,
): Generator<ArrayLike<number> & Iterable<number>> {
  const { rows } = component;
  const count = rows.length;
  if (count <= 2) yield rows;
  else if (count > LARGEST_SQUARE) {
    const kept = component.links.subarray(0, Math.floor(component.links.length / 2));
    for (const part of componentsOf({ rows, links: kept }, links, places))
      yield* completeGroups(part, links, places, options);
  } else yield* comparedGroups(component, links, options);
}

function comparedGroups({ rows, links: inside }: Component, links: Links, options: LinkageOptions) {
  const count = rows.length;
  const places = new Map(Array.from(rows, (row, place) => [row, place]));
  // Lowest similarity between two groups, each under the place of its first row.
  const lowest = new Float32Array(count * count);
  for (let a = 0; a < count; a++) {
    for (let b = a + 1; b < count; b++)
      lowest[a * count + b] = lowest[b * count + a] = options.similarity(rows[a], rows[b]);
  }
  const members = new Map(Array.from(rows, (row, place) => [place, [row]]));
  const groupOf = Int32Array.from(rows.keys());
  for (const link of inside) {
    const a = groupOf[places.get(links.left[link])!];
    const b = groupOf[places.get(links.right[link])!];
    if (a === b || lowest[a * count + b] < options.endThreshold) continue;
    if (options.apart?.unite(rows[a], rows[b]) === false) continue;
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

/** In larger groups only this many of the most frequent members are candidates. */
const LARGEST_SEARCHED = 300;

/**
 * The medoid: the row most similar to all others, weighted by their occurrences. Ties (always between two rows) go to the
 * more frequent, then the longer, then the first.
 */
export function representative(
  members: ArrayLike<number>,
  { similarity, counts, phrases }: Pick<CountedTable, "similarity" | "counts" | "phrases">,
): number {
  const searched = Array.from(members)
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

/** The representative of each group. @param rowsOf rows by group, none of which is empty up to the last */
export function representativesOf(
  { starts, order }: PlacesByNumber,
  table: Pick<CountedTable, "similarity" | "counts" | "phrases">,
): Int32Array {
  const count = placeIn(0, starts.length - 1, (group) => starts[group] < order.length);
  return Int32Array.from({ length: count }, (_, group) => {
    const [from, to] = [starts[group], starts[group + 1]];
    return to - from === 1 ? order[from] : representative(order.subarray(from, to), table);
  });
}
