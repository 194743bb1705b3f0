/** Older operator sets to version 17, so that everything above knows one way of writing each operator. */
import { ModelError } from "../../errors.js";
import type { GraphBuilder } from "../builder.js";
import { rewriteNodes } from "../graph.js";
import { floatAttribute, intAttribute, intsAttribute, type Model, type Node, subgraphs } from "../model.js";

/** What models are upgraded to; newer ones are kept as they are. */
export const opset = 17;
/** Older operators than these broadcast by attribute; few such files are left. */
const oldest = 9;

/** Emits the newer form of a node through the builder. */
type Upgrade = (node: Node, g: GraphBuilder) => void;

/** By operator: the version that changed it, and how the form before is written in the form after. */
const upgrades: Record<string, { since: number; upgrade: Upgrade }> = {
  Squeeze: { since: 13, upgrade: intsToInputs("axes") },
  Unsqueeze: { since: 13, upgrade: intsToInputs("axes") },
  ReduceSum: { since: 13, upgrade: intsToInputs("axes") },
  Split: { since: 13, upgrade: intsToInputs("split") },
  Softmax: { since: 13, upgrade: flattened },
  LogSoftmax: { since: 13, upgrade: flattened },
  Slice: { since: 10, upgrade: intsToInputs("starts", "ends", "axes") },
  TopK: { since: 10, upgrade: topK },
  Clip: { since: 11, upgrade: clip },
  Pad: { since: 11, upgrade: pad },
  Dropout: { since: 12, upgrade: dropout },
};

/** Operators that changed in ways that are not worth following here: images and sequences. */
const refused: Record<string, number> = { Resize: 11, Upsample: 10, Scan: 9, BatchNormalization: 14 };

/**
 * The model in operator set 17 where it was written in an older one; untouched where it is newer.
 * @throws ModelError where it is older than 9, or holds an operator whose change is not followed here
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
    const inner = subgraphs(node).flatMap((graph) => graph.nodes);
    const changed = inner.find((child) => from < (upgrades[child.op]?.since ?? refused[child.op] ?? 0));
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

/** Attributes with lists of integers become inputs after the first, in this order. */
function intsToInputs(...names: string[]): Upgrade {
  return (node, g) => {
    const lists = names.map((name) => intsAttribute(node, name));
    const inputs = lists.map((list) => (list ? g.ints(...list) : ""));
    while (inputs.at(-1) === "") inputs.pop();
    again(node, g, [node.inputs[0], ...inputs], { without: names });
  };
}

/** Softmax once ran over all axes from `axis` on as if they were one. */
function flattened(node: Node, g: GraphBuilder): void {
  const axis = intAttribute(node, "axis", 1);
  const [x] = node.inputs;
  if (axis === -1) {
    again(node, g, [x], { without: [] });
    return;
  }
  const rows = g.add(node.op, [g.add("Flatten", [x], { axis })], { axis: -1 }, { name: node.name });
  g.add("Reshape", [rows, g.add("Shape", [x])], {}, { outputs: node.outputs });
}

function topK(node: Node, g: GraphBuilder): void {
  again(node, g, [node.inputs[0], g.ints(intAttribute(node, "k", 1))], { without: ["k"] });
}

function clip(node: Node, g: GraphBuilder): void {
  const limit = (name: string) =>
    node.attributes[name] ? g.scalar("float32", floatAttribute(node, name, 0)) : "";
  again(node, g, [node.inputs[0], limit("min"), limit("max")], { without: ["min", "max"] });
}

function pad(node: Node, g: GraphBuilder): void {
  const pads = g.ints(...(intsAttribute(node, "pads") ?? []));
  const value = g.scalar("float32", floatAttribute(node, "value", 0));
  again(node, g, [node.inputs[0], pads, value], { without: ["pads", "value"] });
}

function dropout(node: Node, g: GraphBuilder): void {
  const ratio = g.scalar("float32", floatAttribute(node, "ratio", 0.5));
  again(node, g, [node.inputs[0], ratio], { without: ["ratio"] });
}

/** The same node with other inputs and fewer attributes. */
function again(node: Node, g: GraphBuilder, inputs: string[], { without }: { without: string[] }): void {
  const kept = Object.entries(node.attributes).filter(([name]) => !without.includes(name));
  g.add(node.op, inputs, Object.fromEntries(kept), { name: node.name, outputs: node.outputs });
}
