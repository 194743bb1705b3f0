/** A tagger that learns from a few sentences, alone and with a source of other tags. */
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
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

  it("learns transitions from a source, and is the same after it was written", async () => {
    const sentence = { tokens: ["The", "ferry", "was", "late"], tags: ["O", "BOAT", "O", "O"] };
    const source = Array.from({ length: 12 }, () => sentence);
    const { tagger } = await trainTagger(support, { encoder, source });
    expect(tagger.transitions!.inside.outside).toBeGreaterThan(0.8);
    const path = join(newFolder(), "tagger.json");
    await writeTagger(path, tagger);
    const read = await readTagger(path);
    expect(read).toEqual(tagger);
    const tagged = await tagSentences([other], tagger, { encoder });
    expect(await tagSentences([other], read, { encoder })).toEqual(tagged);
  });

  it("of an earlier version with a learned layer is refused, since it would give other tags", async () => {
    const path = join(newFolder(), "tagger.json");
    const { tagger } = await trainTagger(support, { encoder });
    await writeTagger(path, Object.assign(tagger, { projection: { weight: "AACAPw==", bias: "" } }));
    await expect(readTagger(path)).rejects.toThrow(/tagger\.json.*projection/);
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
