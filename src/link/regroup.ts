/** Learns from all rows of a store, and groups them anew. */
import type { PhraseEncoder } from "../encoder/phrase-encoder.js";
import { groupRows } from "../group/group-rows.js";
import type { KnownPair } from "../match/compare-tables.js";
import { columnsOf } from "./contents.js";
import { certainGroups, type Grouping, reasonOf } from "./grouping.js";
import { writeDoubtful } from "./judged.js";
import type { StoreModel, StoreSettings } from "./model.js";
import type { LinkedRow } from "./reconcile.js";

export interface RegroupOptions {
  readonly precision: number;
  readonly encoder: PhraseEncoder | "none";
  /** Whether likely groups are accepted where the promise is refused. */
  readonly likely: "report" | "accept";
  /** Judged pairs, by rows of the store. */
  readonly judged: readonly KnownPair[];
  readonly signal?: AbortSignal;
}

/** @param cells compared cells of each row */
export async function regroup(
  rows: readonly LinkedRow[],
  cells: readonly (readonly string[])[],
  { columns: on, kindOf }: StoreSettings,
  { precision, encoder, likely, judged, signal }: RegroupOptions,
) {
  const table = columnsOf(on, cells);
  const place = new Map(rows.map(({ row }, at) => [row, at]));
  const known = judged.map(({ left, right, match }): KnownPair => {
    return { left: place.get(left)!, right: place.get(right)!, match };
  });
  const found = await groupRows(table, { on, kindOf, precision, encoder, known, signal });
  const { estimate, low, high, promise, columns, dropped, learned } = found;
  const isAccepted = promise.established || likely === "accept";
  const model: StoreModel = {
    ...{ learned, likely, columns, dropped, rows: rows.length },
    least: isAccepted ? found.least : null,
    precision: { estimate, low, high, promise },
  };
  const reasonFor: Grouping["reasonFor"] = (a, b) => reasonOf(learned, found.explain(a, b));
  const judgedSame = known.filter(({ match }) => match).map(({ left, right }) => [left, right] as const);
  const groups = isAccepted
    ? { groups: found.groupOf }
    : { groups: certainGroups(cells, judgedSame), likely: found.groupOf };
  const grouping: Grouping = { rows, ...groups, reasonFor };
  return { grouping, model, writeReview: (path: string) => writeDoubtful(path, table, found) };
}
