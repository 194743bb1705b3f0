/** Replaces the many small operators that exporters write for LayerNorm and GELU by one operator each. */
import { ModelError } from "../../errors.js";
import type { GraphBuilder } from "../builder.js";
import { constantsToInitializers, rewriteNodes, untieInitializers } from "../graph.js";
import { intAttribute, intsAttribute, type Model, type Node } from "../model.js";
import { numbersOf, transposed } from "../tensor.js";
import {
  any,
  either,
  find,
  initializer,
  made,
  type Pattern,
  scalar,
  scalarOf,
  type View,
  viewOf,
} from "./pattern.js";
import { upgradeOpset } from "./upgrade.js";

/**
 * The model with constants as initializers, stored weights transposed once instead of in every run, and
 * LayerNorm and GELU as single operators. Results stay equal to rounding. A graph that is too old to be upgraded is
 * not changed. Attention stays as exported: fused operators gain nothing for short phrases on CPU
 * (benchmarks/encode-speed.mjs).
 */
export function prepareForInference(model: Model): Model {
  let upgraded: Model;
  try {
    upgraded = upgradeOpset(model);
  } catch (error) {
    if (error instanceof ModelError) return model;
    throw error;
  }
  return fuseOperators(foldTransposes(untieInitializers(constantsToInitializers(upgraded))));
}

/** Exports without constant folding keep PyTorch's [out, in] and transpose each weight in every run. */
function foldTransposes(model: Model): Model {
  return rewriteNodes(model, (node, { graph }) => {
    const weight = node.op === "Transpose" ? graph.initializers.get(node.inputs[0]) : undefined;
    const perm = intsAttribute(node, "perm")?.join() ?? "1,0";
    const isOutput = graph.outputs.some((output) => output.name === node.outputs[0]);
    if (weight?.dims.length !== 2 || weight.type !== "float32" || perm !== "1,0" || isOutput) return false;
    graph.initializers.set(node.outputs[0], transposed(weight));
    return true;
  });
}

/** Reduces the last axis and keeps it. The axes are an attribute, or an input from version 18 on. */
const overLastAxis = (node: Node, view: View): boolean => {
  const given = view.initializers.get(node.inputs[1] ?? "");
  const axes = intsAttribute(node, "axes") ?? (given && numbersOf(given));
  return axes?.length === 1 && axes[0] === -1 && intAttribute(node, "keepdims", 1) === 1;
};

const mean = (of: Pattern) => made("ReduceMean", [of], overLastAxis);

// y = (x - mean(x)) / sqrt(mean((x - mean(x))²) + epsilon) · scale + bias
const centred = made("Sub", [any("x"), mean(any("x"))]);
const squared = either(made("Pow", [centred, scalar(2)]), made("Mul", [centred, centred]));
const deviation = made("Sqrt", [made("Add", [mean(squared), initializer("epsilon")])]);
const normalised = either(
  made("Div", [centred, deviation]),
  made("Mul", [centred, made("Reciprocal", [deviation])]),
);
const layerNorm = made("Add", [made("Mul", [normalised, initializer("scale")]), initializer("bias")]);

// y = x · (1 + erf(x / √2)) · ½, the three factors multiplied in any order
const erf = made("Erf", [
  either(made("Div", [any("x"), scalar(Math.SQRT2)]), made("Mul", [any("x"), scalar(Math.SQRT1_2)])),
]);
const factors = [any("x"), made("Add", [erf, scalar(1)]), scalar(0.5)];
const gelu = either(
  ...[0, 1, 2].map((last) => {
    const others = factors.filter((_, i) => i !== last);
    return made("Mul", [made("Mul", others), factors[last]]);
  }),
);

/**
 * LayerNormalization and Gelu nodes in place of their decompositions; Gelu is ONNX's own from version 20 on, else ONNX
 * Runtime's. @param model of operator set 17 or newer
 */
export function fuseOperators(model: Model): Model {
  const view = viewOf(model.graph);
  const domain = model.opsets[""] >= 20 ? "" : "com.microsoft";
  return rewriteNodes(model, (node, g) => {
    if (node.op === "Add") return fuseOneNorm(node, g, view);
    const found = node.op === "Mul" && find(gelu, node.outputs[0], view);
    if (found) g.add("Gelu", [found.x], {}, { ...namesOf(node), domain });
    return Boolean(found);
  });
}

function fuseOneNorm(node: Node, g: GraphBuilder, view: View): boolean {
  const found = find(layerNorm, node.outputs[0], view);
  const epsilon = found && scalarOf(found.epsilon, view);
  if (!found || epsilon === undefined) return false;
  const [scale, bias] = [found.scale, found.bias].map((name) => view.initializers.get(name));
  if (scale?.dims.length !== 1 || bias?.dims.length !== 1 || scale.dims[0] !== bias.dims[0]) return false;
  const attributes = { axis: -1, epsilon };
  g.add("LayerNormalization", [found.x, found.scale, found.bias], attributes, namesOf(node));
  return true;
}

/** The fused node has the name and output of the last node that it replaces. */
const namesOf = ({ name, outputs }: Node) => ({ name, outputs });
