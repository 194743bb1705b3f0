import { truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { PhraseEncoder } from "../../src/encoder/phrase-encoder.js";
import { ArgumentError, ModelError } from "../../src/errors.js";
import { createRandom } from "../../src/random.js";
import { newFolder } from "../setup/new-folder.js";
import { load } from "./load.js";
import { makeOracleModel, oracleBatch, oracleExports } from "./oracle-model.js";

function largestDifference(a: ArrayLike<number>, b: ArrayLike<number>): number {
  expect(a.length).toBe(b.length);
  let largest = 0;
  for (let i = 0; i < a.length; i++) largest = Math.max(largest, Math.abs(a[i] - b[i]));
  return largest;
}

const cosine = (a: Float32Array, b: Float32Array): number =>
  a.reduce((sum, value, i) => sum + value * b[i], 0);

/** Different phrases of 1 to 20 words. */
function manyPhrases(count: number): string[] {
  let state = 7;
  const next = (limit: number): number => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return (state >>> 8) % limit;
  };
  return Array.from({ length: count }, (_, i) =>
    [`t${103 + (i % 390)}`, ...Array.from({ length: next(20) }, () => `t${103 + next(390)}`)].join(" "),
  );
}

describe("PhraseEncoder on PyTorch's encoders", () => {
  it.each(oracleExports)("gives PyTorch's vectors to 1e-5: %s", async (graph) => {
    const encoder = await load(makeOracleModel(graph));
    const { phrases, embeddings } = oracleBatch();
    const vectors = await encoder.encode(phrases, { normalize: false });
    vectors.forEach((vector, row) => expect(largestDifference(vector, embeddings[row])).toBeLessThan(1e-5));
  });

  it("gives a phrase the same vector alone, in a batch of 600 and on other threads", async () => {
    const folder = makeOracleModel("encoder.folded.onnx");
    const [one, two] = [await load(folder, { threads: 1 }), await load(folder, { threads: 2 })];
    const phrases = manyPhrases(600);
    const together = await two.encode(phrases);
    const alone = await one.encode([phrases[17]]);
    const small = await one.encode(phrases.slice(500), { batchSize: 3 });
    expect(largestDifference(together[17], alone[0])).toBeLessThan(1e-5);
    small.forEach((vector, i) => expect(largestDifference(vector, together[500 + i])).toBeLessThan(1e-5));
  });

  it("counts the tokens that the graph reads of each phrase, none of an empty one", async () => {
    const encoder = await load(makeOracleModel("encoder.folded.onnx"));
    const { phrases, tokens } = oracleBatch();
    const counted = await encoder.encodeWithTokens([...phrases, "", phrases[0]]);
    expect([...counted.tokens]).toEqual([...tokens, 0, tokens[0]]);
    expect(counted.data).toEqual((await encoder.encodeMatrix([...phrases, "", phrases[0]])).data);
  });

  it("returns rows in the input's order, equal phrases once, unit length", async () => {
    const encoder = await load(makeOracleModel("encoder.folded.onnx"));
    const phrases = ["t200 t201 t202", "t300", "t200 t201 t202", "", "t300 t301"];
    const matrix = await encoder.encodeMatrix(phrases);
    expect(matrix).toMatchObject({ rows: 5, dimension: 32, distinct: 3, empty: 1, truncated: 0 });
    const rows = await encoder.encode(phrases);
    expect(rows[0]).toEqual(rows[2]);
    expect(rows[3]).toEqual(new Float32Array(32));
    for (const row of [0, 1, 4]) expect(cosine(rows[row], rows[row])).toBeCloseTo(1, 6);
    const single = await encoder.encode([phrases[4]]);
    expect(largestDifference(rows[4], single[0])).toBeLessThan(1e-5);
  });

  it("truncates to the model's length and counts it", async () => {
    const encoder = await load(makeOracleModel("encoder.folded.onnx"));
    const words = Array.from({ length: 100 }, (_, i) => `t${110 + i}`);
    const long = await encoder.encodeMatrix([words.join(" "), words.slice(0, 62).join(" ")]);
    expect(long.truncated).toBe(1);
    expect(largestDifference(long.data.subarray(0, 32), long.data.subarray(32))).toBeLessThan(1e-6);
  });

  it("truncates dimensions before scaling, and puts a prompt before each phrase", async () => {
    const encoder = await load(makeOracleModel("encoder.folded.onnx"));
    const [raw] = await encoder.encode(["t150 t151"], { normalize: false });
    const [short] = await encoder.encode(["t150 t151"], { truncateDim: 8 });
    const length = Math.hypot(...raw.subarray(0, 8));
    expect(
      largestDifference(
        short,
        raw.subarray(0, 8).map((x) => x / length),
      ),
    ).toBeLessThan(1e-6);
    const [prompted] = await encoder.encode(["t151"], { normalize: false, prompt: "t150 " });
    expect(largestDifference(prompted, raw)).toBeLessThan(1e-5);
  });

  it("pools as 1_Pooling/config.json says", async () => {
    const mean = await load(makeOracleModel("encoder.folded.onnx"));
    const folder = makeOracleModel("encoder.folded.onnx");
    const { mkdirSync } = await import("node:fs");
    mkdirSync(join(folder, "1_Pooling"));
    writeFileSync(join(folder, "1_Pooling", "config.json"), JSON.stringify({ pooling_mode_cls_token: true }));
    const cls = await load(folder);
    const [a] = await mean.encode(["t150 t151"]);
    const [b] = await cls.encode(["t150 t151"]);
    expect(largestDifference(a, b)).toBeGreaterThan(1e-3);
  });

  it("computes in int8, near to full precision", async () => {
    const folder = makeOracleModel("encoder.folded.onnx");
    const [full, int8] = [await load(folder), await load(folder, { precision: "int8" })];
    const phrases = manyPhrases(50);
    const [a, b] = [await full.encode(phrases), await int8.encode(phrases)];
    const cosines = a.map((vector, row) => cosine(vector, b[row]));
    expect(Math.min(...cosines)).toBeGreaterThan(0.98);
    expect(Math.max(...cosines)).toBeLessThan(0.9999999);
    expect(await full.fingerprint()).not.toBe(await int8.fingerprint());
  });

  it("stops between batches when the signal aborts, and can be used again", async () => {
    const encoder = await load(makeOracleModel("encoder.folded.onnx"));
    const controller = new AbortController();
    const work = encoder.encode(manyPhrases(20_000), {
      signal: controller.signal,
      onProgress: () => controller.abort(),
    });
    await expect(work).rejects.toHaveProperty("name", "AbortError");
    expect(await encoder.encode(["t200"])).toHaveLength(1);
  });

  it("keeps the event loop free while it encodes", async () => {
    const encoder = await load(makeOracleModel("encoder.folded.onnx"));
    let ticks = 0;
    const timer = setInterval(() => ticks++, 5);
    await encoder.encode(manyPhrases(8000));
    clearInterval(timer);
    expect(ticks).toBeGreaterThan(3);
  });

  it("names a truncated graph, a foreign file and an unknown input", async () => {
    const cut = makeOracleModel("encoder.folded.onnx");
    truncateSync(join(cut, "onnx", "model.onnx"), 90_000);
    await expect(load(cut)).rejects.toThrow(/model\.onnx/);
    const foreign = makeOracleModel("encoder.folded.onnx");
    writeFileSync(join(foreign, "onnx", "model.onnx"), "not a graph at all");
    await expect(load(foreign)).rejects.toThrow(ModelError);
    const odd = makeOracleModel("encoder.folded.onnx", {
      "config.json": JSON.stringify({
        pearl: {
          dimension: 32,
          features: [
            { kind: "hashed-ngrams", input: "ngram_ids", minimum: 3, maximum: 4, buckets: 8, limit: 9 },
          ],
        },
      }),
    });
    await expect(load(odd)).rejects.toThrow(/inputs that pearl does not know: input_ids/);
  });
});

