/** Losses beyond PEARL's: on parts and prefix of the vector, on spans against their contexts, and the divergence of gates. */
import type { Columns, ContextLoss, Gates, VectorLayout } from "../../architectures/architecture.js";
import { contrastBothWays } from "../../nn/losses.js";
import { type Net, number, reduce } from "../../nn/net.js";
import { l2Normalise } from "../../nn/pooling.js";
import { tensor } from "../../onnx/tensor.js";
import { type BatchRows, columnsOf, contrastiveLoss, type LossTerm } from "../../pearl/loss/program.js";
import { type Feeds, int64 } from "../../runtime/tensor.js";
import type { MethodSettings } from "../settings/method-settings.js";

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
      ...{ name: "nt_xent_prefix", weight: prefixLoss },
      add: (net, rows) => contrast(net, rows, prefix, settings),
    });
  for (const part of ["phrase", "characters"] as const) {
    const weight = partLosses[part];
    if (weight <= 0 || !parts) continue;
    const ownRows = (net: Net, rows: BatchRows) => (synonymSides ? ofPart(net, rows, part) : rows);
    terms.push({
      ...{ name: `nt_xent_${part}`, weight },
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
  const count = net.g.add("Shape", [pairs[0]], { start: 0, end: 1 });
  const groups = net.g.add("Slice", [rows.groups, net.g.ints(0), count]);
  return contrastBothWays(net, { anchors, positives, groups }, 1 / temperature);
}

/** The input that names the pairs of a part. */
export const partRows = (part: Part): string => `${part}_rows`;

/** Its value in the sample batch. */
const partSample = (part: Part): Feeds => ({
  [partRows(part)]: int64(part === "phrase" ? [0, 1] : [1, 2]),
});

/** Numbers of the pairs of one part: `picked` of the anchors, `second` of their positives among all rows. */
function pairsOfPart({ g }: Net, { sizes }: BatchRows, part: Part) {
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

/** Losses of a word encoder in addition to PEARL's: spans against their contexts, and the divergence of its gates. */
export function wordEncoderTerms(
  { meanShares, contexts }: Pick<MethodSettings, "meanShares" | "contexts">,
  layout: VectorLayout | undefined,
  context: ContextLoss | undefined,
): LossTerm[] {
  const terms: LossTerm[] = [];
  if (meanShares && meanShares.weight > 0 && layout?.gates)
    terms.push(gateTerm(layout.gates, meanShares, meanShares.weight));
  if (contexts && contexts.weight > 0 && layout?.parts && context)
    terms.push(contextTerm(layout.parts.phrase, context, contexts.weight));
  return terms;
}

const inOrder = ({ characters, meaning, types }: Gates): number[] => [characters, meaning, types];

/**
 * Divergence of the batch's mean gates from their targets.
 * @param wanted the targets; `meanings`, if given, replaces them for pairs of the phrase part alone
 */
function gateTerm(
  parts: readonly Columns[],
  wanted: Gates & { readonly meanings?: Gates },
  weight: number,
): LossTerm {
  return {
    ...{ name: "divergence_of_shares", weight },
    ...(wanted.meanings && { sample: { feeds: partSample("characters") } }),
    add(net, rows) {
      const { g } = net;
      const paired = g.add("Concat", [rows.anchors, rows.positives], { axis: 0 });
      const squares = parts.map((part) => {
        const values = columnsOf(net, paired, [part]);
        return reduce(net, "ReduceSum", g.add("Mul", [values, values]), { keepdims: 1 });
      });
      const gates = g.add("Concat", squares, { axis: 1 });
      if (!wanted.meanings) return divergence(net, meanOfRows(net, gates), inOrder(wanted));
      const { picked, second } = pairsOfPart(net, rows, "characters");
      const spelled = g.add("Gather", [gates, g.add("Concat", [picked, second], { axis: 0 })]);
      const ofSpelled = divergence(net, meanOfRows(net, spelled), inOrder(wanted));
      const ofOthers = divergence(net, meanOfOtherRows(net, gates, spelled), inOrder(wanted.meanings));
      return g.add("Mul", [g.add("Add", [ofSpelled, ofOthers]), number(net, 0.5)]);
    },
  };
}

const meanOfRows = (net: Net, rows: string): string => reduce(net, "ReduceMean", rows, { axes: [0] });

/** Mean over the rows of `all` that are not in `some`; nearly 0 without such rows. */
function meanOfOtherRows(net: Net, all: string, some: string): string {
  const { g } = net;
  const sum = (rows: string) => reduce(net, "ReduceSum", rows, { axes: [0] });
  const count = (rows: string) => g.add("Shape", [rows], { start: 0, end: 1 });
  const others = g.add("Max", [g.add("Sub", [count(all), count(some)]), g.ints(1)]);
  const asFloat = g.cast(others, "float32");
  return g.add("Div", [g.add("Max", [g.add("Sub", [sum(all), sum(some)]), number(net, 1e-6)]), asFloat]);
}

/**
 * The Kullback–Leibler divergence Σ wanted · log(wanted / mean gate): zero if the mean gates are the wanted ones,
 * however they vary between phrases. Contrast alone lets the strongest part win and the others vanish.
 * @param gates float32 [parts]
 */
function divergence(net: Net, gates: string, wanted: readonly number[]): string {
  const { g } = net;
  const factors = g.add("Constant", [], {
    value: { type: "tensor", value: tensor("float32", [wanted.length], Float32Array.from(wanted)) },
  });
  const surprise = reduce(net, "ReduceSum", g.add("Mul", [g.add("Log", [gates]), factors]));
  const entropy = wanted.reduce((sum, gate) => sum + gate * Math.log(gate), 0);
  return g.add("Sub", [number(net, entropy), surprise]);
}

const contextTerm = (phrase: Columns, context: ContextLoss, weight: number): LossTerm => ({
  ...{ name: "context_loss_of_spans", weight, weights: context.weights, trained: context.trained },
  sample: { rows: [6, 7, 0, 1, 2], feeds: context.sample },
  // Gates scale the parts; at length 1 they are as in pretraining.
  add: (net, { third }) => context.add(net, l2Normalise(net, columnsOf(net, third as string, [phrase]))),
});
