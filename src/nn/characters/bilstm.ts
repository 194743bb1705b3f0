/**
 * A BiLSTM over the characters of a word (as in Zaratiana, Tomeh, Holat and Charnois on string retrieval):
 * the last states of both directions, at length 1.
 */

import { lstm } from "../lstm.js";
import type { Net } from "../net.js";
import { l2Normalise } from "../pooling.js";
import { type CharacterInputs, unitMask } from "./inputs.js";
import { type UnitTableOptions, unitEmbeddings } from "./units.js";

export interface BilstmOptions extends UnitTableOptions {
  /** Positions of every word: the text side pads to it, since each step is written out. */
  readonly positions: number;
  /** States of both directions together; even. */
  readonly hidden: number;
}

/** @returns [words, hidden] */
export function bilstmWords(net: Net, inputs: CharacterInputs, options: BilstmOptions): string {
  const { g } = net;
  const { name, width, positions, hidden } = options;
  const x = unitEmbeddings(net, inputs, options);
  const shape = { name: `${name}.lstm`, inputs: width, width: hidden / 2, steps: positions };
  const mask = unitMask(net, inputs);
  const forward = lstm(net, { x, mask }, shape).last;
  const backward = lstm(net, { x, mask }, { ...shape, direction: "backward" }).last;
  return l2Normalise(net, g.add("Concat", [forward, backward], { axis: 1 }));
}
