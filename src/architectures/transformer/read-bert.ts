/** From an encoder's graph back to what it was written from: config and weights by their published names. */
import { ModelError } from "../../errors.js";
import { producersOf } from "../../onnx/graph.js";
import type { Model, Node } from "../../onnx/model.js";
import { prepareForInference } from "../../onnx/rewrite/fuse.js";
import { numbersOf, type Tensor } from "../../onnx/tensor.js";
import type { BertConfig } from "./bert.js";
import type { Linear, Norm, Reading } from "./graph-reading.js";
import { linearAt, maker, norming, readEmbeddings, unlike } from "./graph-reading.js";

export interface FoundEncoder {
  /** Shape and kind; model_type is "bert" or "roberta", by how positions are numbered. */
  readonly config: BertConfig;
  /** Float32, in PyTorch's layout [out, in], named as in BertModel. */
  readonly weights: ReadonlyMap<string, Tensor>;
}

/**
 * Recognises BERT and RoBERTa encoders in the graphs of common exporters, with folded or named weights, and in
 * pearl's own. The caller must check by running both that a graph built from the result computes the same.
 * @param output the value that holds the last hidden state
 * @param heads used where the graph does not show the number of attention heads
 * @throws ModelError that names the node where the graph departs from a BERT's
 */
export function readBert(
  model: Model,
  { output, label, heads }: { output: string; label: string; heads?: number },
): FoundEncoder {
  const { graph } = prepareForInference(model);
  const reading: Reading = { graph, makers: producersOf(graph), label, weights: new Map() };
  rejectRewritten(reading);
  const blocks: NonNullable<ReturnType<typeof readBlock>>[] = [];
  let norm = norming(reading, output);
  for (;;) {
    const block = readBlock(reading, norm);
    if (block === undefined) break;
    blocks.unshift(block);
    norm = norming(reading, block.input);
  }
  if (blocks.length === 0)
    throw unlike(reading, norm.node, "no attention block lies before its last LayerNormalization");
  const embeddings = readEmbeddings(reading, norm);
  for (const [layer, { layers }] of blocks.entries())
    for (const [name, { weight, bias }] of Object.entries(layers)) {
      reading.weights.set(`encoder.layer.${layer}.${name}.weight`, weight);
      reading.weights.set(`encoder.layer.${layer}.${name}.bias`, bias);
    }
  const [first] = blocks;
  const width = norm.weight.dims[0];
  const count = first.headWidth ? Math.round(width / first.headWidth) : heads;
  if (!count)
    throw new ModelError(
      `${label}: the number of attention heads is not in the graph. Write num_attention_heads into config.json.`,
    );
  return {
    weights: reading.weights,
    config: {
      ...embeddings,
      hidden_size: width,
      num_hidden_layers: blocks.length,
      num_attention_heads: count,
      intermediate_size: first.inner,
      hidden_act: first.activation,
      layer_norm_eps: norm.epsilon,
    },
  };
}

/** @throws ModelError for a graph with rewritten weights */
function rejectRewritten({ graph, label }: Reading): void {
  const refuse = (what: string, why: string): never => {
    throw new ModelError(
      `${label}: ${what}: the graph ${why}. Export the plain float32 graph it was made from.`,
    );
  };
  for (const { op, domain, name } of graph.nodes) {
    if (/Quantize|MatMul(Integer|NBits)|QLinear/.test(op)) refuse(`node ${name} (${op})`, "is quantised");
    if (domain === "com.microsoft" && op !== "Gelu")
      refuse(`node ${name} (${op})`, "was optimised for ONNX Runtime");
  }
  for (const [name, { type, dims }] of graph.initializers)
    if (type === "float16" && dims.length === 2) refuse(`weight ${name}`, "is in float16");
}

/** A block that ends in this LayerNorm; undefined where the LayerNorm is the embeddings'. */
function readBlock(reading: Reading, last: Norm) {
  const [output, attended] = residual(reading, last) ?? [];
  if (!output || !attended) return undefined;
  const middle = norming(reading, attended);
  const [projected, input] = residual(reading, middle) ?? [];
  if (!projected || !input) throw unlike(reading, middle.node, "it does not add attention to its input");
  const { intermediate, activation } = readActivation(reading, output);
  const attention = readAttention(reading, projected);
  const { query, key, value, headWidth } = attention;
  const layers = {
    ...{ "attention.self.query": query, "attention.self.key": key, "attention.self.value": value },
    ...{ "attention.output.dense": projected, "attention.output.LayerNorm": middle },
    ...{ "intermediate.dense": intermediate, "output.dense": output, "output.LayerNorm": last },
  };
  return { input, inner: intermediate.weight.dims[0], activation, headWidth, layers };
}

