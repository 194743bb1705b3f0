/** Candidate pairs with their evidence: what the weights are learned from. */
import { missing } from "../evidence/levels.js";
import type { EvidenceColumn } from "../evidence/pair-evidence.js";
import { placeIn } from "./chosen-places.js";
import type { RowPairs } from "./left-rows.js";
import { classSizes, type PairClasses } from "./pair-classes.js";

export interface PairTable extends RowPairs, PairClasses {
  readonly isOneTable: boolean;
  readonly rows: readonly [number, number];
  readonly columns: readonly EvidenceColumn[];
  /** Per column the levels of random pairs of rows; of two tables, of such that are no candidates. */
  readonly random: readonly Int8Array[];
}

/** Decided pairs by their place in the table: 1 for a match, 0 for none. */
export interface Known extends ReadonlyMap<number, number> {
  /** Of pairs that share an answer, the share of each. */
  readonly shares?: ReadonlyMap<number, number>;
  /** Those that people judged; default all. Rules decide the others, and teach nothing. */
  readonly judged?: Known;
}

/** Number of all pairs of rows, candidates or not. */
export const allPairs = ({ rows, isOneTable }: Pick<PairTable, "rows" | "isOneTable">): number =>
  isOneTable ? (rows[0] * (rows[0] - 1)) / 2 : rows[0] * rows[1];

/**
 * Where a pair is among pairs that are sorted by left row and then by right row; -1 if it is none of them.
 * @param sorted so many of the pairs are sorted; default all. The others are not looked at
 */
export function placeOf({ left, right }: RowPairs, a: number, b: number, sorted = left.length): number {
  const place = placeIn(0, sorted, (pair) => {
    const row = left.at(pair)!;
    return row < a || (row === a && right[pair] < b);
  });
  return place < sorted && left.at(place) === a && right[place] === b ? place : -1;
}

/** The rows of a pair as tables have them: of one table the smaller row first. */
export const rowsInOrder = (
  { isOneTable }: Pick<PairTable, "isOneTable">,
  { left, right }: { readonly left: number; readonly right: number },
): readonly [number, number] => (isOneTable && left > right ? [right, left] : [left, right]);

/** Per column how many of all pairs are at each level: candidates are counted, the others estimated by random pairs. */
export function levelTotals(table: PairTable): Float64Array[] {
  const candidates = table.left.length;
  const sizes = classSizes(table);
  const others = Math.max(0, allPairs(table) - candidates);
  return table.columns.map(({ levels }, column) => {
    const totals = countLevels(table.levels[column], levels, sizes);
    const random = table.random[column];
    const drawn = countLevels(random, levels);
    return totals.map((count, level) => count + (others * drawn[level]) / Math.max(1, random.length));
  });
}

/** How many are at each level. @param times how often each of them counts; default once */
function countLevels(levels: Int8Array, count: number, times?: Uint32Array): Float64Array {
  const sums = new Float64Array(count);
  for (let place = 0; place < levels.length; place++)
    if (levels[place] !== missing) sums[levels[place]] += times === undefined ? 1 : times[place];
  return sums;
}

/** How many partners a row may have. "many-to-one": a left row several, a right row one. */
export type Relation = "one-to-one" | "many-to-one" | "one-to-many" | "many-to-many";

/** The row of each pair on one side, and the number of that side's rows. */
export interface PairSide {
  readonly name: "left" | "right";
  rowOf(pair: number): number;
  readonly rows: number;
}

/** The sides whose rows have one partner at most. */
export function competingSides({ left, right, rows }: PairTable, relation: Relation): PairSide[] {
  const ofLeft: PairSide = { name: "left", rowOf: (pair) => left.at(pair)!, rows: rows[0] };
  const ofRight: PairSide = { name: "right", rowOf: (pair) => right[pair], rows: rows[1] };
  if (relation === "many-to-many") return [];
  if (relation === "one-to-one") return [ofLeft, ofRight];
  return relation === "many-to-one" ? [ofRight] : [ofLeft];
}
