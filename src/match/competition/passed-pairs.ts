/** Pairs on their way to threads. */
import { type LeftRows, type RowPairs, SortedRows } from "../weights/left-rows.js";
import type { PairClasses } from "../weights/pair-classes.js";

/** The pairs as a message can pass them on, if their arrays are in shared memory. */
export interface PassedPairs {
  /** [rows + 1] where the pairs of each left row begin; where these are not sorted, what no message passes on. */
  readonly left: Uint32Array | LeftRows;
  readonly right: Int32Array;
  readonly classOf: Int32Array;
}

/** Pairs that follow each other: no two spans have pairs of one left row. */
export interface Span {
  readonly span: number;
  readonly from: number;
  readonly to: number;
}

export function passed({ left, right, classOf }: RowPairs & PairClasses): PassedPairs {
  const starts = left instanceof SortedRows ? left.starts : undefined;
  return { left: starts ?? left, right, classOf };
}

/** The pairs where a message has passed them on. */
export const received = ({ left, right, classOf }: PassedPairs) => {
  return { left: left instanceof Uint32Array ? SortedRows.from(left) : left, right, classOf, levels: [] };
};

/** Whether a message takes no copy of them. */
export const canBeShared = ({ left, right, classOf }: PassedPairs): boolean =>
  left instanceof Uint32Array &&
  [left, right, classOf].every(({ buffer }) => !(buffer instanceof ArrayBuffer));
