/** Likely pairs that were not linked: the store keeps them as events of their run, and lists them as long as they stand. */
import { type Cell, numberCell, type OutputColumn } from "../table/cell.js";
import type { LikelyPair } from "./grouping.js";
import type { Store } from "./store.js";

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
