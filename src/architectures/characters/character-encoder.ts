/** What the character encoders differ in; each has a folder, and a row of encoder.ts. */
import type { Net } from "../../nn/net.js";
import type { WordUnitOptions } from "../../text/word-units.js";
import type { CharacterInputs } from "./inputs.js";
import type { UnitTableOptions } from "./units.js";

export interface WordLayerOptions extends UnitTableOptions {
  /** Positions of a word at most, special units included. */
  readonly positions: number;
  /** Length of a word's vector, where that is not `width`. */
  readonly hidden: number;
}

export interface CharacterEncoder {
  /** How words are read by default. */
  readonly units: WordUnitOptions;
  /** Width of the units' embeddings in a pretraining, by default. */
  readonly pretrainingWidth: number;
  /** Whether a pretraining can drop out values. */
  readonly hasDropout: boolean;
  /** Whether a word is the plain sum of its units, whose vectors then start scaled by their rarity. */
  readonly isSum: boolean;
  /** Length of a word's vector; default: the width of the units' embeddings. */
  wordWidth?(hidden: number): number;
  /** Every word's vector, of length 1: [words, word width]. @throws ArgumentError for sizes that do not fit */
  words(net: Net, inputs: CharacterInputs, options: WordLayerOptions): string;
}
