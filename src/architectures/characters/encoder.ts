/** From a word's units to its vector, and from words' vectors to the phrase's: what all character encoders share. */
import { normal } from "../../nn/initialise.js";
import { embedding, linear } from "../../nn/layers.js";
import type { Net } from "../../nn/net.js";
import type { WordPooling } from "../../nn/pooling.js";
import { l2Normalise, maxPooling, meanPooling, sumPooling } from "../../nn/pooling.js";
import type { SpellingEncoder } from "../pretraining.js";
import { type CharacterInputs, unitMask } from "./inputs.js";

export interface WordLayerOptions {
  /** Prefix of all weights, such as `embedding.weight` [rows, width] and `capital.weight` [2, width]. */
  readonly name: string;
  /** Units that the text side knows, padding included: `WordReader.rows`. */
  readonly rows: number;
  /** Of the units' embeddings; LOVE's is 300. */
  readonly width: number;
  /** Positions of a word at most, special units included; exactly, where `padding` is "positions". */
  readonly positions: number;
  /** Length of the encoder's vectors, where it can differ from `width`. */
  readonly hidden: number;
  /** How positions become a word's vector; default: as the encoder has it. */
  readonly pooling?: WordPooling;
}

/** What the folder of a character encoder says of it. */
export interface CharacterEncoder extends Omit<SpellingEncoder, "start"> {
  /** Whether a word is the plain sum of its units. Their first vectors are then scaled by rarity. */
  readonly isSum?: true;
  /** Every word's vector, of length 1: [words, word width]. @throws ArgumentError for sizes that do not fit */
  words(net: Net, inputs: CharacterInputs, options: WordLayerOptions): string;
}

/**
 * A capital is its small letter plus one learned vector. The published code reads capitals as [UNK], which makes "IBM"
 * and "NBC" equal; separate rows for the capitals of all scripts would each be learned from few words.
 * @returns [words, positions, width]
 */
export function unitEmbeddings(net: Net, inputs: CharacterInputs, options: WordLayerOptions): string {
  const { name, rows, width } = options;
  const table = (part: string, count: number, ids: string) =>
    embedding(net, ids, { name: `${name}.${part}`, rows: count, width, initialiser: normal(0.1) });
  const units = table("embedding", rows, inputs.ids);
  return net.g.add("Add", [units, table("capital", 2, inputs.capitals)]);
}

/**
 * Sum over all positions except padding, or their largest values, at length 1: [words, positions, width] to
 * [words, width]. At length 1 a mean is the sum.
 */
export function wordVectors(
  net: Net,
  hidden: string,
  { inputs, pooling }: { readonly inputs: CharacterInputs } & Pick<WordLayerOptions, "pooling">,
): string {
  const masked = { hidden, mask: unitMask(net, inputs) };
  return l2Normalise(net, pooling === "max" ? maxPooling(net, masked) : sumPooling(net, masked));
}

/** Prefix of all weights of a character encoder. */
export const characterWeights = "characters";

/** An encoder and its sizes: `hidden` is the width by default. */
export interface CharacterEncoderOptions
  extends Omit<WordLayerOptions, "name" | "hidden">,
    Partial<Pick<WordLayerOptions, "hidden">> {
  readonly encoder: Pick<CharacterEncoder, "words">;
  /** Length of the phrase's vector; PEARL-small's is 96. Default: words are averaged and not reduced. */
  readonly outputs?: number;
}

/**
 * The phrase's vector: the mean of its words' vectors, reduced linearly (weights `reduction.weight` [outputs, width],
 * `reduction.bias`). A phrase without words gets the reduction's bias.
 * @returns [phrases, outputs] @throws ArgumentError for sizes that do not fit
 */
export function characterEncoder(net: Net, inputs: CharacterInputs, options: CharacterEncoderOptions) {
  const { g } = net;
  const { encoder, hidden = options.width, outputs } = options;
  const words = encoder.words(net, inputs, { ...options, name: characterWeights, hidden });
  // padding is -1: it reads row 0, which the mask leaves out
  const rows = g.add("Gather", [words, g.add("Max", [inputs.words, g.scalar("int32", 0)])]);
  const mask = g.cast(g.add("Greater", [inputs.words, g.scalar("int32", -1)]), "int32");
  const phrases = meanPooling(net, { hidden: rows, mask });
  if (outputs === undefined) return phrases;
  return linear(net, phrases, { name: `${characterWeights}.reduction`, inputs: hidden, outputs });
}
