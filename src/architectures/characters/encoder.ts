/**
 * Character encoders behind one function: phrases as words, words as units, to one vector per phrase.
 *
 * | kind   | a word's vector                                                   | units               |
 * | ------ | ----------------------------------------------------------------- | ------------------- |
 * | love   | positional attention over characters and word pieces, sum         | characters + pieces |
 * | bilstm | last states of both directions                                    | characters          |
 * | bag    | sum of its characters' vectors                                    | characters          |
 * | ngrams | sum of its hashed n-grams' vectors                                | n-grams             |
 */
import { linear } from "../../nn/layers.js";
import type { Net } from "../../nn/net.js";
import { meanPooling } from "../../nn/pooling.js";
import { typeCode } from "../../onnx/tensor.js";
import { bilstm } from "./bilstm.js";
import type { CharacterInputs } from "./inputs.js";
import { love } from "./love.js";
import { bag, type CharacterEncoder, wordNgrams } from "./units.js";

/** Prefix of all weights of a character encoder. */
export const characterWeights = "characters";

export type CharacterEncoderKind = "love" | "bilstm" | "bag" | "ngrams";

export const characterEncoders: Readonly<Record<CharacterEncoderKind, CharacterEncoder>> = {
  ...{ love, bilstm, bag },
  ngrams: wordNgrams,
};

export interface CharacterEncoderOptions {
  readonly kind: CharacterEncoderKind;
  /** Units that the text side knows, padding included: `WordReader.rows`. */
  readonly rows: number;
  /** Of the units' embeddings; LOVE's is 300. */
  readonly width: number;
  /** Positions of a word at most (bilstm: exactly), special units included; ngrams and bag ignore it. */
  readonly positions: number;
  /** bilstm only: states of both directions together; default `width`. */
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
  const { kind, hidden = options.width, outputs } = options;
  const words = characterEncoders[kind].words(net, inputs, { ...options, name: characterWeights, hidden });
  // padding is -1: it reads row 0, which the mask leaves out
  const rows = g.add("Gather", [words, g.add("Max", [inputs.words, g.scalar("int32", 0)])]);
  const isWord = g.add("Greater", [inputs.words, g.scalar("int32", -1)]);
  const mask = g.add("Cast", [isWord], { to: typeCode("int32") });
  const phrases = meanPooling(net, { hidden: rows, mask });
  if (outputs === undefined) return phrases;
  return linear(net, phrases, { name: `${characterWeights}.reduction`, inputs: hidden, outputs });
}
