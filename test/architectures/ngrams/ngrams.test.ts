/** Hashed n-grams as the inputs of a model, and as a character encoder. */
import { describe, expect, it } from "vitest";
import type { CountedPhrases, Featurizer, OpenSource } from "../../../src/architectures/architecture.js";
import { ngramPart } from "../../../src/architectures/ngrams/part.js";
import { hashedNgrams } from "../../../src/architectures/ngrams/reading.js";
import { encodeModel } from "../../../src/onnx/io/file.js";
import type { Model } from "../../../src/onnx/model.js";
import { createOrtSession } from "../../../src/runtime/ort-session.js";
import type { Feeds } from "../../../src/runtime/tensor.js";
import { hashNgrams } from "../../../src/text/hashed-ngrams.js";
import { createNet, fromSeed } from "../../../src/train.js";

const options = { minimum: 3, maximum: 5, buckets: 256, limit: 256 };
const feature = { kind: "hashed-ngrams", input: "ngram_ids", ...options } as const;

/** Buckets of a phrase's n-grams. */
function bucketsOf(phrase: string): number[] {
  const buffer = new Int32Array(options.limit);
  return [...buffer.subarray(0, hashNgrams(phrase, options, buffer).count)];
}

/** The inputs of a batch of all phrases, padded to `length`. */
function feedsOf(phrases: readonly string[], length: number): Feeds {
  const feeds: Feeds = {};
  const featurizer = ngramFeaturizer();
  featurizer.fill(featurizer.read(phrases).rows, Int32Array.from(phrases.keys()), length, feeds);
  return feeds;
}
const ngramFeaturizer = () => hashedNgrams.open(feature, {} as OpenSource) as Featurizer;

/** A new part's graph, with the vector as its output. */
function graphOf(phrases: CountedPhrases): Model {
  const net = createNet(fromSeed(1));
  const part = ngramPart({ from: "ngrams", width: 96, buckets: options.buckets }, phrases);
  net.g.output("vector", part.build(net));
  return net.g.model();
}

/** The vector of each bucket; the last row is that of the padding. */
function tableOf({ graph }: Model): Float32Array[] {
  const data = graph.initializers.get("ngrams.weight")?.data as Float32Array;
  return Array.from({ length: options.buckets + 1 }, (_, row) => data.subarray(row * 96, row * 96 + 96));
}

describe("the featurizer", () => {
  it("lists a phrase's buckets, and pads with the number behind the last bucket", () => {
    const buckets = bucketsOf("wine");
    const { ngram_ids: ids } = feedsOf(["wine", ""], buckets.length + 2);
    expect(ids.dims).toEqual([2, buckets.length + 2]);
    expect([...ids.data]).toEqual([...buckets, 256, 256, ...buckets.map(() => 256), 256, 256]);
  });

  it("counts phrases that have too many n-grams", () => {
    const { truncated, rows } = ngramFeaturizer().read(["wine", "extraordinarily ".repeat(20)]);
    expect(truncated).toBe(1);
    expect(rows.starts[2] - rows.starts[1]).toBe(options.limit);
  });
});

describe("the part", () => {
  it("is the sum of the n-grams' vectors over the root of their number, at any padding", async () => {
    const model = graphOf([["wine", 1]]);
    const session = await createOrtSession(encodeModel(model));
    const table = tableOf(model);
    const buckets = bucketsOf("wine");
    const { vector } = await session.run(feedsOf(["wine", ""], buckets.length + 3));
    await session.release();
    const values = Array.from(vector.data, Number);
    for (let i = 0; i < 96; i++) {
      const sum = buckets.reduce((total, bucket) => total + table[bucket][i], 0);
      expect(values[i]).toBeCloseTo(sum / Math.sqrt(buckets.length), 5);
      // a phrase without n-grams is the zero vector
      expect(values[96 + i]).toBe(0);
    }
  });

  it("starts with shorter vectors for n-grams that many phrases hold", () => {
    const phrases = Array.from({ length: 30 }, (_, i) => [`wine ${i}`, 1] as const);
    const table = tableOf(graphOf(phrases));
    const lengthOf = (bucket: number) => Math.hypot(...table[bucket]);
    const seen = new Set(phrases.flatMap(([phrase]) => bucketsOf(phrase)));
    const unseen = Array.from({ length: options.buckets }, (_, bucket) => bucket).filter(
      (bucket) => !seen.has(bucket),
    );
    const longest = Math.max(...bucketsOf("wine").map(lengthOf));
    expect(unseen.length).toBeGreaterThan(50);
    for (const bucket of unseen) expect(lengthOf(bucket)).toBeGreaterThan(2 * longest);
  });
});
