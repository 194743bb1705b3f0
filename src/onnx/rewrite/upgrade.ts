/** Upgrades older operator sets to version 17, so that other code meets one form of each operator. */
import { ModelError } from "../../errors.js";
import type { GraphBuilder } from "../builder.js";
import { rewriteNodes } from "../graph.js";
import { intAttribute, type Model, type Node, subgraphs } from "../model.js";

/** The version that models are upgraded to; newer models are not changed. */
const opset = 17;
/** Operators of still older versions broadcast by attribute; few such files exist. */
const oldest = 9;

type Upgrade = (node: Node, g: GraphBuilder) => void;

/** An attribute that became an input, and its default if it has one. */
type Moved = readonly [name: string, fallback?: number];

/** These become float32 scalars, all others lists of int64. */
const floats = new Set(["min", "max", "value", "ratio"]);

/** Adds the attribute's value as a constant and returns its name, "" for an attribute without value and default. */
function addConstant(node: Node, g: GraphBuilder, [name, fallback]: Moved): string {
  const value = (node.attributes[name]?.value ?? fallback) as number | number[] | undefined;
  if (value === undefined) return "";
  return floats.has(name) ? g.scalar("float32", Number(value)) : g.ints(...[value].flat());
}

/** By operator: the version that changed it, and how to write the older form in the newer one. */
const upgrades: Record<string, { since: number; upgrade: Upgrade }> = {
  Squeeze: { since: 13, upgrade: toInputs(["axes"]) },
  Unsqueeze: { since: 13, upgrade: toInputs(["axes"]) },
  ReduceSum: { since: 13, upgrade: toInputs(["axes"]) },
  Split: { since: 13, upgrade: toInputs(["split"]) },
  Softmax: { since: 13, upgrade: flattened },
  LogSoftmax: { since: 13, upgrade: flattened },
  Slice: { since: 10, upgrade: toInputs(["starts"], ["ends"], ["axes"]) },
  TopK: { since: 10, upgrade: toInputs(["k", 1]) },
  Clip: { since: 11, upgrade: toInputs(["min"], ["max"]) },
  Pad: { since: 11, upgrade: toInputs(["pads"], ["value", 0]) },
  Dropout: { since: 12, upgrade: toInputs(["ratio", 0.5]) },
};

/** Operators with changes that are not supported here, by the version of the change: images and sequences. */
const refused: Record<string, number> = { Resize: 11, Upsample: 10, Scan: 9, BatchNormalization: 14 };

/**
 * The model in operator set 17; a newer model as it is.
 * @throws ModelError for an operator set before 9, or an operator with a change that is not supported
 */
export function upgradeOpset(model: Model): Model {
  const from = model.opsets[""] ?? opset;
  if (from >= opset) return model;
  const advice = `Export it again with operator set ${opset}.`;
  if (from < oldest) throw new ModelError(`the model uses ONNX operator set ${from}. ${advice}`);
  const refuse = (node: Node): never => {
    throw new ModelError(
      `node ${node.name} (${node.op}) cannot be read from operator set ${from}. ${advice}`,
    );
  };
  const upgraded = rewriteNodes(model, (node, g) => {
    const changed = innerNodes(node).find(({ op }) => from < (upgrades[op]?.since ?? refused[op] ?? 0));
    if (changed) refuse(changed);
    if (node.domain !== "") return false;
    if (from < (refused[node.op] ?? 0)) refuse(node);
    const row = Object.hasOwn(upgrades, node.op) ? upgrades[node.op] : undefined;
    if (!row || from >= row.since) return false;
    row.upgrade(node, g);
    return true;
  });
  upgraded.opsets[""] = opset;
  // Before IR version 4 weights had to be listed as inputs; since then that makes them optional inputs.
  const { graph } = upgraded;
  if (model.irVersion < 4) graph.inputs = graph.inputs.filter(({ name }) => !graph.initializers.has(name));
  upgraded.irVersion = Math.max(upgraded.irVersion, 8);
  return upgraded;
}

/** The nodes of a node's subgraphs, and of theirs. */
const innerNodes = (node: Node): Node[] =>
  subgraphs(node).flatMap((graph) => graph.nodes.flatMap((child) => [child, ...innerNodes(child)]));

/** Replaces attributes by inputs after the first, in this order. */
function toInputs(...moved: Moved[]): Upgrade {
  return (node, g) => {
    const inputs = [node.inputs[0], ...moved.map((attribute) => addConstant(node, g, attribute))];
    while (inputs.at(-1) === "") inputs.pop();
    const attributes = { ...node.attributes };
    for (const [name] of moved) delete attributes[name];
    g.add(node.op, inputs, attributes, { name: node.name, outputs: node.outputs });
  };
}

/** Softmax used to treat all axes from `axis` on as one. */
function flattened(node: Node, g: GraphBuilder): void {
  const axis = intAttribute(node, "axis", 1);
  const { name, outputs, inputs } = node;
  if (axis === -1) {
    g.add(node.op, inputs, { axis }, { name, outputs });
    return;
  }
  const rows = g.add(node.op, [g.add("Flatten", inputs, { axis })], { axis: -1 }, { name });
  g.add("Reshape", [rows, g.add("Shape", inputs)], {}, { outputs });
}
