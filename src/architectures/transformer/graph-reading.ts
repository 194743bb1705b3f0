/** Reading a graph from its result inwards: the node that makes a value, norms, linear layers, embeddings. */
import { ModelError } from "../../errors.js";
import { floatAttribute, type Graph, intAttribute, type Node } from "../../onnx/model.js";
import { numbersOf, type Tensor, transposed } from "../../onnx/tensor.js";
import type { BertConfig } from "./bert.js";

export interface Reading {
  readonly graph: Graph;
  readonly makers: ReadonlyMap<string, Node>;
  readonly label: string;
  readonly weights: Map<string, Tensor>;
}

export interface Linear {
  readonly input: string;
  /** [out, in] */
  readonly weight: Tensor;
  readonly bias: Tensor;
}

/** Operators that move numbers or change their type, but not their values. */
const views = new Set([
  ...["Reshape", "Flatten", "Identity", "Transpose", "Squeeze", "Unsqueeze"],
  ...["Cast", "Dropout", "Expand"],
]);

/** The error for a graph that is not that of a BERT. */
export function unlike({ label }: Reading, node: Node | undefined, why: string): ModelError {
  const where = node ? `node ${node.name || node.outputs[0]} (${node.op}): ` : "";
  return new ModelError(
    `${label}: ${where}${why}; this is not the graph of a BERT or RoBERTa encoder, the only ones of other ` +
      "makers that can be written as safetensors.",
  );
}

/** The value itself, past operators that only move numbers. */
function origin({ makers }: Reading, value: string): string {
  let at = value;
  for (let node = makers.get(at); node && views.has(node.op); node = makers.get(at)) at = node.inputs[0];
  return at;
}

/** The node that computes a value, past operators that only move numbers. */
export const maker = (reading: Reading, value: string): Node | undefined =>
  reading.makers.get(origin(reading, value));

export interface Norm {
  readonly node: Node;
  readonly input: string;
  readonly weight: Tensor;
  readonly bias: Tensor;
  readonly epsilon: number;
}

export function norming(reading: Reading, value: string): Norm {
  const node = maker(reading, value);
  const [weight, bias] = [1, 2].map((i) => reading.graph.initializers.get(node?.inputs[i] ?? ""));
  if (node?.op !== "LayerNormalization" || weight?.dims.length !== 1 || bias?.dims.length !== 1)
    throw unlike(reading, node, `${value} does not come from a LayerNormalization`);
  // Files hold float32: rounding restores decimal values such as 1e-12.
  const epsilon = Number(floatAttribute(node, "epsilon", 1e-5).toPrecision(6));
  return { node, input: node.inputs[0], weight, bias, epsilon };
}

/** A product with a stored matrix plus a stored bias, in the ways in which exporters write it. */
export function linearAt(reading: Reading, value: string): Linear | undefined {
  const node = maker(reading, value);
  const stored = (name: string) => reading.graph.initializers.get(name);
  if (node?.op === "Gemm") {
    const [weight, bias] = [stored(node.inputs[1]), stored(node.inputs[2] ?? "")];
    if (!isMatrix(weight) || bias?.dims.length !== 1 || intAttribute(node, "transA", 0) === 1)
      return undefined;
    const isTurned = intAttribute(node, "transB", 0) === 1;
    return { input: node.inputs[0], weight: isTurned ? weight : transposed(weight), bias };
  }
  if (node?.op !== "Add") return undefined;
  for (const [a, b] of [node.inputs, node.inputs.toReversed()]) {
    const [product, bias] = [maker(reading, a), stored(b)];
    const weight = product?.op === "MatMul" ? stored(product.inputs[1]) : undefined;
    if (product && isMatrix(weight) && bias?.dims.length === 1)
      return { input: product.inputs[0], weight: transposed(weight), bias };
  }
  return undefined;
}

const isMatrix = (tensor: Tensor | undefined): tensor is Tensor =>
  tensor?.dims.length === 2 && tensor.type === "float32";

