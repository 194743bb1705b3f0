/**
 * Character encoders behind one function: phrases as words, words as units, to one vector per phrase.
 *
 * | kind   | a word's vector                                                         | units               |
 * | ------ | ----------------------------------------------------------------------- | ------------------- |
 * | love   | positional attention over characters and word pieces, sum (love/) | characters + pieces |
 * | bilstm | last states of both directions (bilstm/)                    | characters          |
 * | bag    | sum of its characters' vectors                                          | characters          |
 * | ngrams | sum of its hashed n-grams' vectors                                      | n-grams             |
 */
import { linear } from "../../nn/layers.js";
import type { Net } from "../../nn/net.js";
import { meanPooling } from "../../nn/pooling.js";
import { bilstm } from "../bilstm/bilstm.js";
import { love } from "../love/love.js";
import { wordNgrams } from "../ngrams/word-ngrams.js";
import { bag } from "./bag.js";
import type { CharacterEncoder } from "./character-encoder.js";
import { type CharacterInputs, wordMask } from "./inputs.js";

export type CharacterEncoderKind = "love" | "bilstm" | "bag" | "ngrams";

export const characterEncoders: Readonly<Record<CharacterEncoderKind, CharacterEncoder>> = {
  ...{ love, bilstm, bag },
  ngrams: wordNgrams,
};

export interface CharacterEncoderOptions {
  readonly kind: CharacterEncoderKind;
  /** Prefix of all weights; default "characters". */
  readonly name?: string;
  /** Units that the text side knows, padding included: `WordReader.rows`. */
  readonly rows: number;
  /** Of the units' embeddings; LOVE's is 300. */
  readonly width: number;
  /** Positions of a word at most (bilstm: exactly), special units included; ngrams and bag do not look at it. */
  readonly positions: number;
  /** bilstm only: states of both directions together; default `width`. */
  readonly hidden?: number;
  /** Length of the phrase's vector; PEARL-small's is 96. Default: words are averaged and not reduced. */
  readonly outputs?: number;
}

/** Length of a word's vector. */
export const wordWidth = ({ kind, width, hidden = width }: CharacterEncoderOptions): number =>
  characterEncoders[kind].wordWidth?.(hidden) ?? width;

/** Every word's vector, of length 1: [words, {@link wordWidth}]. @throws ArgumentError for sizes that do not fit */
export function characterWords(net: Net, inputs: CharacterInputs, options: CharacterEncoderOptions): string {
  const { kind, name = "characters", width, hidden = width } = options;
  return characterEncoders[kind].words(net, inputs, { ...options, name, hidden });
}

/**
 * The phrase's vector: the mean of its words' vectors, reduced linearly without activation (weights
 * `reduction.weight` [outputs, width], `reduction.bias`). A phrase without words gets the reduction's bias.
 * @returns [phrases, outputs], or [phrases, {@link wordWidth}]
 */
export function characterEncoder(
  net: Net,
  inputs: CharacterInputs,
  options: CharacterEncoderOptions,
): string {
  const { name = "characters", outputs } = options;
  const hidden = net.g.add("Gather", [characterWords(net, inputs, options), firstForPadding(net, inputs)]);
  const phrases = meanPooling(net, { hidden, mask: wordMask(net, inputs) });
  if (outputs === undefined) return phrases;
  return linear(net, phrases, { name: `${name}.reduction`, inputs: wordWidth(options), outputs });
}

/** Row numbers with 0 instead of -1: masked afterwards, but never outside the table. */
const firstForPadding = ({ g }: Net, { words }: CharacterInputs): string =>
  g.add("Max", [words, g.scalar("int32", 0)]);