describe("PhraseEncoder with the embedded model", () => {
  it("finds the spelling variant nearer than another name", async () => {
    const encoder = await load();
    const [scores] = await encoder.similarity(
      ["New York Times"],
      ["The New York Times", "Los Angeles Times"],
    );
    expect(scores[0]).toBeGreaterThan(scores[1]);
    expect(scores[0]).toBeGreaterThan(0.8);
  });

  it("takes any text: emoji, right-to-left, combining marks, NUL, lone surrogates, 1 MB", async () => {
    const encoder = await load();
    const phrases = [
      "🦪 pearl",
      "القاهرة",
      "e\u0301cole",
      "école",
      "a\0b",
      "\ud800",
      "x".repeat(1_000_000),
      "\u200b",
    ];
    const matrix = await encoder.encodeMatrix(phrases);
    expect(matrix.data.every(Number.isFinite)).toBe(true);
    expect(matrix).toMatchObject({ truncated: 1, empty: 1 });
    const row = (i: number): Float32Array =>
      matrix.data.subarray(i * matrix.dimension, (i + 1) * matrix.dimension);
    expect(cosine(row(2), row(3))).toBeCloseTo(1, 6);
  });

  it("gives the same bytes with one thread and with two", async () => {
    const random = createRandom(11);
    const syllables = ["mar", "tin", "ber", "lo", "ka", "ster", "dam", "ville", "ro", "sen", "burg", "al"];
    const part = (): string => syllables[Math.floor(random() * syllables.length)];
    const name = (): string =>
      `${part()}${part()}${part()} ${part()}${part()}${random() < 0.5 ? part() : ""}`;
    const names = Array.from({ length: 9000 }, name);
    const [one, two] = await Promise.all(
      [1, 2].map(async (threads) => (await (await load(undefined, { threads })).encodeMatrix(names)).data),
    );
    expect(Buffer.compare(Buffer.from(one.buffer), Buffer.from(two.buffer))).toBe(0);
  });

  it("encodes 10,000 equal rows once", async () => {
    const encoder = await load();
    const matrix = await encoder.encodeMatrix(new Array(10_000).fill("Zürich"));
    expect(matrix).toMatchObject({ rows: 10_000, distinct: 1 });
    expect(matrix.data.subarray(0, 600)).toEqual(matrix.data.subarray(9_999 * 600));
  });

  it("refuses arguments out of range", async () => {
    const encoder = await load();
    await expect(encoder.encode(["a"], { truncateDim: 601 })).rejects.toThrow(/between 1 and 600/);
    await expect(encoder.encode(["a"], { batchSize: 0 })).rejects.toThrow(ArgumentError);
    await expect(encoder.encode("abc" as unknown as string[])).rejects.toThrow(/array of strings/);
    await expect(encoder.encode([3] as unknown as string[])).rejects.toThrow(/phrase 0 is number/);
    expect(await encoder.encode([])).toEqual([]);
  });

  it("explains what is wrong with a model's path", async () => {
    await expect(load("no/such/model/pearl-string")).rejects.toThrow(/did you mean pearl-strings/);
    await expect(load("package.json")).rejects.toThrow(/not a file/);
    const empty = newFolder();
    await expect(load(empty)).rejects.toThrow(/config\.json is missing/);
    writeFileSync(join(empty, "config.json"), "{");
    await expect(load(empty)).rejects.toThrow(/not valid JSON/);
    writeFileSync(join(empty, "config.json"), "{}");
    await expect(load(empty)).rejects.toThrow(/onnx\/model\.onnx is missing/);
  });

  it("opens the model on the device given in the call", async () => {
    const encoder = await load();
    const [here] = await encoder.encode(["Zürich"]);
    const [there] = await encoder.encode(["Zürich"], { device: "auto" });
    expect(there).toEqual(here);
    await expect(encoder.encode(["Zürich"], { device: "cuda" })).rejects.toThrow(/cuda does not work here/);
    expect(await encoder.encode(["Zürich"])).toEqual([here]);
  });

  it("refuses work after dispose", async () => {
    const encoder = await PhraseEncoder.load();
    await encoder.dispose();
    await expect(encoder.encode(["a"])).rejects.toThrow("This encoder was disposed. Load it again.");
  });

  it("refuses a call that looks for its device at dispose", async () => {
    const encoder = await PhraseEncoder.load();
    const call = encoder.encode(["a"], { device: "auto" });
    const refused = expect(call).rejects.toThrow("This encoder was disposed. Load it again.");
    await encoder.dispose();
    await refused;
  });
});

