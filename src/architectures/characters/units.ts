/** From a word's units to its vector: what character encoders share, and those that only add units up. */
import { normal } from "../../nn/initialise.js";
import { embedding } from "../../nn/layers.js";
import type { Net } from "../../nn/net.js";
import { l2Normalise, sumPooling } from "../../nn/pooling.js";
import type { SpellingEncoder } from "../pretraining.js";
import { type CharacterInputs, unitMask } from "./inputs.js";

export interface WordLayerOptions {
  /** Prefix of all weights, such as `embedding.weight` [rows, width] and `capital.weight` [2, width]. */
  readonly name: string;
  /** Units that the text side knows, padding included. */
  readonly rows: number;
  /** Of the units' embeddings. */
  readonly width: number;
  /** Positions of a word at most, special units included. */
  readonly positions: number;
  /** Length of a word's vector, where it can differ from `width`. */
  readonly hidden: number;
}

/** A character encoder: what its folder says of it, and its name. */
export interface CharacterEncoder extends Omit<SpellingEncoder, "start"> {
  /** Whether a word is the plain sum of its units. Their first vectors are then scaled by rarity. */
  readonly isSum: boolean;
  /** Every word's vector, of length 1: [words, word width]. @throws ArgumentError for sizes that do not fit */
  words(net: Net, inputs: CharacterInputs, options: WordLayerOptions): string;
}

export type WordEncoder = Omit<CharacterEncoder, "name">;

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

/** Sum over all positions except padding, at length 1: [words, positions, width] to [words, width]. */
export const wordVectors = (net: Net, hidden: string, inputs: CharacterInputs): string =>
  l2Normalise(net, sumPooling(net, { hidden, mask: unitMask(net, inputs) }));
