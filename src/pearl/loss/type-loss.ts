/** The loss of phrase types (PEARL, section 3): cross-entropy of the anchor's type, plus that of the positive's. */
import type { Columns, VectorLayout } from "../../architectures/architecture.js";
import { phraseVector } from "../../architectures/compose.js";
import { typeLogits } from "../../architectures/type-head.js";
import { crossEntropy } from "../../nn/losses/cross-entropy.js";
import { type Net, number } from "../../nn/net.js";
import { columnsOf } from "./rows.js";

interface TypeLossOptions {
  readonly types: number;
  readonly width: number;
  readonly layout?: VectorLayout;
}

/** CE over anchors plus CE over positives: twice the mean over all, as their numbers are equal. */
export function typeLoss(net: Net, { types, width, layout }: TypeLossOptions): string {
  const { g } = net;
  const rows = g.input("typed_rows", "int64", ["typed"]);
  const labels = g.input("type_labels", "int64", ["typed"]);
  const weight = g.input("type_weight", "float32", []);
  const typed = g.add("Gather", [phraseVector, rows]);
  const entropy = layout?.logits
    ? factoredEntropy(net, { typed, labels, logits: layout.logits })
    : crossEntropy(net, { logits: typeLogits(net, typed, { width, types }), labels }, { classes: types });
  return g.add("Mul", [g.add("Mul", [entropy, number(net, 2)]), weight]);
}

/** A label is class × entity types + entity type; its log-probability is the sum of both. */
function factoredEntropy(
  net: Net,
  { typed, labels, logits }: { typed: string; labels: string } & Required<Pick<VectorLayout, "logits">>,
): string {
  const { g } = net;
  const [types, classes] = [logits.types, logits.classes].map(([from, to]) => to - from);
  const among = g.scalar("int64", types);
  const of = (range: Columns, own: string, count: number) =>
    crossEntropy(net, { logits: columnsOf(net, typed, [range]), labels: own }, { classes: count });
  return g.add("Add", [
    of(logits.types, g.add("Mod", [labels, among]), types),
    of(logits.classes, g.add("Div", [labels, among]), classes),
  ]);
}