// --- embeddings -------------------------------------------------------------------------------------------

type EmbeddingConfig = Pick<
  BertConfig,
  "model_type" | "vocab_size" | "max_position_embeddings" | "type_vocab_size" | "pad_token_id"
>;

/** Words, positions and types, recognised by what selects their rows. */
export function readEmbeddings(reading: Reading, norm: Norm): EmbeddingConfig {
  const terms = addends(reading, norm.input).map((value) => readTable(reading, value));
  const one = (kind: Source) => terms.filter(({ source }) => source === kind);
  const [words] = one("words");
  const counted = one("counted tokens");
  // Numbers that depend on the length alone: BERT's positions, or types that are all 0.
  const free = one("length").sort((a, b) => b.table.dims[0] - a.table.dims[0]);
  const positions = counted[0] ?? free.shift();
  const types = one("types")[0] ?? free.shift();
  if (!words || !positions || !types || terms.length !== 3)
    throw unlike(reading, norm.node, "it does not normalise the sum of word, position and type embeddings");
  const { weights } = reading;
  weights.set("embeddings.word_embeddings.weight", words.table);
  weights.set("embeddings.position_embeddings.weight", positions.table);
  weights.set("embeddings.token_type_embeddings.weight", types.table);
  weights.set("embeddings.LayerNorm.weight", norm.weight);
  weights.set("embeddings.LayerNorm.bias", norm.bias);
  return {
    model_type: counted.length > 0 ? "roberta" : "bert",
    vocab_size: words.table.dims[0],
    max_position_embeddings: positions.table.dims[0],
    type_vocab_size: types.table.dims[0],
    pad_token_id: counted.length > 0 ? (paddingOf(reading, positions.rows) ?? 1) : 0,
  };
}

function addends(reading: Reading, value: string): string[] {
  const node = maker(reading, value);
  return node?.op === "Add" ? node.inputs.flatMap((input) => addends(reading, input)) : [value];
}

type Source = "words" | "types" | "counted tokens" | "length";

/** A table, and `rows`: the value that holds the row indices. */
function readTable(reading: Reading, value: string): { table: Tensor; source: Source; rows: string } {
  const { graph } = reading;
  const at = origin(reading, value);
  const node = reading.makers.get(at);
  const stored = graph.initializers.get(node?.op === "Gather" ? node.inputs[0] : at);
  // A row that every token gets was stored alone by the exporter.
  if (stored && !node && stored.type === "float32") {
    const width = stored.dims.at(-1) as number;
    return { table: { ...stored, dims: [stored.data.length / width, width] }, source: "length", rows: "" };
  }
  if (node?.op !== "Gather" || !isMatrix(stored))
    throw unlike(reading, node, "one of the embeddings is not a lookup in a table");
  const rows = origin(reading, node.inputs[1]);
  if (rows === "input_ids") return { table: stored, source: "words", rows };
  const inputs = valuesBehind(reading, rows);
  const counted = inputs.has("input_ids") ? "counted tokens" : "length";
  return { table: stored, source: inputs.has("token_type_ids") ? "types" : counted, rows };
}

/** All values that a value is computed from, except those of which only the shape is used. */
function valuesBehind({ makers }: Reading, value: string): Set<string> {
  const seen = new Set<string>();
  const pending = [value];
  while (pending.length > 0) {
    const name = pending.pop() as string;
    if (seen.has(name)) continue;
    seen.add(name);
    const node = makers.get(name);
    if (node && node.op !== "Shape") pending.push(...node.inputs);
  }
  return seen;
}

/** The id of the padding token, which RoBERTa's positions skip. */
function paddingOf(reading: Reading, rows: string): number | undefined {
  for (const name of valuesBehind(reading, rows)) {
    const node = reading.makers.get(name);
    if (node?.op !== "Equal") continue;
    const stored = node.inputs.map((input) => reading.graph.initializers.get(input)).find(Boolean);
    if (stored) return numbersOf(stored)[0];
  }
  return undefined;
}
