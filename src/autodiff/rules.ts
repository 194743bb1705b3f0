/** The derivative of every operator that pearl can train through, by family; errors for what it cannot train. */
import { ModelError } from "../errors.js";
import type { Model, Node } from "../onnx/model.js";
import { elementwise } from "./rules/elementwise.js";
import { linearAlgebra } from "./rules/linear-algebra.js";
import { reductions } from "./rules/reductions.js";
import { views } from "./rules/views.js";
import type { Rule } from "./site.js";

/** By operator name, with its domain before "::" where that is not ONNX's own. */
export const rules = {
  ...elementwise,
  ...linearAlgebra,
  ...reductions,
  ...views,
} satisfies Record<string, Rule>;

export type DifferentiableOperator = keyof typeof rules;

export const operatorOf = ({ domain, op }: Node): string => (domain === "" ? op : `${domain}::${op}`);

const quantised =
  /^(Q(Linear|Attention|Gemm|Embed)|DynamicQuantize|QuantizeLinear|DequantizeLinear|MatMul(NBits|Bnb4|Integer)|ConvInteger|GatherBlockQuantized)/;

function cure({ domain, op }: Node): string {
  if (quantised.test(op)) return "The model is quantised: train the float32 model it was made from.";
  if (domain === "com.microsoft")
    return "The model was optimised for ONNX Runtime: train the plain export (model.onnx, not model_optimized.onnx).";
  return "Train only weights after this node, or replace the node with operators listed in src/autodiff/rules.";
}

/** The error for a node that gradients reach and that has no rule for this input. */
export function withoutRule(node: Node, input?: number): ModelError {
  const where = input === undefined ? "" : ` in its input ${input} (${node.inputs[input]})`;
  return new ModelError(
    `node ${node.name || node.outputs[0]}: pearl has no derivative of ${operatorOf(node)}${where}. ${cure(node)}`,
  );
}

/** @throws ModelError naming the first node or weight that cannot be trained: quantised, of 16 bits, or fused */
export function rejectUntrainable({ graph }: Model): void {
  for (const node of graph.nodes) {
    const foreign = node.domain === "com.microsoft" && ruleFor(node) === undefined;
    if (foreign || quantised.test(node.op)) throw withoutRule(node);
  }
  for (const [name, { type, dims }] of graph.initializers) {
    if ((type !== "float16" && type !== "bfloat16") || dims.length === 0) continue;
    const user = graph.nodes.find(({ inputs }) => inputs.includes(name));
    const reader = user ? `, which node ${user.name} (${user.op}) reads,` : "";
    throw new ModelError(
      `weight ${name}${reader} is ${type}: train the float32 model (model.onnx, not model_fp16.onnx).`,
    );
  }
}

export const ruleFor = (node: Node): Rule | undefined => {
  const table: Readonly<Record<string, Rule>> = rules;
  const key = operatorOf(node);
  return Object.hasOwn(table, key) ? table[key] : undefined;
};
