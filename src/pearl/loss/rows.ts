/** The rows of a batch in the training graph: anchors, positives, and what follows them. */
import type { Columns } from "../../architectures/architecture.js";
import { phraseVector } from "../../architectures/compose.js";
import type { Net } from "../../nn/net.js";

/** Names of the graph's values. */
export interface BatchRows {
  /** [pairs, dimension], as are the positives. */
  readonly anchors: string;
  readonly positives: string;
  /** Rows behind the pairs, [rows, dimension]: hard negatives or a further term's own; absent where there are none. */
  readonly third: string | undefined;
  /** int64 [2]: numbers of anchors and positives; three with a third part. */
  readonly sizes: string;
  /** int32 [rows]: rows with the same number are not negatives of each other. */
  readonly groups: string;
}

/** Declares the inputs `sizes` and `groups`, and splits the encoder's output. */
export function splitRows({ g }: Net, hasThird: boolean): BatchRows {
  const sizes = g.input("sizes", "int64", ["parts"]);
  const groups = g.input("groups", "int32", ["rows"]);
  const split = g.addMany("Split", [phraseVector, sizes], hasThird ? 3 : 2, { axis: 0 });
  const [anchors, positives, third] = split;
  return { anchors, positives, third, sizes, groups };
}

/** Some columns of [rows, dimension] side by side. */
export function columnsOf(net: Net, values: string, columns: readonly (Columns | "all")[]): string {
  const { g } = net;
  const cut = columns.map((range) =>
    range === "all" ? values : g.add("Slice", [values, g.ints(range[0]), g.ints(range[1]), g.ints(1)]),
  );
  return cut.length === 1 ? cut[0] : g.add("Concat", cut, { axis: 1 });
}
