/** Spans of pairs, whose work threads share: the bits of sums depend on spans, which must not depend on threads. */
import { openParts, type PartOptions } from "../parts/in-parts.js";
import type { Part, Result, Settings } from "../parts/works.js";
import { SortedRows } from "../weights/left-rows.js";
import type { PairTable } from "../weights/pair-table.js";
import { canBeShared, type PassedPairs, passed, type Span } from "./passed-pairs.js";

/** Pairs from which threads are worth the sums of right rows that each span has for itself. */
const manyPairs = 8_000_000;
/** Two threads share them evenly, and four. */
const spansOfMany = 4;

export interface SpanOptions extends Pick<PartOptions, "threads" | "signal"> {
  /** Default: by the number of pairs. */
  readonly spans?: number;
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
function spanBounds({ left }: PairTable, wanted = left.length < manyPairs ? 1 : spansOfMany): number[] {
  const isSorted = left instanceof SortedRows && left.starts !== undefined;
  const spans = isSorted ? wanted : 1;
  return Array.from({ length: spans + 1 }, (_, span) => {
    let pair = Math.floor((span * left.length) / spans);
    while (pair > 0 && pair < left.length && left.at(pair) === left.at(pair - 1)) pair++;
    return pair;
  });
}

/** Adds numbers to sums, place by place. */
export function addAll(sums: Float64Array, numbers: Float64Array): void {
  for (let at = 0; at < sums.length; at++) sums[at] += numbers[at];
}
