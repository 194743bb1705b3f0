/** From words' vectors to the phrase's, for every character encoder. */
import { linear } from "../../nn/layers.js";
import type { Net } from "../../nn/net.js";
import { meanPooling } from "../../nn/pooling.js";
import { typeCode } from "../../onnx/tensor.js";
import type { CharacterInputs } from "./inputs.js";
import type { WordEncoder } from "./units.js";

/** Prefix of all weights of a character encoder. */
export const characterWeights = "characters";

export interface CharacterEncoderOptions {
  readonly encoder: Pick<WordEncoder, "words">;
  /** Units that the text side knows, padding included: `WordReader.rows`. */
  readonly rows: number;
  /** Of the units' embeddings; LOVE's is 300. */
  readonly width: number;
  /** Positions of a word at most, special units included; exactly, where `padding` is "positions". */
  readonly positions: number;
  /** Length of a word's vector, where the encoder can change it; default `width`. */
  readonly hidden?: number;
  /** Length of the phrase's vector; PEARL-small's is 96. Default: words are averaged and not reduced. */
  readonly outputs?: number;
}

/**
 * The phrase's vector: the mean of its words' vectors, reduced linearly without activation (weights
 * `reduction.weight` [outputs, width], `reduction.bias`). A phrase without words gets the reduction's bias.
 * @returns [phrases, outputs] @throws ArgumentError for sizes that do not fit
 */
export function characterEncoder(
  net: Net,
  inputs: CharacterInputs,
  options: CharacterEncoderOptions,
): string {
  const { g } = net;
  const { encoder, hidden = options.width, outputs } = options;
  const words = encoder.words(net, inputs, { ...options, name: characterWeights, hidden });
  // padding is -1: it reads row 0, which the mask leaves out
  const rows = g.add("Gather", [words, g.add("Max", [inputs.words, g.scalar("int32", 0)])]);
  const isWord = g.add("Greater", [inputs.words, g.scalar("int32", -1)]);
  const mask = g.add("Cast", [isWord], { to: typeCode("int32") });
  const phrases = meanPooling(net, { hidden: rows, mask });
  if (outputs === undefined) return phrases;
  return linear(net, phrases, { name: `${characterWeights}.reduction`, inputs: hidden, outputs });
}
