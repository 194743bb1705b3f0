/** The pairs of rows within groups: also those that were no candidates, and what the rest of a group says about each. */
import type { ComparedTables } from "../match/compare-tables.js";
import type { ScoredPairs } from "../match/estimates/scored-pairs.js";
import { pairLevels } from "../match/evidence/pair-levels.js";
import { groupBy } from "../match/group-by.js";
import type { PartOptions } from "../match/parts/in-parts.js";
import { joined, joinedClasses, ofPairs, pairClasses } from "../match/weights/pair-classes.js";
import { type PairTable, pairsByRow } from "../match/weights/pair-table.js";

/** Of larger groups each row is paired with this many others. */
const mostRows = 1500;

/** The candidates, followed by all other pairs within the groups. */
export async function withPairsInside(
  compared: ComparedTables,
  groups: Int32Array,
  parts: PartOptions = {},
): Promise<PairTable> {
  const { left, right, rows } = compared;
  const candidates = pairsByRow(left, rows[0]);
  const members = groupBy(groups.keys(), (row) => groups[row]);
  const [moreLeft, moreRight]: [number[], number[]] = [[], []];
  const stamp = new Int32Array(rows[0]).fill(-1);
  for (const group of members.values()) {
    group.forEach((row, place) => {
      for (let at = candidates.starts[row]; at < candidates.starts[row + 1]; at++)
        stamp[right[candidates.order[at]]] = row;
      for (const other of group.slice(place + 1, place + mostRows)) {
        if (stamp[other] === row) continue;
        moreLeft.push(row);
        moreRight.push(other);
      }
    });
  }
  const more = { left: Int32Array.from(moreLeft), right: Int32Array.from(moreRight) };
  const levels = await pairLevels(compared.comparison, more, parts);
  return {
    ...{ ...compared, ...joinedClasses(compared, pairClasses(levels)) },
    left: joined(left, more.left),
    right: joined(right, more.right),
  };
}

/** Rows asked about a pair at most. */
const mostWitnesses = 30;

/**
 * The probability of each accepted pair with the support of its group: two rows that are both the same as a third are the
 * same. Of the ways through other rows the best counts, and of a way its weaker step.
 * @param own probability of each class without it
 */
export function supportedProbability(
  table: PairTable,
  accepted: Uint8Array,
  own: Float64Array,
): Float64Array {
  const supported = ofPairs(table, own);
  const partners = new Map<number, Map<number, number>>();
  const note = (row: number, other: number, probability: number): void => {
    const known = partners.get(row);
    if (known === undefined) partners.set(row, new Map([[other, probability]]));
    else known.set(other, probability);
  };
  accepted.forEach((flag, pair) => {
    if (flag === 0) return;
    note(table.left[pair], table.right[pair], supported[pair]);
    note(table.right[pair], table.left[pair], supported[pair]);
  });
  const strongest = new Map(
    [...partners].map(([row, others]) => {
      const order = [...others].sort(([a, x], [b, y]) => y - x || a - b);
      return [row, order.slice(0, mostWitnesses)] as const;
    }),
  );
  accepted.forEach((flag, pair) => {
    if (flag === 0) return;
    const ofRight = partners.get(table.right[pair])!;
    for (const [witness, probability] of strongest.get(table.left[pair])!) {
      if (probability <= supported[pair]) break;
      const step = Math.min(probability, ofRight.get(witness) ?? 0);
      if (step > supported[pair]) supported[pair] = step;
    }
  });
  return supported;
}

/**
 * Returns the probability of any two rows: that of an accepted pair, or else from their columns alone.
 * @param weigh log-odds of two rows, the smaller first
 */
export function pairProbability(
  { table: { left, right, rows }, accepted, probability }: ScoredPairs,
  weigh: (a: number, b: number) => number,
): (a: number, b: number) => number {
  const { starts, order } = pairsByRow(left, rows[0]);
  return (a, b) => {
    const [x, y] = [Math.min(a, b), Math.max(a, b)];
    for (let place = starts[x]; place < starts[x + 1]; place++) {
      const pair = order[place];
      if (right[pair] === y && accepted[pair] === 1) return probability[pair];
    }
    return 1 / (1 + Math.exp(-weigh(x, y)));
  };
}
