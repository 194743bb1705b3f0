/** The embeddings of a BERT or RoBERTa in a graph: which table holds words, positions and types. */

import { numbersOf, type Tensor } from "../../onnx/tensor.js";
import type { BertConfig } from "./bert.js";
import { isMatrix, maker, type Norm, origin, type Reading, unlike } from "./graph-reading.js";

export type EmbeddingConfig = Pick<
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
    throw unlike(reading, norm.node, "it does not add up words, positions and types");
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

/** A table, and `rows`: the value that holds its rows' numbers. */
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
    throw unlike(reading, node, "one of the embeddings is not a table with rows to choose");
  const rows = origin(reading, node.inputs[1]);
  if (rows === "input_ids") return { table: stored, source: "words", rows };
  const inputs = valuesBehind(reading, rows);
  const counted = inputs.has("input_ids") ? "counted tokens" : "length";
  return { table: stored, source: inputs.has("token_type_ids") ? "types" : counted, rows };
}

/** All values that a value is computed from; what only their shape decides is left out. */
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

/** The token's number that RoBERTa's positions leave out. */
function paddingOf(reading: Reading, rows: string): number | undefined {
  for (const name of valuesBehind(reading, rows)) {
    const node = reading.makers.get(name);
    if (node?.op !== "Equal") continue;
    const stored = node.inputs.map((input) => reading.graph.initializers.get(input)).find(Boolean);
    if (stored) return numbersOf(stored)[0];
  }
  return undefined;
}
