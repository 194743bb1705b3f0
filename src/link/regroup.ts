/** Learns from all rows of a store, and groups them anew. */
import type { PhraseEncoder } from "../encoder/phrase-encoder.js";
import { groupRows } from "../group/group-rows.js";
import { columnsOf } from "./contents.js";
import { equalGroups, type Grouping, reasonOf } from "./grouping.js";
import type { StoreModel, StoreSettings } from "./model.js";
import type { LinkedRow } from "./reconcile.js";

export interface RegroupOptions {
  readonly precision: number;
  readonly encoder: PhraseEncoder | "none";
  /** Whether likely groups are accepted where the promise is refused. */
  readonly likely: "report" | "accept";
  readonly signal?: AbortSignal;
}

/** @param cells compared cells of each row */
export async function regroup(
  rows: readonly LinkedRow[],
  cells: readonly (readonly string[])[],
  { columns: on, kindOf }: StoreSettings,
  { precision, encoder, likely, signal }: RegroupOptions,
): Promise<{ grouping: Grouping; model: StoreModel }> {
  const found = await groupRows(columnsOf(on, cells), { on, kindOf, precision, encoder, signal });
  const { estimate, low, high, promise, columns, dropped, learned } = found;
  const isAccepted = promise.established || likely === "accept";
  const model: StoreModel = {
    ...{ learned, likely, columns, dropped, rows: rows.length },
    least: isAccepted ? found.least : null,
    precision: { estimate, low, high, promise },
  };
  const reasonFor: Grouping["reasonFor"] = (a, b) => reasonOf(learned, found.explain(a, b));
  const groups = isAccepted
    ? { groups: found.groupOf }
    : { groups: equalGroups(cells), likely: found.groupOf };
  return { grouping: { rows, ...groups, reasonFor }, model };
}
