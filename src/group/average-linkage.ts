/**
 * Average linkage over weights of pairs, log-odds or similarities: two groups merge if their rows are the same on average
 * (UPGMA, Sokal and Michener 1958). A chain of likely pairs between groups that otherwise differ does not merge them. Pairs
 * that were no candidates are weighed when two groups are about to merge.
 */
import { disjointSets, numberedRows } from "../disjoint-sets.js";
import { Heap } from "../heap.js";
import type { Apart } from "../match/rules.js";
import { pauses } from "../match/run/pause.js";
import { chosenPlaces } from "../match/weights/chosen-places.js";
import { byRule } from "../match/weights/learn.js";
import type { LeftRows } from "../match/weights/left-rows.js";
import { placesByNumber } from "../places-by-number.js";

export interface WeighedPairs {
  readonly left: Omit<LeftRows, "slice">;
  readonly right: Int32Array;
  /** The class of each pair. */
  readonly classOf: Int32Array;
  /** The weight of each class: log-odds, or a similarity. */
  readonly weights: ArrayLike<number>;
}

/** Merges in order; groups are named by one of their rows. `mean` is the mean weight of the merged groups' pairs. */
export interface Merge {
  readonly a: number;
  readonly b: number;
  readonly mean: number;
}

export interface LinkageOptions {
  /** The weight of a pair that is no candidate. */
  weigh(a: number, b: number): number;
  /** Keeps groups apart. */
  readonly apart?: Apart;
  /** Merges below it are not made. Default 0: the same as likely as not. */
  readonly least?: number;
  readonly signal?: AbortSignal;
  /** Called now and then with the pairs that are done, and all of them. */
  readonly onProgress?: (done: number, total: number) => void;
}

/** Single pairs count no more than this, so that one of them does not outvote several. */
const strongest = 5;
/** Pairs below it connect nothing. */
const weakest = -1;
/** Merges looked at between two pauses. */
const stepsBetween = 1024;
/** Pairs weighed at most for two groups; more of them are sampled. */
const mostWeighed = 64;

/** Decided pairs are not clipped: rows known to be the same come together, and those known to differ never do. */
const clip = (value: number): number =>
  Math.abs(value) >= byRule ? value : Math.min(strongest, Math.max(-strongest, value));

/** Merges of all groups, strongest first. An aborted call rejects with the reason of its signal. */
export async function averageLinkage(
  size: number,
  pairs: WeighedPairs,
  options: LinkageOptions,
): Promise<Merge[]> {
  const { left, right, classOf, weights } = pairs;
  const connecting = Math.max(weakest, options.least ?? 0);
  const { rootOf, unite } = disjointSets(size);
  for (let pair = 0; pair < left.length; pair++)
    if (weights[classOf[pair]] >= connecting) unite(left.at(pair)!, right[pair]);
  const isConnected = (pair: number): boolean => rootOf(left.at(pair)!) === rootOf(right[pair]);
  const connected = chosenPlaces(left.length, isConnected);
  const { starts, order } = placesByNumber(
    connected.map((pair) => rootOf(left.at(pair)!)),
    size,
  );
  const merges: Merge[] = [];
  // Most pairs may be connected with each other: what is done of them counts too.
  let [done, steps, own] = [0, 0, 0];
  const report = (): void => options.onProgress?.(done + Math.min(steps, own), connected.length);
  const wait = pauses(options.signal, stepsBetween, report);
  const pause = (): ReturnType<typeof wait> => {
    steps++;
    return wait();
  };
  for (let root = 0; root < size; root++) {
    const members = order.subarray(starts[root], starts[root + 1]).map((place) => connected[place]);
    if (members.length === 0) continue;
    [steps, own] = [0, members.length];
    for (const merge of await mergeComponent(members, pairs, { ...options, pause })) merges.push(merge);
    done += own;
    [steps, own] = [0, 0];
  }
  report();
  options.signal?.throwIfAborted();
  return merges.sort((x, y) => y.mean - x.mean || x.a - y.a || x.b - y.b);
}

/** Group of each row after the merges of at least a mean; numbered by first row. */
export function groupsFrom(size: number, merges: readonly Merge[], least: number): Int32Array {
  const { unite, roots } = disjointSets(size);
  for (const { a, b, mean } of merges) if (mean >= least) unite(a, b);
  return numberedRows(roots());
}

