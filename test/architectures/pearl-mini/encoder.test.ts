/** The word encoder's gates. */
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { wordModelGraph, writeWordModel } from "../../../src/architectures/pearl-mini/model.js";
import {
  characterColumns,
  pearlMiniSizes,
  typeWidth,
  type WordEncoderSizes,
} from "../../../src/architectures/pearl-mini/sizes.js";
import { PhraseEncoder } from "../../../src/index.js";
import { fromSeed } from "../../../src/train.js";
import { testFolder } from "../../table/folder.js";

const { path } = testFolder();
const words = Array.from({ length: 20 }, (_, i) => `word${String.fromCharCode(97 + i)}`);
const reading = { minimum: 2, maximum: 4, buckets: 64, ngrams: 20, phraseLength: 14 };
const sizes: WordEncoderSizes = {
  ...{ ...pearlMiniSizes, vocabulary: words.length, buckets: 64, characters: 8, vectors: 8, width: 8 },
  ...{ heads: 2, feedForward: 16, layers: 1, meaning: 16, prefix: { characters: 4, meaning: 4 } },
};
const withCapital = { characters: 0.5, meaning: 0.3, types: 0.2 };
const word = { characters: 0.3, meaning: 0.6, types: 0.1 };
const phrase = { characters: 0.1, meaning: 0.85, types: 0.05 };
const gated: WordEncoderSizes = { ...sizes, gates: { withCapital, word, phrase } };

describe("constant gates", () => {
  let encoder: PhraseEncoder;
  beforeAll(async () => {
    const folder = join(path, "gated");
    await writeWordModel(folder, { weights: fromSeed(4), sizes: gated, words, reading });
    encoder = await PhraseEncoder.load(folder);
  });
  afterAll(() => encoder.dispose());

  /** Squared lengths of the parts of an embedding. */
  async function gatesOf(text: string) {
    const [row] = await encoder.encode([text]);
    const isSpelling = (i: number) => characterColumns(gated).some(([from, to]) => i >= from && i < to);
    const own = { characters: 0, meaning: 0, types: 0 };
    row.forEach((value, i) => {
      own[i < typeWidth(gated) ? "types" : isSpelling(i) ? "characters" : "meaning"] += value ** 2;
    });
    return own;
  }

  it.each([
    [withCapital, ["Worda", "wordb Wordc", "wordd eWord", "the NASA", "B2", "東京"]],
    [word, ["worda", "unknown", "7", "(wordb)", "été"]],
    [phrase, ["worda wordb", "the word of 1990", "covid-19", "wordc's"]],
  ])("are %o for %j", async (expected, texts) => {
    for (const text of texts) {
      const own = await gatesOf(text);
      for (const part of ["characters", "meaning", "types"] as const)
        expect(own[part], `${text}: ${part}`).toBeCloseTo(expected[part], 5);
    }
  });

  it("leave a phrase without words the zero vector", async () => {
    expect(await gatesOf("…")).toEqual({ characters: 0, meaning: 0, types: 0 });
  });

  it("need no gate layer", () => {
    const named = (own: WordEncoderSizes) =>
      wordModelGraph({ weights: fromSeed(4), sizes: own }).graph.initializers.has("share.weight");
    expect([named(sizes), named(gated)]).toEqual([true, false]);
  });
});
