/** A tiny T5 as the hub has them: it answers any text with one word. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { GraphBuilder } from "../../src/onnx/builder.js";
import { writeModel } from "../../src/onnx/io/file.js";
import { tensor } from "../../src/onnx/tensor.js";
import { newFolder } from "../setup/new-folder.js";

const vocabulary = ["<pad>", "</s>", "<unk>", "red", "wine", "indeed"];
/** What follows a token: "indeed" at the beginning, which is <pad>, then the end. */
const next = [5, 1, 1, 1, 1, 1];

const json: Readonly<Record<string, object>> = {
  "config.json": {
    ...{ architectures: ["T5ForConditionalGeneration"], model_type: "t5", is_encoder_decoder: true },
    ...{ num_layers: 1, num_decoder_layers: 1, num_heads: 1, d_kv: 1, d_model: 1 },
    ...{ vocab_size: vocabulary.length, decoder_start_token_id: 0, pad_token_id: 0, eos_token_id: 1 },
  },
  "generation_config.json": { decoder_start_token_id: 0, pad_token_id: 0, eos_token_id: 1 },
  "tokenizer_config.json": {
    tokenizer_class: "T5Tokenizer",
    pad_token: "<pad>",
    eos_token: "</s>",
    unk_token: "<unk>",
  },
  "tokenizer.json": {
    ...{
      version: "1.0",
      truncation: null,
      padding: null,
      normalizer: null,
      post_processor: null,
      decoder: null,
    },
    added_tokens: [0, 1, 2].map((id) => ({ id, content: vocabulary[id], special: true })),
    pre_tokenizer: { type: "Whitespace" },
    model: {
      type: "WordLevel",
      vocab: Object.fromEntries(vocabulary.map((word, id) => [word, id])),
      unk_token: "<unk>",
    },
  },
};

/** A graph of one row of `table` for each token. */
function writeGraph(path: string, output: string, table: number[][], more = (_: GraphBuilder) => {}): void {
  const g = new GraphBuilder();
  const ids = g.input("input_ids", "int64", ["batch", "tokens"]);
  more(g);
  const rows = g.weight("rows", tensor("float32", [table.length, table[0].length], table.flat()));
  g.output(output, g.add("Gather", [rows, ids]), "float32", ["batch", "tokens", table[0].length]);
  writeModel(g.model(), path);
}

/** @returns the folder of a model that answers "indeed" */
export function makeTextModel(): string {
  const folder = join(newFolder(), "t5");
  const graphs = join(folder, "onnx");
  mkdirSync(graphs, { recursive: true });
  for (const [name, content] of Object.entries(json))
    writeFileSync(join(folder, name), JSON.stringify(content));
  writeGraph(
    join(graphs, "encoder_model.onnx"),
    "last_hidden_state",
    vocabulary.map(() => [0]),
  );
  const scores = next.map((token) => vocabulary.map((_, id) => (id === token ? 50 : 0)));
  writeGraph(join(graphs, "decoder_model_merged.onnx"), "logits", scores, (g) =>
    g.input("encoder_hidden_states", "float32", ["batch", "read", 1]),
  );
  return folder;
}
