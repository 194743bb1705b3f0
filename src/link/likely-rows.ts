/** The table of rows that likely belong to another entity, where the promise was refused. */
import { numberCell, type OutputColumn } from "../table/cell.js";
import type { LikelyPair } from "./grouping.js";
import { entityName } from "./model.js";
import type { Store } from "./store.js";

export const likelyColumns: OutputColumn[] = [
  "entity",
  "source",
  { name: "row", type: "BIGINT" },
  "likely_entity",
  "likely_source",
  { name: "likely_row", type: "BIGINT" },
  { name: "probability", type: "DOUBLE" },
  "reason",
];

/** A line for each pair: the two rows by their tables, the probability and the reason. */
export async function likelyLines(store: Store, pairs: readonly LikelyPair[]) {
  if (pairs.length === 0) return [];
  const wanted = [...new Set(pairs.flatMap(({ row, other }) => [row, other]))];
  const found = await store.query(
    `SELECT "row", source, place, entity FROM "row" JOIN assignment USING ("row")
     WHERE "row".until IS NULL AND assignment.until IS NULL AND "row" IN (${wanted.join(",")})`,
  );
  const lines = new Map(
    found.map(([row, source, place, entity]) => [
      Number(row),
      [entityName(Number(entity)), String(source), numberCell(Number(place))],
    ]),
  );
  return pairs.map(({ row, other, probability, reason }) => [
    ...lines.get(row)!,
    ...lines.get(other)!,
    ...[numberCell(probability, 4), reason],
  ]);
}
