/** What cannot be trained, said early and with the cure: quantised, 16-bit and fused graphs, missing rules. */
import { ModelError } from "../errors.js";
import type { Model, Node } from "../onnx/model.js";

/** The key of a node's operator in the rule table. */
export const operatorOf = ({ domain, op }: Node): string => (domain === "" ? op : `${domain}::${op}`);

const quantised =
  /^(Q(Linear|Attention|Gemm|Embed)|DynamicQuantize|QuantizeLinear|DequantizeLinear|MatMul(NBits|Bnb4|Integer)|ConvInteger|GatherBlockQuantized)/;

/** The cure for an operator without a rule. */
function cure({ domain, op }: Node): string {
  if (quantised.test(op)) return "The model is quantised: train the float32 model it was made from.";
  if (domain === "com.microsoft" || op === "FusedMatMul")
    return "The model was optimised for ONNX Runtime: train the plain export (model.onnx, not model_optimized.onnx).";
  return "Choose weights behind this node, or replace it by operators of src/autodiff/rules.ts.";
}

/** The error for a node that gradients reach and that has no rule for this input. */
export function withoutRule(node: Node, input?: number): ModelError {
  const where = input === undefined ? "" : ` in its input ${input} (${node.inputs[input]})`;
  return new ModelError(
    `node ${node.name || node.outputs[0]}: pearl has no derivative of ${operatorOf(node)}${where}. ${cure(node)}`,
  );
}

/**
 * Checks that a whole model can be trained, before it is run or differentiated.
 * @param known operators that have rules
 * @throws ModelError naming the first node or weight that stands against it
 */
export function rejectUntrainable({ graph }: Model, known: ReadonlySet<string>): void {
  for (const node of graph.nodes) {
    const foreign = node.domain === "com.microsoft" && !known.has(operatorOf(node));
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