/** What a LayerNorm adds up: a linear layer, and the value that it is added to. */
function residual(reading: Reading, { input }: Norm): [Linear, string] | undefined {
  const sum = maker(reading, input);
  if (sum?.op !== "Add") return undefined;
  for (const [a, b] of [sum.inputs, sum.inputs.toReversed()]) {
    const linear = linearAt(reading, a);
    if (linear && maker(reading, b)?.op === "LayerNormalization") return [linear, b];
  }
  return undefined;
}

/** The feed-forward layer before an activation, and the activation's name in config.json. */
function readActivation(reading: Reading, output: Linear): { intermediate: Linear; activation: string } {
  const seen = new Set<string>();
  let intermediate: Linear | undefined;
  // all operators between the two layers; 40 are more than any activation has
  const pending = [output.input];
  for (let steps = 0; pending.length > 0 && steps < 40; steps++) {
    const value = pending.shift() as string;
    const linear = linearAt(reading, value);
    intermediate ??= linear;
    const node = maker(reading, value);
    if (linear || !node) continue;
    seen.add(node.op);
    pending.push(...node.inputs.filter((name) => !reading.graph.initializers.has(name)));
  }
  const single = seen.size === 1 ? { Relu: "relu", Tanh: "tanh" }[[...seen][0]] : undefined;
  const isApproximate = seen.has("Tanh") && seen.has("Mul");
  const activation = seen.has("Gelu") ? "gelu" : isApproximate ? "gelu_new" : single;
  const unknown = `its activation (${[...seen].join(", ")}) is not known`;
  if (!intermediate || !activation) throw unlike(reading, maker(reading, output.input), unknown);
  return { intermediate, activation };
}

/** softmax(q kᵀ · scale + mask) v, before the projection. */
function readAttention(reading: Reading, projected: Linear) {
  const mixing = maker(reading, projected.input);
  if (mixing?.op !== "MatMul")
    throw unlike(reading, mixing, "attention's products are not where they should be");
  // Recent exporters guard rows that are masked entirely by a Where behind the softmax.
  let softmax = maker(reading, mixing.inputs[0]);
  if (softmax?.op === "Where") softmax = maker(reading, softmax.inputs[2]);
  if (softmax?.op !== "Softmax") throw unlike(reading, softmax, "attention has no softmax");
  const value = linearAt(reading, mixing.inputs[1]);
  const scores = scaled(reading, softmax.inputs[0]);
  const [left, right] = scores.node?.inputs.map((input) => scaled(reading, input)) ?? [];
  const [query, key] = [left, right].map((side) => side && linearAt(reading, side.value));
  if (scores.node?.op !== "MatMul" || !value || !query || !key)
    throw unlike(reading, scores.node ?? softmax, "query, key and value are not linear layers");
  const scale = scores.scale * left.scale * right.scale;
  // a scale that the graph computes counts as 1 here, which leaves the width unknown
  return { query, key, value, headWidth: scale < 1 ? Math.round(1 / scale ** 2) : undefined };
}

/** Past scalings and the mask that is added: the value that is scaled, the node that makes it, the factor. */
function scaled(reading: Reading, value: string): { value: string; node: Node | undefined; scale: number } {
  let scale = 1;
  let at = value;
  for (;;) {
    const node = maker(reading, at);
    if (!node || linearAt(reading, at)) return { value: at, node, scale };
    const [a, b] = node.inputs;
    const factor = (name: string): number | undefined => {
      const stored = reading.graph.initializers.get(name);
      return stored && stored.data.length === 1 ? numbersOf(stored)[0] : undefined;
    };
    if (node.op === "Div") [at, scale] = [a, scale / (factor(b) ?? 1)];
    else if (node.op === "Mul") {
      const isFirst = factor(a) !== undefined;
      [at, scale] = [isFirst ? b : a, scale * (factor(isFirst ? a : b) ?? 1)];
    } else if (node.op === "Add") {
      const isSecond = reachesProduct(reading, b) && !reachesProduct(reading, a);
      at = isSecond ? b : a;
    } else if (node.op === "Where") at = node.inputs.find((input) => reachesProduct(reading, input)) ?? a;
    else return { value: at, node, scale };
  }
}

/** True for scores, which come from a product, and not for the mask. */
function reachesProduct(reading: Reading, value: string): boolean {
  const node = maker(reading, value);
  if (node?.op === "MatMul") return true;
  return node !== undefined && ["Div", "Mul"].includes(node.op) && reachesProduct(reading, node.inputs[0]);
}