describe("vectors with types", () => {
  it("equal those of encoding, and the probabilities equal those of typing", async () => {
    const encoder = await load("pearl-mini");
    const phrases = ["The New York Times", "in the end", "", "Paris", "The New York Times"];
    const { data, types, dimension, distinct, empty } = await encoder.encodeWithTypes(phrases);
    expect({ dimension, distinct, empty }).toEqual({ dimension: encoder.dimension, distinct: 3, empty: 1 });
    expect(largestDifference(data, (await encoder.encodeMatrix(phrases)).data)).toBeLessThan(1e-6);
    const labels = encoder.model.types;
    const predicted = await encoder.types(phrases);
    phrases.forEach((phrase, row) => {
      const own = new Map(predicted[row].map(({ type, probability }) => [type, probability]));
      const expected = labels.map((label) => (phrase === "" ? 0 : own.get(label)!));
      expect(
        largestDifference(types.subarray(row * labels.length, (row + 1) * labels.length), expected),
      ).toBeLessThan(1e-6);
    });
    const short = await encoder.encodeWithTypes(phrases, { truncateDim: 8, normalize: false });
    const raw = await encoder.encodeMatrix(phrases, { truncateDim: 8, normalize: false });
    expect(largestDifference(short.data, raw.data)).toBeLessThan(1e-5);
    expect(largestDifference(short.types, types)).toBeLessThan(1e-6);
  });

  it("are refused if the model has no type head", async () => {
    const encoder = await load("pearl-strings");
    await expect(encoder.encodeWithTypes(["a"])).rejects.toThrow(/pearl-strings has no type head/);
  });
});

describe("the embedded model", () => {
  it.each([
    ["NYTimes", "The New York Times", ["Los Angeles Times", "Financial Times", "New York Post", "Time Inc."]],
    [
      "2008 Ashes series",
      "Ashes series (2008)",
      ["2009 Ashes series", "2006 Ashes series", "2008 Asia series"],
    ],
  ])("holds %s for %s", async (query, right, wrong) => {
    const encoder = await load("pearl-mini");
    const [[cosine, ...others]] = await encoder.similarity([query], [right, ...wrong]);
    expect(cosine).toBeGreaterThan(Math.max(...others));
  });
});
