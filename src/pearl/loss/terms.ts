/** The terms of PEARL's loss (section 3), and the rows of a batch that they read: anchors, positives, and what follows them. */
import type { Columns, VectorLayout } from "../../architectures/architecture.js";
import { phraseVector } from "../../architectures/compose.js";
import { typeLogits } from "../../architectures/type-head.js";
import { crossEntropy, ntXent } from "../../nn/losses.js";
import { type Net, number } from "../../nn/net.js";

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

export interface ContrastOptions {
  readonly columns: readonly (Columns | "all")[];
  readonly temperature: number;
  readonly negatives: "used" | "none";
}

/** The contrastive loss (PEARL, section 3): NT-Xent over anchors, positives and hard negatives, of all columns or some. */
export function contrastiveLoss(net: Net, rows: BatchRows, options: ContrastOptions): string {
  const { columns, temperature, negatives } = options;
  const pick = (values: string) => columnsOf(net, values, columns);
  const pairs = { anchors: pick(rows.anchors), positives: pick(rows.positives) };
  const hardNegatives = negatives === "used" && rows.third ? pick(rows.third) : undefined;
  return ntXent(net, { ...pairs, hardNegatives, groups: rows.groups }, { temperature });
}

/**
 * The loss of phrase types (PEARL, section 3), the cross-entropy of the anchor's type plus that of the positive's: twice the
 * mean over all, as their numbers are equal.
 */
export function typeLoss(
  net: Net,
  { types, width, layout }: { types: number; width: number; layout?: VectorLayout },
): string {
  const { g } = net;
  const rows = g.input("typed_rows", "int64", ["typed"]);
  const labels = g.input("type_labels", "int64", ["typed"]);
  const weight = g.input("type_weight", "float32", []);
  const typed = g.add("Gather", [phraseVector, rows]);
  const entropy = layout?.logits
    ? factoredEntropy(net, { typed, labels, logits: layout.logits })
    : crossEntropy(net, { logits: typeLogits(net, typed, { width, types }), labels });
  return g.add("Mul", [g.add("Mul", [entropy, number(net, 2)]), weight]);
}

/** A label is class × entity types + entity type; its log-probability is the sum of both. */
function factoredEntropy(
  net: Net,
  { typed, labels, logits }: { typed: string; labels: string } & Required<Pick<VectorLayout, "logits">>,
): string {
  const { g } = net;
  const among = g.scalar("int64", logits.types[1] - logits.types[0]);
  const of = (range: Columns, own: string) =>
    crossEntropy(net, { logits: columnsOf(net, typed, [range]), labels: own });
  return g.add("Add", [
    of(logits.types, g.add("Mod", [labels, among])),
    of(logits.classes, g.add("Div", [labels, among])),
  ]);
}
