/** Rewrites an encoder's graph so that it trains faster; names and layouts of weights stay. */
import { constantsToInitializers, untieInitializers } from "../../onnx/graph.js";
import { copyModel, type Model } from "../../onnx/model.js";
import { fuseOperators } from "../../onnx/rewrite/fuse.js";
import { upgradeOpset } from "../../onnx/rewrite/upgrade.js";

/** LayerNorm and GELU become one operator each; weights that share an initializer get one each. */
export function prepareForTraining(model: Model): Model {
  const upgraded = upgradeOpset(model);
  const constants = upgraded.graph.nodes.flatMap(({ op, outputs }) => (op === "Constant" ? outputs : []));
  const fused = fuseOperators(untieInitializers(constantsToInitializers(upgraded)));
  return fixConstants(fused, constants);
}

/** Tables that the exporter wrote as Constant nodes are not weights: they become Constant nodes again. */
function fixConstants(model: Model, names: readonly string[]): Model {
  const copy = copyModel(model);
  const { initializers, nodes } = copy.graph;
  for (const name of names) {
    const value = initializers.get(name);
    if (value?.type !== "float32" || value.data.length < 2) continue;
    initializers.delete(name);
    const attributes = { value: { type: "tensor", value } as const };
    nodes.unshift({ name, op: "Constant", domain: "", inputs: [], outputs: [name], attributes });
  }
  return copy;
}
