/** What `join`, `dedupe`, `cluster` and `link` report alike: the columns they compared, and how precise the result is. */
import { alignColumns } from "../../files/text-table.js";
import type { ColumnReport } from "../../match/column-report.js";
import type { DroppedColumn } from "../../match/columns/fields.js";
import type { PrecisionReport } from "../../match/estimates/promise.js";
import type { PrecisionPromise } from "../../match/estimates/spacing-precision.js";
import { formatCount, formatPercent } from "../format.js";

const shownDropped = 8;

/** A line for each compared column: kind, filled, distinct, and the log-odds of agreement and of disagreement. */
export function columnLines(columns: readonly ColumnReport[], dropped: readonly DroppedColumn[]): string[] {
  const signed = (weight: number): string => `${weight < 0 ? "" : "+"}${weight.toFixed(1)}`;
  const rows = columns.map(({ name, other, kind, filled, distinct, weights }) => [
    name === other ? name : `${name} = ${other}`,
    kind ?? "across columns",
    filled === undefined ? "" : formatPercent(filled, 0),
    distinct === undefined ? "" : formatCount(distinct),
    signed(weights[weights.length - 1]),
    signed(weights[0]),
  ]);
  const heading = ["column", "kind", "filled", "distinct", "agrees", "differs"];
  const lines = alignColumns([heading, ...rows], (column) => column > 1).split("\n");
  const reasons = dropped.slice(0, shownDropped).map(({ name, reason }) => `${name} (${reason})`);
  const more = dropped.length > shownDropped ? ` and ${dropped.length - shownDropped} more` : "";
  return dropped.length === 0 ? lines : [...lines, `not compared: ${reasons.join(", ")}${more}`];
}

/** One line: the estimate with its range, and whether it establishes the promise. */
export function precisionLine({ estimate, low, high, promise }: PrecisionReport): string {
  const range = high > low ? ` (${low.toFixed(2)} to ${high.toFixed(2)})` : "";
  const estimated = `estimated precision ${estimate.toFixed(3)}${range}`;
  return promise.established
    ? `${estimated}: a precision of ${promise.target} is established, ${promise.reason}`
    : `a precision of ${promise.target} is not established: ${promise.reason}; ${estimated}`;
}

/** A line that says that the promise cannot be kept, and what can be promised; none if it is kept. */
export function promiseLines(promise: PrecisionPromise | undefined, noun: "match" | "group"): string[] {
  if (promise === undefined || promise.isKept) return [];
  // Rounded down, so that the value can be asked for.
  const best = Math.floor(promise.best * 1000) / 1000;
  const what = `no ${noun} reaches a precision of ${promise.asked}`;
  // A join drops pairs that are likelier wrong than right at any precision.
  if (noun === "match" && best <= 0.5) return [`${what}: no pair is likelier than ${best.toFixed(2)}`];
  return [`${what}: the best that can be promised is ${best}, with --precision ${best}`];
}
