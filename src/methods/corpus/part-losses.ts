/** Contrastive losses beyond PEARL's: on each part of the vector, and on its prefix, a shorter embedding. */
import type { Columns, VectorLayout } from "../../architectures/architecture.js";
import { contrastBothWays } from "../../nn/losses/both-ways.js";
import type { Net } from "../../nn/net.js";
import { l2Normalise } from "../../nn/pooling.js";
import { contrastiveLoss } from "../../pearl/loss/contrastive-loss.js";
import type { LossTerm } from "../../pearl/loss/program.js";
import { type BatchRows, columnsOf } from "../../pearl/loss/rows.js";
import { type Feeds, int64 } from "../../runtime/tensor.js";
import type { MethodSettings } from "../settings/method-settings.js";

export const partLossNames = {
  prefix: "nt_xent_prefix",
  phrase: "nt_xent_phrase",
  characters: "nt_xent_characters",
} as const;

/** A part of the vector that may have its own pairs. */
export type Part = "phrase" | "characters";

type PartSettings = Pick<
  MethodSettings,
  "partLosses" | "prefixLoss" | "furtherContrast" | "temperature" | "synonymSides"
>;

/** With `synonymSides`, a part's loss sees only its own pairs. */
export function partTerms(settings: PartSettings, layout: VectorLayout = {}): LossTerm[] {
  const { partLosses, prefixLoss = 0, synonymSides } = settings;
  const terms: LossTerm[] = [];
  const { parts, prefix } = layout;
  if (prefix && prefixLoss > 0)
    terms.push({
      ...{ name: partLossNames.prefix, weight: prefixLoss },
      add: (net, rows) => contrast(net, rows, prefix, settings),
    });
  for (const part of ["phrase", "characters"] as const) {
    const weight = partLosses[part];
    if (weight <= 0 || !parts) continue;
    const ownRows = (net: Net, rows: BatchRows) => (synonymSides ? ofPart(net, rows, part) : rows);
    terms.push({
      ...{ name: partLossNames[part], weight },
      add: (net, rows) => contrast(net, ownRows(net, rows), [parts[part]], settings),
      ...(synonymSides && { sample: { feeds: partSample(part) } }),
    });
  }
  return terms;
}

/** NT-Xent, or anchors with positives alone. */
function contrast(
  net: Net,
  rows: BatchRows,
  columns: readonly Columns[],
  { temperature, furtherContrast }: PartSettings,
): string {
  if (furtherContrast !== "between")
    return contrastiveLoss(net, rows, { columns, temperature, negatives: "none" });
  const pairs = [rows.anchors, rows.positives].map((values) => columnsOf(net, values, columns));
  const [anchors, positives] = pairs.map((values) => l2Normalise(net, values));
  const groups = firstRows(net, rows.groups, pairs[0]);
  return contrastBothWays(net, { anchors, positives, groups }, 1 / temperature);
}

/** The input that names the pairs of a part. */
export const partRows = (part: Part): string => `${part}_rows`;

/** Its value in the sample batch. */
export const partSample = (part: Part): Feeds => ({
  [partRows(part)]: int64(part === "phrase" ? [0, 1] : [1, 2]),
});

/** Numbers of the pairs of one part: `picked` of the anchors, `second` of their positives among all rows. */
export function pairsOfPart({ g }: Net, { sizes }: BatchRows, part: Part) {
  const name = partRows(part);
  const isDeclared = g.model().graph.inputs.some((input) => input.name === name);
  const picked = isDeclared ? name : g.input(name, "int64", [`${part}_own`]);
  return { picked, second: g.add("Add", [picked, g.add("Gather", [sizes, g.ints(0)])]) };
}

function ofPart(net: Net, rows: BatchRows, part: Part): BatchRows {
  const { g } = net;
  const { picked, second } = pairsOfPart(net, rows, part);
  return {
    ...rows,
    anchors: g.add("Gather", [rows.anchors, picked]),
    positives: g.add("Gather", [rows.positives, picked]),
    groups: g.add("Gather", [rows.groups, g.add("Concat", [picked, second], { axis: 0 })]),
  };
}

/** The first rows of `values`, as many as `like` has. */
const firstRows = ({ g }: Net, values: string, like: string): string =>
  g.add("Slice", [values, g.ints(0), g.add("Shape", [like], { start: 0, end: 1 })]);