/** What is known of the pairs between two groups. */
interface Link {
  sum: number;
  known: number;
  /** The rows of both groups when pairs that were no candidates were weighed: if they are more by now, they are again. */
  weighedRows: number;
}

interface Group {
  readonly rows: number[];
  readonly links: Map<number, Link>;
}

interface Proposal {
  readonly a: number;
  readonly b: number;
  readonly mean: number;
  readonly link: Link;
}

async function mergeComponent(
  members: Iterable<number>,
  pairs: WeighedPairs,
  options: LinkageOptions & { readonly pause: ReturnType<typeof pauses> },
): Promise<Merge[]> {
  const groups = new Map<number, Group>();
  const heap = new Heap<Proposal>(
    (x, y) => x.mean > y.mean || (x.mean === y.mean && (x.a < y.a || (x.a === y.a && x.b < y.b))),
  );
  const groupOf = (row: number): Group => {
    const group = groups.get(row) ?? { rows: [row], links: new Map() };
    groups.set(row, group);
    return group;
  };
  /** Called when a link changes, not when a group grows: a large group takes in rows one by one. */
  const propose = (a: number, b: number, link: Link): void => {
    const mean = link.sum / link.known;
    if (mean >= (options.least ?? 0)) heap.push({ a: Math.min(a, b), b: Math.max(a, b), mean, link });
  };
  for (const pair of members) {
    const [a, b] = [pairs.left.at(pair)!, pairs.right[pair]];
    const link = { sum: clip(pairs.weights[pairs.classOf[pair]]), known: 1, weighedRows: 2 };
    groupOf(a).links.set(b, link);
    groupOf(b).links.set(a, link);
    propose(a, b, link);
  }
  const merges: Merge[] = [];
  for (let next = heap.pop(); next !== undefined; next = heap.pop()) {
    const waiting = options.pause();
    if (waiting !== undefined) await waiting;
    const { a, b, mean, link } = next;
    const [first, second] = [groups.get(a), groups.get(b)];
    // A group that has become part of another, or a link that has changed: a newer proposal exists.
    if (first === undefined || second === undefined || first.links.get(b) !== link) continue;
    if (link.weighedRows < first.rows.length + second.rows.length) {
      weighLink(first, second, link, options);
      propose(a, b, link);
      continue;
    }
    if (options.apart?.unite(a, b) === false) continue;
    merges.push({ a, b, mean });
    mergeInto(a, b, groups, propose);
  }
  return merges;
}

/** Weighs pairs between two groups, all or a sample spread evenly, in place of what was known from candidates. */
function weighLink(first: Group, second: Group, link: Link, { weigh }: LinkageOptions): void {
  const all = first.rows.length * second.rows.length;
  link.weighedRows = first.rows.length + second.rows.length;
  if (link.known >= all || Math.abs(link.sum) >= byRule / 2) return;
  const count = Math.min(all, mostWeighed);
  link.sum = 0;
  link.known = count;
  for (let step = 0; step < count; step++) {
    const place = Math.floor(((step + 0.5) * all) / count);
    const [a, b] = [
      first.rows[Math.floor(place / second.rows.length)],
      second.rows[place % second.rows.length],
    ];
    link.sum += clip(weigh(Math.min(a, b), Math.max(a, b)));
  }
}

/** Group b becomes part of group a, whose links to groups that b has none to stay as they are. */
function mergeInto(
  a: number,
  b: number,
  groups: Map<number, Group>,
  propose: (a: number, b: number, link: Link) => void,
): void {
  const [first, second] = [groups.get(a)!, groups.get(b)!];
  groups.delete(b);
  first.links.delete(b);
  second.links.delete(a);
  for (const row of second.rows) first.rows.push(row);
  for (const [other, link] of second.links) {
    const own = first.links.get(other);
    const united =
      own === undefined ? link : { sum: own.sum + link.sum, known: own.known + link.known, weighedRows: 0 };
    const { links: ofOther } = groups.get(other)!;
    ofOther.delete(b);
    ofOther.set(a, united);
    first.links.set(other, united);
    propose(a, other, united);
  }
}
