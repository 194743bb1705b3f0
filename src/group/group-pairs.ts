/** The pairs of rows within groups: also those that were no candidates, and what the rest of a group says about each. */

import { Growing } from "../match/columns/lists.js";
import type { ComparedTables } from "../match/compare-tables.js";
import type { PairProbabilities, ScoredPairs } from "../match/estimates/scored-pairs.js";
import { pairLevels } from "../match/evidence/pair-levels.js";
import type { RangeOptions } from "../match/run/partition.js";
import { finder, placeIn } from "../match/weights/chosen-places.js";
import { sigmoid } from "../match/weights/logistic.js";
import { joined, joinedClasses, pairClasses } from "../match/weights/pair-classes.js";
import type { PairTable } from "../match/weights/pair-table.js";
import { placesByNumber } from "../places-by-number.js";

/** Of larger groups each row is paired with this many others. */
const mostRows = 1500;
/** A row that repeats others in all fields is paired with so many of them: more pairs of equal rows say nothing new. */
const mostEqual = 100;

/**
 * The candidates, followed by all other pairs within the groups.
 * @param groups of each row, numbered by first row
 */
export async function withPairsInside(
  compared: ComparedTables,
  groups: Int32Array,
  run: RangeOptions = {},
): Promise<PairTable> {
  const { left, right, rows, tables } = compared;
  const areEqual = (a: number, b: number): boolean =>
    tables.fields.every((field) => field.left[a] === field.left[b]);
  const members = placesByNumber(groups, rows[0]);
  // Candidates are sorted by their left row.
  const starts = new Uint32Array(rows[0] + 1);
  for (let pair = 0; pair < left.length; pair++) starts[left.at(pair)! + 1]++;
  for (let row = 0; row < rows[0]; row++) starts[row + 1] += starts[row];
  const [moreLeft, moreRight] = [new Growing(Int32Array), new Growing(Int32Array)];
  const stamp = new Int32Array(rows[0]).fill(-1);
  for (let group = 0; group < rows[0]; group++) {
    const [first, end] = [members.starts[group], members.starts[group + 1]];
    for (let place = first; place + 1 < end; place++) {
      const row = members.order[place];
      for (let pair = starts[row]; pair < starts[row + 1]; pair++) stamp[right[pair]] = row;
      let equal = 0;
      for (const other of members.order.subarray(place + 1, Math.min(end, place + mostRows))) {
        if (stamp[other] === row || (areEqual(row, other) && equal++ >= mostEqual)) continue;
        moreLeft.push(row);
        moreRight.push(other);
      }
    }
  }
  const more = { left: moreLeft.added(), right: moreRight.added() };
  const levels = await pairLevels(compared.comparison, more, run);
  return {
    ...{ ...compared, ...joinedClasses(compared, pairClasses(levels)) },
    left: left.followedBy(more.left),
    right: joined(right, more.right),
  };
}

/** Rows asked about a pair at most. */
const mostWitnesses = 30;

/**
 * The probability of each pair, that of an accepted one with the support of its group: two rows that are both the same as a
 * third are the same. Of the ways through other rows the best counts, and of a way its weaker step.
 * @param own probability of each class without it
 */
export function supportedProbability(
  table: PairTable,
  pairs: Int32Array,
  own: Float64Array,
): PairProbabilities {
  const { left, right, rows } = table;
  const supported = Float64Array.from(pairs, (pair) => own[table.classOf[pair]]);
  const [lefts, rights] = [pairs.map((pair) => left.at(pair)!), pairs.map((pair) => right[pair])];
  // Every pair is an entry of each of its rows.
  const others = joined(rights, lefts);
  const { starts, order } = placesByNumber(joined(lefts, rights), rows[0]);
  const ownOf = (entry: number): number => own[table.classOf[pairs[entry % pairs.length]]];
  const entriesOf = (row: number): Uint32Array => order.subarray(starts[row], starts[row + 1]);
  for (let row = 0; row < rows[0]; row++) entriesOf(row).sort((x, y) => others[x] - others[y]);
  const probabilityOf = (row: number, other: number): number => {
    const place = placeIn(starts[row], starts[row + 1], (at) => others[order[at]] < other);
    return place < starts[row + 1] && others[order[place]] === other ? ownOf(order[place]) : 0;
  };
  let [row, strongest] = [-1, new Uint32Array(0)];
  pairs.forEach((pair, at) => {
    if (left.at(pair) !== row) {
      row = left.at(pair)!;
      const byOwn = entriesOf(row).slice();
      strongest = byOwn
        .sort((x, y) => ownOf(y) - ownOf(x) || others[x] - others[y])
        .subarray(0, mostWitnesses);
    }
    for (const entry of strongest) {
      const probability = ownOf(entry);
      if (probability <= supported[at]) break;
      const step = Math.min(probability, probabilityOf(right[pair], others[entry]));
      if (step > supported[at]) supported[at] = step;
    }
  });
  const placeOf = finder(pairs);
  return { at: (pair) => supported[placeOf(pair)] ?? own[table.classOf[pair]] };
}

/**
 * Returns the probability of any two rows: that of an accepted pair, or else from their columns alone.
 * @param weigh log-odds of two rows, the smaller first
 */
export function pairProbability(
  { table: { left, right, rows }, accepted: pairs, probability }: ScoredPairs,
  weigh: (a: number, b: number) => number,
): (a: number, b: number) => number {
  const { starts, order } = placesByNumber(
    pairs.map((pair) => left.at(pair)!),
    rows[0],
  );
  return (a, b) => {
    const [x, y] = [Math.min(a, b), Math.max(a, b)];
    for (let place = starts[x]; place < starts[x + 1]; place++) {
      const pair = pairs[order[place]];
      if (right[pair] === y) return probability.at(pair)!;
    }
    return sigmoid(weigh(x, y));
  };
}
