/** Clusters rows by pairwise similarity: links similar pairs, but never chains rows that are far apart. */

/** Two rows and how similar they are. */
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
  const order = Int32Array.from(links.scores.keys()).filter(
    (link) => links.scores[link] >= options.threshold,
  );
  order.sort((a, b) => links.scores[b] - links.scores[a] || a - b);
  const groups = new Int32Array(size);
  let next = 0;
  const assign = (rows: readonly number[]): void => {
    for (const row of rows) groups[row] = next;
    next++;
  };
  const rows = Array.from({ length: size }, (_, row) => row);
  for (const component of components(rows, order, links)) {
    if (component.rows.length <= 2) assign(component.rows);
    else for (const group of completeGroups(component, links, options)) assign(group);
  }
  return numberedByFirst(groups);
}

/** Connected rows and their links, most similar first. */
interface Component {
  readonly rows: readonly number[];
  readonly links: readonly number[];
}

function components(rows: readonly number[], order: Iterable<number>, { left, right }: Links): Component[] {
  const parents = new Map<number, number>(rows.map((row) => [row, row]));
  const root = (row: number): number => {
    let at = row;
    for (let up = parents.get(at) as number; up !== at; up = parents.get(at) as number) {
      parents.set(at, parents.get(up) as number);
      at = up;
    }
    return at;
  };
  for (const link of order) parents.set(root(right[link]), root(left[link]));
  const found = new Map<number, { rows: number[]; links: number[] }>();
  for (const row of rows) {
    const component = found.get(root(row));
    if (component === undefined) found.set(root(row), { rows: [row], links: [] });
    else component.rows.push(row);
  }
  for (const link of order) found.get(root(left[link]))?.links.push(link);
  return [...found.values()];
}

/** Splits a component into groups in which every pair is similar enough. */
function completeGroups(component: Component, links: Links, options: LinkageOptions): (readonly number[])[] {
  if (component.rows.length > LARGEST_SQUARE) {
    const kept = component.links.slice(0, Math.floor(component.links.length / 2));
    if (kept.length === 0) return component.rows.map((row) => [row]);
    return components(component.rows, kept, links).flatMap((part) => completeGroups(part, links, options));
  }
  const { rows } = component;
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
    const a = groupOf[places.get(links.left[link]) as number];
    const b = groupOf[places.get(links.right[link]) as number];
    if (a === b || lowest[a * count + b] < options.endThreshold) continue;
    const taken = members.get(b) as number[];
    (members.get(a) as number[]).push(...taken);
    members.delete(b);
    for (const row of taken) groupOf[places.get(row) as number] = a;
    for (const other of members.keys()) {
      const low = Math.min(lowest[a * count + other], lowest[b * count + other]);
      lowest[a * count + other] = lowest[other * count + a] = low;
    }
  }
  return [...members.values()];
}

function numberedByFirst(groups: Int32Array): Int32Array {
  const numbers = new Map<number, number>();
  return groups.map((group) => {
    const known = numbers.get(group) ?? numbers.size;
    numbers.set(group, known);
    return known;
  });
}

/** The rows of each group, ascending. */
export function groupMembers(groups: Int32Array): number[][] {
  const members: number[][] = [];
  groups.forEach((group, row) => {
    members[group] ??= [];
    members[group].push(row);
  });
  return members;
}

/** What the choice of a representative depends on. */
export interface RepresentativeOptions {
  similarity(a: number, b: number): number;
  /** How often each row occurs. */
  readonly counts: ArrayLike<number>;
  readonly phrases: readonly string[];
}

/** In larger groups only this many of the most frequent members are candidates. */
const LARGEST_SEARCHED = 300;

/**
 * The medoid: the row most similar to all others, weighted by their occurrences. Ties (always between two rows) go to the
 * more frequent, then the longer, then the first.
 */
export function representative(members: readonly number[], options: RepresentativeOptions): number {
  const { similarity, counts, phrases } = options;
  const searched = [...members].sort((a, b) => counts[b] - counts[a] || a - b).slice(0, LARGEST_SEARCHED);
  let best = members[0];
  let bestSum = -Infinity;
  const before = (a: number, b: number): boolean =>
    counts[a] !== counts[b]
      ? counts[a] > counts[b]
      : phrases[a].length !== phrases[b].length
        ? phrases[a].length > phrases[b].length
        : a < b;
  for (const row of searched) {
    let sum = 0;
    if (searched.length > 2) {
      for (const other of searched) if (other !== row) sum += counts[other] * similarity(row, other);
      // Without its own occurrences, a frequent row would score below its neighbours.
      sum += counts[row];
    }
    if (sum > bestSum + 1e-6 || (sum > bestSum - 1e-6 && before(row, best))) {
      best = row;
      bestSum = Math.max(sum, bestSum);
    }
  }
  return best;
}
