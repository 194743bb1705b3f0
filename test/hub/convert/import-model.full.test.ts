/** The slow tests beside import-model.test.ts. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { ModelError } from "../../../src/errors.js";
import { importModel } from "../../../src/hub/convert/import-model.js";
import { readSafetensors, writeSafetensors } from "../../../src/onnx/io/safetensors.js";
import { type Tensor, tensor } from "../../../src/onnx/tensor.js";
import { editJson, fixtureModel, largestError } from "../../encoder/fixture-models.js";
import { rawVectors } from "../../encoder/load.js";
import { withEnvironment } from "../../setup/environment.js";
import { newFolder } from "../../setup/new-folder.js";

async function imported(source: string): Promise<string> {
  const target = join(newFolder(), "out");
  await importModel(source, target);
  return target;
}

describe("pearl import gives PyTorch's vectors to 1e-5", () => {
  it("for bfloat16, which is float32 with fewer digits", async () => {
    const { folder, expected } = fixtureModel("roberta");
    const path = join(folder, "model.safetensors");
    const narrow = new Map<string, Tensor>();
    const wide = new Map<string, Tensor>();
    for (const [name, { type, dims, data }] of readSafetensors(path)) {
      if (type !== "float32") continue;
      const bits = Uint16Array.from(new Uint32Array((data as Float32Array).buffer), (word) => word >>> 16);
      narrow.set(name, { type: "bfloat16", dims, data: bits });
      const cut = Uint32Array.from(bits, (half) => half << 16);
      wide.set(name, { type: "float32", dims, data: new Float32Array(cut.buffer) });
    }
    writeSafetensors(path, wide);
    const plain = await rawVectors(await imported(folder), expected.phrases);
    writeSafetensors(path, narrow);
    const target = await imported(folder);
    const vectors = await rawVectors(target, expected.phrases);
    expect(vectors).toEqual(plain);
    expect(largestError(vectors, expected.pooled)).toBeGreaterThan(1e-4);
    expect(readFileSync(join(target, "README.md"), "utf8")).toContain("widened from bfloat16 to float32");
  });
});

describe("bad sources end in an error that names file, tensor, shapes and cure", () => {
  const edited = (name: "bert" | "roberta", changes: object): string => {
    const { folder } = fixtureModel(name);
    editJson(join(folder, "config.json"), changes);
    return folder;
  };
  const withTensors = (change: (tensors: Map<string, Tensor>) => void): string => {
    const { folder } = fixtureModel("roberta");
    const path = join(folder, "model.safetensors");
    const tensors = readSafetensors(path);
    change(tensors);
    writeSafetensors(path, tensors);
    return folder;
  };
  const query = "roberta.encoder.layer.1.attention.self.query.weight";

  it.each<[string, () => string, RegExp]>([
    [
      "an unknown family",
      () => edited("bert", { model_type: "t5" }),
      /config\.json: model_type is t5; .*bert, roberta.*onnx\/model\.onnx/,
    ],
    ["no family at all", () => edited("bert", { model_type: undefined }), /model_type is none/],
    ["a decoder", () => edited("bert", { is_decoder: true }), /is_decoder is set/],
    ["relative positions", () => edited("bert", { position_embedding_type: "relative_key" }), /relative_key/],
    [
      "a size that is missing",
      () => edited("bert", { intermediate_size: undefined }),
      /intermediate_size is undefined, expected a whole number above 0/,
    ],
    ["heads that do not divide", () => edited("bert", { num_attention_heads: 7 }), /not a multiple of \S+ 7/],
    [
      "more layers in the weights",
      () => edited("roberta", { num_hidden_layers: 1 }),
      /the model has 1 layers, but the weights have more/,
    ],
    [
      "fewer layers in the weights",
      () => edited("roberta", { num_hidden_layers: 3 }),
      /model\.safetensors: tensor roberta\.encoder\.layer\.2\.\S+ is missing; .*\[16, 16\]/,
    ],
    [
      "a vocabulary of another size",
      () => edited("roberta", { vocab_size: 99 }),
      /model\.safetensors: tensor roberta\.embeddings\.word_embeddings\.weight is \[\d+, 16\], expected \[99, 16\].*same model/,
    ],
    [
      "a missing tensor",
      () => withTensors((tensors) => tensors.delete(query)),
      new RegExp(`${query} is missing`),
    ],
    [
      "a misshaped tensor",
      () => withTensors((tensors) => tensors.set(query, tensor("float32", [16, 2], new Float32Array(32)))),
      new RegExp(`${query} is \\[16, 2\\], expected \\[16, 16\\]`),
    ],
    [
      "quantised weights",
      () => withTensors((tensors) => tensors.set(query, tensor("int8", [16, 16], new Int8Array(256)))),
      /is int8, expected float32.*unquantised/,
    ],
    [
      "weights of something else",
      () =>
        withTensors((tensors) => {
          for (const name of tensors.keys()) if (name.includes("embeddings")) tensors.delete(name);
        }),
      /not the weights of an encoder that config\.json describes/,
    ],
  ])("%s", async (_, source, message) => {
    const failure = imported(source());
    await expect(failure).rejects.toThrow(message);
    await expect(failure).rejects.toBeInstanceOf(ModelError);
  });
});

describe("PhraseEncoder.load of a folder without a graph", () => {
  const cache = newFolder();
  const withCache = <T>(work: () => Promise<T>): Promise<T> => withEnvironment({ HF_HOME: cache }, work);
  const kept = (): string[] => readdirSync(join(cache, "pearl", "imported"));

  it("imports it into the cache once, keyed by its contents", async () => {
    const { folder, expected } = fixtureModel("roberta");
    const first = await withCache(() => rawVectors(folder, expected.phrases));
    expect(largestError(first, expected.pooled)).toBeLessThan(1e-5);
    expect(kept()).toHaveLength(1);
    expect(existsSync(join(cache, "pearl", "imported", kept()[0], "roberta", "onnx", "model.onnx"))).toBe(
      true,
    );
    expect(await withCache(() => rawVectors(folder, expected.phrases))).toEqual(first);
    expect(kept()).toHaveLength(1);

    editJson(join(folder, "config.json"), { hidden_act: "relu" });
    const changed = await withCache(() => rawVectors(folder, expected.phrases));
    expect(largestError(changed, expected.pooled)).toBeGreaterThan(1e-3);
    expect(kept()).toHaveLength(2);
    expect(readdirSync(dirname(folder))).toEqual(["roberta"]);
  });
});
