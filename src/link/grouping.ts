/** Groups of rows that are one entity, and why: what a run hands over to be written as changes of entities. */
import { disjointSets } from "../disjoint-sets.js";
import { sureRows } from "../group/decided-groups.js";
import { isFilled } from "../match/cells/cell-words.js";
import type { KnownPair } from "../match/compare-tables.js";
import { pairSentence, type RowExplanation } from "../match/explain.js";
import { sigmoid } from "../match/weights/logistic.js";
import { placesByNumber } from "../places-by-number.js";
import { type Cell, numberCell, type OutputColumn } from "../table/cell.js";
import type { EntityChange, LinkedRow } from "./reconcile.js";
import type { Store } from "./store.js";

/** How likely two rows are the same, and what their columns say. */
export interface PairReason {
  readonly probability: number;
  readonly reason: string;
}

export interface Grouping {
  readonly rows: readonly LinkedRow[];
  /** Group of each row. */
  readonly groups: ArrayLike<number>;
  /** Where only equal rows are grouped: the likely groups, which are not accepted. */
  readonly likely?: ArrayLike<number>;
  /** @param a @param b places in `rows` */
  explain(a: number, b: number): RowExplanation;
}

const logOddsOf = ({ prior, columns }: RowExplanation): number =>
  columns.reduce((sum, { logOdds }) => sum + logOdds, prior);

function reasonOf(explanation: RowExplanation): PairReason {
  const probability = sigmoid(logOddsOf(explanation));
  return { probability, reason: pairSentence(explanation, probability) };
}

/**
 * Groups of rows that are equal in all compared cells, unless they are empty or known to differ, or that are known to be the same.
 * What makes rows the same outweighs what keeps them apart: a store may have entities that contradict a decision.
 */
export function equalGroups(
  rows: number,
  cellsOf: (row: number) => readonly string[],
  known: readonly KnownPair[],
): Int32Array {
  const { unite, rootOf } = disjointSets(rows);
  for (const { left, right, match } of known) if (match) unite(left, right);
  const consistent = known.filter(({ left, right, match }) => match || rootOf(left) !== rootOf(right));
  const keyOf = (row: number): string | undefined => {
    const cells = cellsOf(row);
    return cells.some(isFilled) ? JSON.stringify(cells) : undefined;
  };
  return sureRows(rows, keyOf, consistent);
}

/** Pairs that are looked at for the strongest. */
const mostPairs = 200;

/** The strongest pair of a row of one list and a row of the other. */
function strongest(
  grouping: Grouping,
  some: readonly number[],
  others: readonly number[],
): PairReason | undefined {
  const [left, right] = [some, others].map((rows) => rows.slice(0, mostPairs));
  const pairs = left.flatMap((a) => right.flatMap((b) => (a === b ? [] : [[a, b]]))).slice(0, mostPairs);
  const found = pairs.map(([a, b]) => grouping.explain(a, b));
  const best = found.sort((x, y) => logOddsOf(y) - logOddsOf(x))[0];
  return best && reasonOf(best);
}

/** Why a change was made: the strongest pair that speaks for it; of a split, the one that still speaks against it. */
export function changeReasons(
  grouping: Grouping,
  entities: Int32Array,
  nextEntity: number,
): (change: EntityChange) => PairReason | undefined {
  const { starts, order } = placesByNumber(entities, nextEntity);
  return ({ kind, entity, other = 0, rows }) => {
    const moved = new Set(rows);
    const whole = kind === "split" ? other : entity;
    const from = order.subarray(starts[whole], starts[whole + 1]);
    const rest = [...from].filter((place) => !moved.has(place));
    return strongest(grouping, rows, rest.length > 0 ? rest : rows);
  };
}

/** A row that is likely the same as one of another entity. */
export interface LikelyPair extends PairReason {
  /** Numbers in the store. */
  readonly row: number;
  readonly other: number;
}

/** Likely groups that were not accepted: each row with the first one, if that is in another entity. */
export function likelyPairs(grouping: Grouping, entities: Int32Array): LikelyPair[] {
  const { likely, rows } = grouping;
  if (likely === undefined) return [];
  const pairs: LikelyPair[] = [];
  const { starts, order } = placesByNumber(Int32Array.from(likely));
  for (let place = 0; place < rows.length; place++) {
    const start = starts[likely[place]];
    if (order[start] !== place) continue;
    for (const other of order.subarray(start + 1, starts[likely[place] + 1])) {
      if (entities[other] === entities[place]) continue;
      pairs.push({
        row: rows[other].row,
        other: rows[place].row,
        ...reasonOf(grouping.explain(other, place)),
      });
    }
  }
  return pairs;
}

export const likelyColumns: OutputColumn[] = [
  ...["entity", "source", { name: "row", type: "BIGINT" }, "key"],
  ...["likely_entity", "likely_source", { name: "likely_row", type: "BIGINT" }, "likely_key"],
  ...[{ name: "probability", type: "DOUBLE" }, "reason"],
];

export const keepLikely = (store: Store, run: number, pairs: readonly LikelyPair[]): Promise<void> =>
  store.append(
    "event",
    pairs.map(({ row, other, probability, reason }) => [
      ...[run, "likely", null, null, JSON.stringify([row, other])],
      ...[probability, reason],
    ]),
  );

/** The pairs that were found last, each with its run: a row of a group and the group's first. */
const lastPairs = `SELECT run, (rows::INTEGER[])[1] AS a, (rows::INTEGER[])[2] AS b, probability, reason FROM event
  WHERE kind = 'likely' AND run >= (SELECT max(run) FROM learned)
  QUALIFY row_number() OVER (PARTITION BY rows ORDER BY run DESC) = 1`;

interface Line {
  readonly rows: readonly Readonly<Record<"entity" | "source" | "key", string | null> & { place: number }>[];
  readonly probability: number;
  readonly reason: string;
}

/**
 * A line for each likely pair whose rows are still of two entities: the two rows, the probability and the reason. A run that
 * learns finds all pairs anew, and one that changes a row those of this row.
 */
export async function likelyLines(store: Store): Promise<Cell[][]> {
  const found = await store.query<Line>(
    `WITH pair AS (${lastPairs}), placed AS (
       SELECT r."row", r.run, 'E' || entity AS entity, source, place, key FROM "row" r
       JOIN assignment ON r."row" = assignment."row" WHERE r.until IS NULL AND assignment.until IS NULL)
     SELECT [x, y] AS rows, probability, reason
     FROM pair JOIN placed x ON x."row" = a JOIN placed y ON y."row" = b
     WHERE x.entity <> y.entity AND greatest(x.run, y.run) <= pair.run ORDER BY b, a`,
  );
  return found.map(({ rows, probability, reason }) => [
    ...rows.flatMap(({ entity, source, place, key }): Cell[] => [entity, source, numberCell(place), key]),
    ...[numberCell(probability, 4), reason],
  ]);
}

/**
 * Of groups whose first row is another since this run: each other row with the one that is first now. Only pairs with the
 * first row are kept, so the rest of its group must be compared again.
 */
export async function pairsWithoutFirst(store: Store, run: number): Promise<[row: number, first: number][]> {
  const found = await store.query<Record<"a" | "first", number>>(
    `SELECT a, min(a) OVER (PARTITION BY b) AS first FROM (${lastPairs}) pair
     JOIN "row" x ON x."row" = a JOIN "row" y ON y."row" = b
     WHERE x.until IS NULL AND y.until = ${run} AND greatest(x.run, y.run) <= pair.run QUALIFY a <> first ORDER BY a, first`,
  );
  return found.map(({ a, first }) => [a, first]);
}
