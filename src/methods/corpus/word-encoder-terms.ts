/** Losses of a word encoder in addition to PEARL's: spans against their contexts, and the divergence of its gates. */
import type { Columns, ContextLoss, VectorLayout } from "../../architectures/architecture.js";
import { type Net, number, reduce } from "../../nn/net.js";
import { l2Normalise } from "../../nn/pooling.js";
import { tensor, typeCode } from "../../onnx/tensor.js";
import type { LossTerm } from "../../pearl/loss/program.js";
import { columnsOf } from "../../pearl/loss/rows.js";
import type { Gates, MethodSettings } from "../settings/method-settings.js";
import { pairsOfPart, partSample } from "./part-losses.js";

export const wordEncoderLossNames = {
  context: "context_loss_of_spans",
  gates: "divergence_of_shares",
} as const;

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
    ...{ name: wordEncoderLossNames.gates, weight },
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
  const asFloat = g.add("Cast", [others], { to: typeCode("float32") });
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
  ...{ name: wordEncoderLossNames.context, weight, weights: context.weights, trained: context.trained },
  sample: { rows: [6, 7, 0, 1, 2], feeds: context.sample },
  // Gates scale the parts; at length 1 they are as in pretraining.
  add: (net, { third }) => context.add(net, l2Normalise(net, columnsOf(net, third as string, [phrase]))),
});
