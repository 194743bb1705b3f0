/** Embeddings of the units of words, with case as one vector more, and from a word's units to its unit vector. */
import { normal } from "../../nn/initialise.js";
import { embedding } from "../../nn/layers.js";
import type { Net } from "../../nn/net.js";
import { l2Normalise, sumPooling } from "../../nn/pooling.js";
import { type CharacterInputs, unitMask } from "./inputs.js";

export interface UnitTableOptions {
  /** Prefix of the weights `embedding.weight` [rows, width] and `capital.weight` [2, width]. */
  readonly name: string;
  /** Units that the text side knows, padding included. */
  readonly rows: number;
  readonly width: number;
}

/**
 * A capital is its small letter plus one learned vector. The published code reads capitals as [UNK], which
 * makes "IBM" and "NBC" equal; rows of their own for capitals would be many (every script has some), and each
 * would be learned from the few words that begin with it.
 * @returns [words, positions, width]
 */
export function unitEmbeddings(net: Net, inputs: CharacterInputs, options: UnitTableOptions): string {
  const { name, rows, width } = options;
  const table = (part: string, count: number, ids: string) =>
    embedding(net, ids, { name: `${name}.${part}`, rows: count, width, initialiser: normal(0.1) });
  const units = table("embedding", rows, inputs.ids);
  return net.g.add("Add", [units, table("capital", 2, inputs.capitals)]);
}

/** Sum over what is no padding, at length 1: [words, positions, width] to [words, width]. */
export const wordVectors = (net: Net, hidden: string, inputs: CharacterInputs): string =>
  l2Normalise(net, sumPooling(net, { hidden, mask: unitMask(net, inputs) }));
