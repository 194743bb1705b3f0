/** A small transformer from scratch: new weights from a seed, and a tokenizer trained on the corpus. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ArgumentError } from "../../errors.js";
import { writeModelFolder } from "../../files/sealed-folder.js";
import { fromSeed } from "../../nn/net.js";
import { writeModel } from "../../onnx/io/file.js";
import { trainTokenizer } from "../../text/train-tokenizer.js";
import type { ScratchOptions } from "../architecture.js";
import { type BertConfig, encoderGraph } from "./bert.js";

/** Writes the model's folder, untrained. @throws ArgumentError for a shape that cannot be built */
export async function writeScratchModel(folder: string, options: ScratchOptions): Promise<void> {
  const { phrases, seed, hidden = 256, layers = 2, vocabulary = 16_000, maximumLength = 32 } = options;
  const { heads = Math.max(1, Math.floor(hidden / 64)) } = options;
  if (hidden % heads !== 0)
    throw new ArgumentError(
      `the hidden width ${hidden} is not a multiple of the ${heads} attention heads: set another shape.hidden`,
    );
  const trained = trainTokenizer(phrases, vocabulary, maximumLength);
  const shape: BertConfig = {
    model_type: "bert",
    vocab_size: trained.size,
    hidden_size: hidden,
    num_hidden_layers: layers,
    num_attention_heads: heads,
    intermediate_size: 4 * hidden,
    max_position_embeddings: maximumLength,
    type_vocab_size: 2,
    hidden_act: "gelu",
    layer_norm_eps: 1e-12,
    pad_token_id: 0,
    position_embedding_type: "absolute",
  };
  await writeModelFolder(folder, async (temporary) => {
    const write = (name: string, value: object) =>
      writeFile(join(temporary, name), `${JSON.stringify(value, null, 1)}\n`);
    await mkdir(join(temporary, "onnx"), { recursive: true });
    await write("config.json", { architectures: ["BertModel"], ...shape });
    await write("tokenizer.json", trained.tokenizer);
    await write("tokenizer_config.json", trained.config);
    writeModel(encoderGraph(shape, fromSeed(seed)), join(temporary, "onnx", "model.onnx"));
  });
}
