/** Learns from all rows of a store, and groups them anew. */
import type { PhraseEncoder } from "../encoder/phrase-encoder.js";
import { groupsFrom } from "../group/average-linkage.js";
import { groupRows } from "../group/group-rows.js";
import type { KnownPair } from "../match/compare-tables.js";
import { columnsOf } from "./contents.js";
import { chains, equalGroups, type Grouping, reasonOf } from "./grouping.js";
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
  const groups = isAccepted
    ? { groups: found.groupOf }
    : { groups: certainGroups(equalGroups(cells), known), likely: found.groupOf };
  const grouping: Grouping = { rows, ...groups, reasonFor };
  return { grouping, model, writeReview: (path: string) => writeDoubtful(path, table, found) };
}

/** Groups of equal rows, joined where rows were judged to be the same. */
function certainGroups(equal: Int32Array, known: readonly KnownPair[]): Int32Array {
  const merges = chains(equal.keys(), (place) => equal[place]);
  for (const { left, right, match } of known) if (match) merges.push([left, right]);
  return groupsFrom(
    equal.length,
    merges.map(([a, b]) => ({ a, b, mean: 0 })),
    0,
  );
}
