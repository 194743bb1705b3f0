/** A small transformer from scratch: new weights from a seed, and a tokenizer trained on the corpus. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ArgumentError } from "../../errors.js";
import { writeWholeFolder } from "../../files/whole-folder.js";
import { fromSeed } from "../../nn/net.js";
import { writeModel } from "../../onnx/io/file.js";
import { trainTokenizer } from "../../text/train-tokenizer.js";
import { type ModelFolder, readModelFolder } from "../model-folder.js";
import type { BertConfig } from "./bert.js";
import { encoderGraph } from "./bert-graph.js";

/** The shape of a transformer from scratch. */
export interface ScratchShape {
  /** Width of its states; a multiple of `heads`. Default 256. */
  readonly hidden?: number;
  /** Default 2. */
  readonly layers?: number;
  /** Default one for each 64 of `hidden`, at least 1. */
  readonly heads?: number;
  /** Entries of the tokenizer's vocabulary at most. Default 16,000. */
  readonly vocabulary?: number;
  /** Tokens it reads, special ones included. Default 32. */
  readonly maximumLength?: number;
}

export interface ScratchOptions extends ScratchShape {
  /** What the tokenizer is trained on, with counts. */
  readonly phrases: Iterable<readonly [phrase: string, count: number]>;
  readonly seed: number;
}

/** BERT's config.json for a shape. @throws ArgumentError for a shape that cannot be built */
export function scratchConfig(
  { hidden = 256, layers = 2, heads, maximumLength = 32 }: ScratchShape,
  vocabulary: number,
) {
  const attention = heads ?? Math.max(1, Math.floor(hidden / 64));
  if (hidden % attention !== 0)
    throw new ArgumentError(
      `${attention} attention heads do not divide a hidden width of ${hidden}: name another --hidden`,
    );
  const config: BertConfig = {
    model_type: "bert",
    vocab_size: vocabulary,
    hidden_size: hidden,
    num_hidden_layers: layers,
    num_attention_heads: attention,
    intermediate_size: 4 * hidden,
    max_position_embeddings: maximumLength,
    type_vocab_size: 2,
    hidden_act: "gelu",
    layer_norm_eps: 1e-12,
    pad_token_id: 0,
    position_embedding_type: "absolute",
  };
  return { architectures: ["BertModel"], ...config };
}

/** Writes the model's folder, untrained. @throws ArgumentError for a shape that cannot be built */
export async function writeScratchModel(folder: string, options: ScratchOptions): Promise<ModelFolder> {
  const { phrases, seed, vocabulary = 16_000, maximumLength = 32 } = options;
  const { tokenizer, config: tokenizerConfig, size } = trainTokenizer(phrases, vocabulary, maximumLength);
  const config = scratchConfig(options, size);
  await writeWholeFolder(folder, async (temporary) => {
    const write = (name: string, value: object) =>
      writeFile(join(temporary, name), `${JSON.stringify(value, null, 1)}\n`);
    await mkdir(join(temporary, "onnx"), { recursive: true });
    await write("config.json", config);
    await write("tokenizer.json", tokenizer);
    await write("tokenizer_config.json", tokenizerConfig);
    writeModel(encoderGraph(config, fromSeed(seed)), join(temporary, "onnx", "model.onnx"));
  });
  return readModelFolder(folder);
}
