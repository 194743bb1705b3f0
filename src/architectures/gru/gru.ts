/**
 * A GRU over the words of a phrase, as QuickThoughts encodes sentences (Logeswaran and Lee, 2018, section 4): the last
 * state, or the mean or largest of all states. A word is the sum of its hashed n-grams, the whole word among them, instead
 * of a row of a vocabulary: so that no word is unknown, and names that are spelled alike begin alike.
 */
import { maxPooling, meanPooling } from "../../nn/pooling.js";
import { gru as gruLayer } from "../../nn/recurrent.js";
import { type CharacterEncoder, unitEmbeddings, wordVectors } from "../characters/encoder.js";

export const gru: CharacterEncoder = {
  name: "gru",
  description: "a GRU over the words of a phrase, each the sum of its hashed character n-grams",
  units: {
    ...{ units: "ngrams", positions: 128, phraseLength: 40 },
    ngrams: { minimum: 2, maximum: 4, buckets: 2 ** 15 },
    // each step is written out, so phrases are padded to the same number of words
    padding: "words",
  },
  width: 128,
  hasStates: true,
  words: (net, inputs, options) => wordVectors(net, unitEmbeddings(net, inputs, options), { inputs }),
  phrases(net, { hidden: x, mask }, { name, width, hidden, phraseLength: steps, pooling }) {
    const states = gruLayer(net, { x, mask }, { name: `${name}.gru`, inputs: width, width: hidden, steps });
    if (pooling === undefined) return states.last;
    return (pooling === "max" ? maxPooling : meanPooling)(net, { hidden: states.hidden, mask });
  },
};
