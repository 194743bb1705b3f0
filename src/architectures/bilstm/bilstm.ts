/**
 * A BiLSTM over the characters of a word (as in Zaratiana, Tomeh, Holat and Charnois on string retrieval):
 * the last states of both directions, or the mean or largest of all states, at length 1.
 */
import { ArgumentError } from "../../errors.js";
import { l2Normalise } from "../../nn/pooling.js";
import { lstm } from "../../nn/recurrent.js";
import { type CharacterEncoder, unitEmbeddings, wordVectors } from "../characters/encoder.js";
import { unitMask } from "../characters/inputs.js";

export const bilstm: CharacterEncoder = {
  name: "bilstm",
  description: "a BiLSTM over the characters of a word",
  // each step is written out, so words are padded to the same number of positions
  units: { units: "characters", positions: 26, phraseLength: 32, padding: "positions" },
  width: 128,
  hasStates: true,
  words(net, inputs, options) {
    const { name, width, positions, hidden, pooling } = options;
    if (hidden % 2 !== 0)
      throw new ArgumentError(`a BiLSTM's two directions share ${hidden} states: give an even number`);
    const x = unitEmbeddings(net, inputs, options);
    const shape = { name: `${name}.lstm`, inputs: width, width: hidden / 2, steps: positions };
    const mask = unitMask(net, inputs);
    const forward = lstm(net, { x, mask }, shape);
    const backward = lstm(net, { x, mask }, { ...shape, direction: "backward" });
    const both = (part: "hidden" | "last", axis: number) =>
      net.g.add("Concat", [forward[part], backward[part]], { axis });
    return pooling === undefined
      ? l2Normalise(net, both("last", 1))
      : wordVectors(net, both("hidden", 2), { inputs, pooling });
  },
};
