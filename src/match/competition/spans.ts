/** Spans of pairs, whose work threads share: the bits of sums depend on spans, which must not depend on threads. */
import { openParts, type PartOptions } from "../parts/in-parts.js";
import type { Part, Result, Settings } from "../parts/works.js";
import { type LeftRows, SortedRows } from "../weights/left-rows.js";
import type { PairTable } from "../weights/pair-table.js";

/** Pairs from which there is one more span. */
const pairsPerSpan = 8_000_000;
const mostSpans = 4;

export interface SpanOptions extends Pick<PartOptions, "threads" | "signal"> {
  /** Default: by the number of pairs. */
  readonly spans?: number;
}

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

type SpanKind = "compete" | "believe";

export interface OpenSpans<Kind extends SpanKind> {
  /** Does a step of each span. @returns what is found, in the order of spans */
  each(step: Omit<Part<Kind>, keyof Span>): Promise<Result<Kind>[]>;
  /** Ends the threads. */
  close(): Promise<void>;
}

/** @param settingsOf takes the number of spans but the first, whose sums of right rows are apart from those of the others */
export function openSpans<Kind extends SpanKind>(
  kind: Kind,
  table: PairTable,
  settingsOf: (pairs: PassedPairs, later: number) => Settings<Kind>,
  { threads, signal, spans }: SpanOptions,
): OpenSpans<Kind> {
  const bounds = spanBounds(table, spans);
  const total = bounds.length - 1;
  const pairs = passed(table);
  const own = canBeShared(pairs) ? threads : 1;
  const parts = openParts(kind, settingsOf(pairs, total - 1), { threads: own, itemsPerThread: 1 });
  return {
    async each(step) {
      const found: Result<Kind>[] = [];
      const partAt = (span: number): Part<Kind> =>
        ({ ...step, span, from: bounds[span], to: bounds[span + 1] }) as Part<Kind>;
      const take = (ofSpan: Result<Kind>, span: number): void => {
        found[span] = ofSpan;
      };
      await parts.run({ total, partAt, take }, { signal });
      return found;
    },
    close: () => parts.close(),
  };
}

/** The first pair of each span, and the end of the last. */
function spanBounds({ left }: PairTable, wanted = Math.ceil(left.length / pairsPerSpan)): number[] {
  const isSorted = left instanceof SortedRows && left.starts !== undefined;
  const spans = isSorted ? Math.max(1, Math.min(mostSpans, wanted)) : 1;
  return Array.from({ length: spans + 1 }, (_, span) => {
    let pair = Math.floor((span * left.length) / spans);
    while (pair > 0 && pair < left.length && left.at(pair) === left.at(pair - 1)) pair++;
    return pair;
  });
}

function passed({ left, right, classOf }: PairTable): PassedPairs {
  const starts = left instanceof SortedRows ? left.starts : undefined;
  return { left: starts ?? left, right, classOf };
}

/** The pairs where a message has passed them on. */
export const received = ({ left, right, classOf }: PassedPairs) => {
  return { left: left instanceof Uint32Array ? SortedRows.from(left) : left, right, classOf, levels: [] };
};

/** Whether a message takes no copy of them. */
const canBeShared = ({ left, right, classOf }: PassedPairs): boolean =>
  left instanceof Uint32Array &&
  [left, right, classOf].every(({ buffer }) => !(buffer instanceof ArrayBuffer));

/** Adds numbers to sums, place by place. */
export function addAll(sums: Float64Array, numbers: Float64Array): void {
  for (let at = 0; at < sums.length; at++) sums[at] += numbers[at];
}
