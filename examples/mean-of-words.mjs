/** A custom architecture: a phrase is the mean of its word embeddings. Used by own-architecture.mjs. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { concatenate, embedding, meanPooling } from "pearl-embeddings";

const INPUT = "mean_word_ids";
const FILE = "mean-words.txt";
const wordsOf = (phrase) => phrase.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

export default {
  kind: "mean-of-words",
  files: [FILE],
  inputs: () => [INPUT],

  /** Maps phrases to word ids: 0 is padding, 1 an unknown word. */
  async open(_feature, { folder }) {
    const words = (await readFile(join(folder.path, FILE), "utf8")).trim().split("\n");
    const numbers = new Map(words.map((word, i) => [word, i + 2]));
    return {
      read(phrases) {
        const rows = phrases.map((phrase) =>
          Int32Array.from(wordsOf(phrase), (word) => numbers.get(word) ?? 1),
        );
        return { rows: concatenate(rows), truncated: 0 };
      },
      fill({ ids, starts }, batch, length, feeds) {
        const data = new Int32Array(batch.length * length);
        batch.forEach((row, i) => {
          data.set(ids.subarray(starts[row], starts[row + 1]), i * length);
        });
        feeds[INPUT] = { type: "int32", dims: [batch.length, length], data };
      },
    };
  },

  /** Builds a new model, with the words of the phrases as vocabulary. */
  parts: {
    "mean-of-words": ({ width = 32 }, phrases) => {
      const words = [...new Set([...phrases].flatMap(([phrase]) => wordsOf(phrase)))];
      return {
        features: [{ kind: "mean-of-words" }],
        width,
        files: { [FILE]: `${words.join("\n")}\n` },
        build(net) {
          const ids = net.g.input(INPUT, "int32", ["batch", "length"]);
          const hidden = embedding(net, ids, { name: "words", rows: words.length + 2, width });
          return meanPooling(net, { hidden, mask: net.g.add("Sign", [ids]) });
        },
      };
    },
  },
};
