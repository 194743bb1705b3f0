/** A tagger that learns from a few sentences, alone and with a source of other tags. */
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { placesOf, tokenFeatures, withProjection } from "../../../src/fewshot/tag/projection.js";
import {
  ModelError,
  PhraseEncoder,
  readTagged,
  readTagger,
  type TaggedSentence,
  tagSentences,
  trainTagger,
  writeTagger,
} from "../../../src/index.js";
import { newFolder } from "../../setup/new-folder.js";

const other = { tokens: ["Niels", "Bohr", "was", "born", "in", "Copenhagen", "."] };

let encoder: PhraseEncoder;
let support: readonly TaggedSentence[];
beforeAll(async () => {
  encoder = await PhraseEncoder.load();
  ({ sentences: support } = await readTagged("data/sentences.tsv", "required"));
});
afterAll(() => encoder.dispose());

describe("a tagger", () => {
  it("finds spans that its sentences do not have, and estimates how well", async () => {
    const { tagger, estimate } = await trainTagger(support, { encoder });
    const [tags] = await tagSentences([other], tagger, { encoder });
    expect(tags).toEqual(["PERSON", "PERSON", "O", "O", "O", "PLACE", "O"]);
    expect(estimate!.f1).toBeGreaterThan(0.5);
    expect((await trainTagger(support.slice(0, 1), { encoder })).estimate).toBeUndefined();
  });

  it("gives a sentence the same tags alone and among others", async () => {
    const { tagger } = await trainTagger(support, { encoder });
    const [alone] = await tagSentences([other], tagger, { encoder });
    const among = await tagSentences([...support, other], tagger, { encoder });
    expect(among.at(-1)).toEqual(alone);
    // its own sentences are their own nearest neighbours
    expect(among.slice(0, -1)).toEqual(support.map(({ tags }) => tags));
  });

  it("learns a representation and transitions from a source, and is the same after it was written", async () => {
    const names = { BOAT: ["ferry", "boat"], BODY: ["doctor", "bridge"] };
    const source = Array.from({ length: 12 }, (_, i) => {
      const [tag, words] = Object.entries(names)[i % 2];
      return { tokens: ["The", words[i % 3 === 0 ? 0 : 1], "was", "late"], tags: ["O", tag, "O", "O"] };
    }).flatMap((sentence) => [sentence, sentence]);
    const { tagger } = await trainTagger(support, { encoder, source, steps: 3 });
    expect(tagger.transitions!.inside.outside).toBeGreaterThan(0.8);
    expect((await trainTagger(support, { encoder, source })).tagger).toEqual({
      ...tagger,
      projection: undefined,
    });
    const path = join(newFolder(), "tagger.json");
    await writeTagger(path, tagger);
    const read = await readTagger(path);
    expect(read).toEqual(tagger);
    const tagged = await tagSentences([other], tagger, { encoder });
    expect(await tagSentences([other], read, { encoder })).toEqual(tagged);
    await expect(trainTagger(support, { encoder, source: source.slice(0, 2), steps: 1 })).rejects.toThrow(
      "the source has 0 tags with at least 10 tokens",
    );
  });

  it("puts tokens of one tag together, in what it learned, that are apart in the features", async () => {
    const words = { BOAT: ["ferry", "canoe", "yacht", "tug"], BODY: ["doctor", "bridge", "baker", "poet"] };
    const source = Object.entries(words).flatMap(([tag, names]) =>
      names.flatMap((name) => Array.from({ length: 6 }, () => ({ tokens: [name], tags: [tag] }))),
    );
    const { projection } = (await trainTagger(support, { encoder, source, steps: 40 })).tagger;
    const features = await tokenFeatures(encoder, placesOf(source));
    const { data, dimension } = withProjection(features, projection!);
    /** Mean cosine of rows with one tag less that of rows with two. */
    const contrast = (from: number, to: number): number => {
      const cosines: [number[], number[]] = [[], []];
      for (let a = 0; a < source.length; a++)
        for (let b = 0; b < a; b++) {
          const [x, y] = [a, b].map((row) => data.subarray(row * dimension + from, row * dimension + to));
          cosines[source[a].tags[0] === source[b].tags[0] ? 0 : 1].push(
            2 * x.reduce((sum, value, i) => sum + value * y[i], 0),
          );
        }
      const [same, different] = cosines.map(
        (values) => values.reduce((sum, value) => sum + value) / values.length,
      );
      return same - different;
    };
    const before = contrast(0, features.dimension);
    expect(before).toBeLessThan(0.3);
    expect(contrast(features.dimension, dimension)).toBeGreaterThan(before + 0.5);
  });

  it("compares tokens by features and learned representation, both at length 1 / √2", () => {
    const rows = { data: Float32Array.of(0, 1), dimension: 2 };
    // the second input is mapped to (2, 0), the bias adds (1, 4)
    const projection = { weight: Float32Array.of(9, 2, 9, 0), bias: Float32Array.of(1, 4) };
    const { data, dimension } = withProjection(rows, projection);
    expect(dimension).toBe(4);
    [0, Math.SQRT1_2, 0.6 * Math.SQRT1_2, 0.8 * Math.SQRT1_2].forEach((value, i) => {
      expect(data[i]).toBeCloseTo(value, 6);
    });
  });

  it("can be stopped while tokens are compared", async () => {
    const long = Array.from({ length: 100 }, () => support[0]);
    const controller = new AbortController();
    const encodeWithTypes = encoder.encodeWithTypes.bind(encoder);
    vi.spyOn(encoder, "encodeWithTypes").mockImplementationOnce(async (...given) => {
      const encoded = await encodeWithTypes(...given);
      setImmediate(() => controller.abort());
      return encoded;
    });
    const training = trainTagger(long, { encoder, signal: controller.signal });
    await expect(training).rejects.toHaveProperty("name", "AbortError");
  });

  it("needs a span, and the model that it learned with", async () => {
    const plain = support.map(({ tokens }) => ({ tokens, tags: tokens.map(() => "O") }));
    await expect(trainTagger(plain, { encoder })).rejects.toThrow("no sentence of the support has a span");
    await expect(trainTagger([...support, { ...other, tags: [] }], { encoder })).rejects.toThrow(
      '"Niels Bohr was born in Copenhagen ." has 7 tokens and 0 tags',
    );
    const { tagger } = await trainTagger(support, { encoder });
    await expect(tagSentences([other], tagger, { encoder, decoding: "viterbi" })).rejects.toThrow(
      "the tagger has no transitions, which Viterbi needs: train it with --source",
    );
    const foreign = { ...tagger, model: { name: "another", fingerprint: "0" } };
    await expect(tagSentences([other], foreign, { encoder })).rejects.toThrow(ModelError);
    await expect(readTagger("nowhere.json")).rejects.toThrow(/no such file.*pearl tag train/);
  });
});
