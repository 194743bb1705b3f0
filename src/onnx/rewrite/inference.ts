/** Prepares a graph for inference: rewrites older and decomposed forms to operators that devices have kernels for. */
import { ModelError } from "../../errors.js";
import { constantsToInitializers, rewriteNodes, untieInitializers } from "../graph.js";
import { intsAttribute, type Model } from "../model.js";
import { transposed } from "../tensor.js";
import { fuseOperators } from "./fuse.js";
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
