/**
 * One-to-one assignment of greatest total weight over sparse weighted pairs, by successive shortest paths (the Hungarian
 * method with Dijkstra's algorithm; Jonker and Volgenant 1987). Rows may stay unassigned: only pairs of positive weight
 * are used.
 */
import { Heap } from "../../heap.js";

/** A left row that a right row may have. Choices with a weight of 0 or less are never assigned. */
export interface Choice {
  readonly left: number;
  readonly weight: number;
}

/** State of the search. Prices keep every reduced cost at or above 0, as Dijkstra's algorithm requires. */
interface State<Chosen> {
  /** By right row. */
  readonly choices: readonly (readonly Chosen[])[];
  readonly chosen: (Chosen | undefined)[];
  readonly rightPrice: number[];
  /** By left row. */
  readonly rightOf: Map<number, number>;
  readonly leftPrice: Map<number, number>;
}

/**
 * Assigns rows so that the total weight is greatest and no left row is used twice.
 * @param choices by right row
 * @returns the choice of each right row, undefined for rows without one
 */
export function assignOneToOne<Chosen extends Choice>(
  choices: readonly (readonly Chosen[])[],
): (Chosen | undefined)[] {
  const state: State<Chosen> = {
    choices,
    chosen: choices.map(() => undefined),
    rightPrice: choices.map((list) => list.reduce((best, { weight }) => Math.max(best, weight), 0)),
    rightOf: new Map(),
    leftPrice: new Map(),
  };
  for (const [right, price] of state.rightPrice.entries()) if (price > 0) augment(state, right);
  return state.chosen;
}

/** A left row reached by the search, with its distance and the pair it was reached by. */
interface Reached<Chosen> {
  readonly left: number;
  readonly cost: number;
  readonly right: number;
  readonly choice: Chosen;
}

/**
 * Adds one right row along the cheapest alternating path. The path ends at a free left row, or at a right row that is
 * best left unassigned, which costs its price.
 */
function augment<Chosen extends Choice>(state: State<Chosen>, start: number): void {
  const { choices, chosen, rightPrice, rightOf, leftPrice } = state;
  const costs = new Map<number, number>(); // by left row
  const heap = new Heap<Reached<Chosen>>((a, b) => a.cost < b.cost);
  const done = new Map<number, Reached<Chosen>>();
  const rights = new Map([[start, 0]]); // right rows on the tree with their distance
  let end = { cost: rightPrice[start], right: start, left: -1 };
  const relax = (right: number, base: number): void => {
    for (const choice of choices[right]) {
      const { left, weight } = choice;
      if (weight <= 0 || done.has(left)) continue;
      const cost = base + rightPrice[right] + (leftPrice.get(left) ?? 0) - weight;
      if (cost >= (costs.get(left) ?? Infinity)) continue;
      costs.set(left, cost);
      heap.push({ left, cost, right, choice });
    }
  };
  relax(start, 0);
  for (let next = heap.pop(); next !== undefined && next.cost < end.cost; next = heap.pop()) {
    const { left } = next;
    // A left row may be on the heap several times; its cheapest entry comes first.
    if (done.has(left)) continue;
    done.set(left, next);
    const right = rightOf.get(left);
    if (right === undefined) {
      end = { cost: next.cost, right: -1, left };
      break;
    }
    rights.set(right, next.cost);
    if (next.cost + rightPrice[right] < end.cost) end = { cost: next.cost + rightPrice[right], right, left };
    relax(right, next.cost);
  }
  for (const [right, cost] of rights) if (cost < end.cost) rightPrice[right] -= end.cost - cost;
  for (const [left, { cost }] of done) {
    if (cost < end.cost) leftPrice.set(left, (leftPrice.get(left) ?? 0) + (end.cost - cost));
  }
  if (end.right >= 0) chosen[end.right] = undefined;
  // Each right row on the path takes the left row it reached, and gives up the one it had.
  for (let left: number | undefined = end.left; left !== undefined && left >= 0; ) {
    const { right, choice }: Reached<Chosen> = done.get(left)!;
    const before: number | undefined = chosen[right]?.left;
    chosen[right] = choice;
    rightOf.set(left, right);
    left = right === start ? undefined : before;
  }
}
