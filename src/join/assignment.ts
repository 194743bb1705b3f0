/**
 * One-to-one assignment of greatest total weight over sparse weighted pairs, by successive shortest paths (the Hungarian
 * method with Dijkstra's algorithm; Jonker and Volgenant 1987). Rows may stay unassigned: only pairs of positive weight
 * are used.
 */
import { ArgumentError } from "../errors.js";

/** A pair that may be assigned. */
export interface WeightedPair {
  readonly left: number;
  readonly right: number;
  /** Finite; pairs with a weight of 0 or less are never assigned. */
  readonly weight: number;
}

/**
 * Assigns rows so that the total weight is greatest and no row is used twice.
 * @returns for each right row, 0 to rights - 1, its left row, or -1
 */
export function assignOneToOne(
  pairs: readonly WeightedPair[],
  { lefts, rights }: { readonly lefts: number; readonly rights: number },
): Int32Array {
  const edges = groupByRight(pairs, rights);
  const state: State = {
    edges,
    leftOf: new Int32Array(rights).fill(-1),
    rightOf: new Int32Array(lefts).fill(-1),
    // Prices keep every reduced cost at or above 0, as Dijkstra's algorithm requires.
    rightPrice: Float64Array.from(edges, (list) =>
      list.reduce((best, { weight }) => Math.max(best, weight), 0),
    ),
    leftPrice: new Float64Array(lefts),
  };
  for (let right = 0; right < rights; right++) if (edges[right].length > 0) augment(state, right);
  return state.leftOf;
}

interface State {
  readonly edges: readonly (readonly WeightedPair[])[];
  readonly leftOf: Int32Array;
  readonly rightOf: Int32Array;
  readonly rightPrice: Float64Array;
  readonly leftPrice: Float64Array;
}

function groupByRight(pairs: readonly WeightedPair[], rights: number): WeightedPair[][] {
  const edges = Array.from({ length: rights }, (): WeightedPair[] => []);
  for (const pair of pairs) {
    if (!Number.isFinite(pair.weight)) {
      throw new ArgumentError(`the weight of pair ${pair.left}, ${pair.right} is ${pair.weight}, not finite`);
    }
    if (pair.weight > 0) edges[pair.right].push(pair);
  }
  return edges;
}

/**
 * Adds one right row along the cheapest alternating path. The path ends at a free left row, or at a right row that is
 * best left unassigned, which costs its price.
 */
function augment(state: State, start: number): void {
  const { edges, leftOf, rightOf, rightPrice, leftPrice } = state;
  const distance = new Map<number, number>(); // by left row
  const from = new Map<number, number>(); // the right row a left row was reached from
  const done = new Set<number>();
  const reached = new Map<number, number>([[start, 0]]); // right rows on the tree with their distance
  const heap = new Heap();
  let end: { kind: "left" | "alone"; row: number; cost: number } = {
    kind: "alone",
    row: start,
    cost: rightPrice[start],
  };
  const relax = (right: number, base: number): void => {
    for (const { left, weight } of edges[right]) {
      const cost = base + rightPrice[right] + leftPrice[left] - weight;
      if (done.has(left) || cost >= (distance.get(left) ?? Infinity)) continue;
      distance.set(left, cost);
      from.set(left, right);
      heap.push(cost, left);
    }
  };
  relax(start, 0);
  for (let next = heap.pop(); next !== undefined && next.key < end.cost; next = heap.pop()) {
    const { key, value: left } = next;
    if (done.has(left) || key > distance.get(left)!) continue;
    done.add(left);
    const right = rightOf[left];
    if (right < 0) {
      end = { kind: "left", row: left, cost: key };
      break;
    }
    reached.set(right, key);
    if (key + rightPrice[right] < end.cost)
      end = { kind: "alone", row: right, cost: key + rightPrice[right] };
    relax(right, key);
  }
  for (const [right, cost] of reached) if (cost < end.cost) rightPrice[right] -= end.cost - cost;
  for (const left of done) {
    const cost = distance.get(left)!;
    if (cost < end.cost) leftPrice[left] += end.cost - cost;
  }
  flip(leftOf, rightOf, from, start, end);
}

function flip(
  leftOf: Int32Array,
  rightOf: Int32Array,
  from: ReadonlyMap<number, number>,
  start: number,
  end: { readonly kind: "left" | "alone"; readonly row: number },
): void {
  let left = end.row;
  if (end.kind === "alone") {
    if (end.row === start) return;
    left = leftOf[end.row];
    leftOf[end.row] = -1;
  }
  for (;;) {
    const right = from.get(left)!;
    const before = leftOf[right];
    leftOf[right] = left;
    rightOf[left] = right;
    if (right === start) return;
    left = before;
  }
}

/** A binary min-heap of numbers by key. */
class Heap {
  private readonly items: { key: number; value: number }[] = [];

  push(key: number, value: number): void {
    const { items } = this;
    let place = items.length;
    items.push({ key, value });
    while (place > 0) {
      const parent = (place - 1) >> 1;
      if (items[parent].key <= key) break;
      items[place] = items[parent];
      place = parent;
    }
    items[place] = { key, value };
  }

  pop(): { key: number; value: number } | undefined {
    const { items } = this;
    const top = items[0];
    const last = items.pop();
    if (last === undefined || items.length === 0) return top;
    let place = 0;
    for (;;) {
      let child = 2 * place + 1;
      if (child >= items.length) break;
      if (child + 1 < items.length && items[child + 1].key < items[child].key) child++;
      if (items[child].key >= last.key) break;
      items[place] = items[child];
      place = child;
    }
    items[place] = last;
    return top;
  }
}
