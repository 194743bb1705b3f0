/** What is found where a table has no rows: nothing, for certain. */
import { ArgumentError } from "../errors.js";
import { endWithNothing, type Sharing } from "../files/shards/shard.js";
import type { KnownPair } from "./compare-tables.js";
import type { PrecisionReport } from "./estimates/promise.js";
import { type LabelEffect, labelEffect, partnersInGroup } from "./review/label-effect.js";

interface NothingFound<Self> extends PrecisionReport {
  /** @throws ArgumentError */
  explain(left: number, right: number): never;
  doubtful(): [];
  /** @throws ArgumentError for any pair */
  withKnown(known: readonly KnownPair[]): Promise<Self>;
  labelEffect(): Promise<LabelEffect>;
  atPrecision(target: number): Self;
}

type Result<Own> = Own & NothingFound<Result<Own>>;

/** The promise about a result that holds nothing. */
export const nothingToCompare = (target = 0.9): PrecisionReport => ({
  ...{ estimate: 1, low: 1, high: 1 },
  promise: { target, established: true, reason: "there are no rows to compare" },
});

/** @throws ArgumentError for a known pair */
export function withoutRows<Own>(
  own: Own,
  options: {
    readonly precision?: number;
    readonly known?: readonly KnownPair[];
    readonly sharing?: Sharing;
  },
): Result<Own> {
  const { precision, known = [], sharing } = options;
  const explain = (left: number, right: number): never => {
    throw new ArgumentError(`there is no pair of rows ${left} and ${right}`);
  };
  for (const { left, right } of known) explain(left, right);
  endWithNothing(sharing);
  return {
    ...{ ...own, ...nothingToCompare(precision), explain },
    doubtful: () => [],
    withKnown: async (all) => withoutRows(own, { precision, known: all }),
    labelEffect: async () => labelEffect(partnersInGroup(new Int32Array(0), new Int32Array(0)), new Set()),
    atPrecision: (target) => withoutRows(own, { precision: target }),
  };
}
