/** Static models: the means of token vectors are worked out by hand, and equal model2vec 0.10's for the same files. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { sealFolder } from "../../../src/files/sealed-folder.js";
import { exportSafetensors } from "../../../src/hub/convert/export-safetensors.js";
import { importModel } from "../../../src/hub/convert/import-model.js";
import { readModel, writeModel } from "../../../src/onnx/io/file.js";
import { readSafetensors, writeSafetensors } from "../../../src/onnx/io/safetensors.js";
import { type Tensor, tensor } from "../../../src/onnx/tensor.js";
import { largestError, readJsonFile } from "../../encoder/fixture-models.js";
import { rawVectors } from "../../encoder/load.js";
import { newFolder } from "../../setup/new-folder.js";

const words = ["[PAD]", "[UNK]", "new", "york", "##s"];
const rows = [
  [0, 0, 0],
  [9, 9, 9],
  [3, 0, 0],
  [0, 4, 0],
  [0, 0, 5],
];

function staticModel(config: object, tensors: Record<string, Tensor>): string {
  const folder = newFolder();
  mkdirSync(folder, { recursive: true });
  const write = (name: string, value: object) => writeFileSync(join(folder, name), JSON.stringify(value));
  write("config.json", { model_type: "model2vec", architectures: ["StaticModel"], hidden_dim: 3, ...config });
  const vocab = Object.fromEntries(words.map((word, id) => [word, id]));
  const ofWords = { type: "WordPiece", unk_token: "[UNK]", continuing_subword_prefix: "##", vocab };
  const special = words
    .slice(0, 2)
    .map((content, id) => ({ id, content, special: true, single_word: false }));
  write("tokenizer.json", {
    ...{ version: "1.0", truncation: null, padding: null, post_processor: null, decoder: null },
    added_tokens: special.map((token) => ({ ...token, lstrip: false, rstrip: false, normalized: false })),
    normalizer: {
      type: "BertNormalizer",
      clean_text: true,
      handle_chinese_chars: true,
      strip_accents: null,
      lowercase: true,
    },
    pre_tokenizer: { type: "BertPreTokenizer" },
    model: { ...ofWords, max_input_chars_per_word: 100 },
  });
  write("modules.json", [
    { idx: 0, name: "0", path: ".", type: "sentence_transformers.models.StaticEmbedding" },
  ]);
  writeSafetensors(join(folder, "model.safetensors"), new Map(Object.entries(tensors)));
  return folder;
}

async function vectorsOf(source: string, phrases: string[]) {
  const target = join(newFolder(), "out");
  await importModel(source, target);
  return rawVectors(target, phrases);
}

const table = tensor("float32", [5, 3], rows.flat());

describe("a static model", () => {
  it("gives the mean of a phrase's tokens, without unknown ones", async () => {
    const folder = staticModel({}, { embeddings: table });
    const vectors = await vectorsOf(folder, ["New York", "york", "new yorks", "new qqq york"]);
    const expected = [
      [1.5, 2, 0],
      [0, 4, 0],
      [1, 4 / 3, 5 / 3],
      [1.5, 2, 0],
    ];
    expect(largestError(vectors, expected)).toBeLessThan(1e-6);
  });

  it("scales to length 1 where its settings say so", async () => {
    const folder = staticModel({ normalize: true }, { embeddings: table });
    expect(largestError(await vectorsOf(folder, ["new york"]), [[0.6, 0.8, 0]])).toBeLessThan(1e-6);
  });

  it("shares vectors between tokens and weighs them", async () => {
    // "new" and "york" have one vector of 8 bits, at weights 2 and .5.
    const folder = staticModel(
      { normalize: false },
      {
        embeddings: tensor("int8", [3, 3], [0, 0, 0, 4, -8, 0, 0, 0, 6]),
        mapping: tensor("int64", [5], BigInt64Array.from([0, 0, 1, 1, 2].map(BigInt))),
        weights: tensor("float32", [5], [1, 1, 2, 0.5, 1]),
      },
    );
    const vectors = await vectorsOf(folder, ["new york", "new yorks"]);
    expect(
      largestError(vectors, [
        [5, -10, 0],
        [10 / 3, -20 / 3, 2],
      ]),
    ).toBeLessThan(1e-6);
  });

  it("is written as model2vec saves it: a table, what tokens share, and their weights; scaled as the option says", async () => {
    const mapping = tensor("int64", [5], BigInt64Array.from([0, 1, 2, 3, 2].map(BigInt)));
    const weights = tensor("float32", [5], [1, 1, 2, 0.5, 3]);
    const source = staticModel({ normalize: true }, { embeddings: table, mapping, weights });
    const [model, raw, again] = ["model", "raw", "again"].map((name) => join(newFolder(), name));
    await importModel(source, model);
    const report = await exportSafetensors(model, raw, { length: "raw" });
    expect(report).toMatchObject({ family: "model2vec", dimension: 3, length: "raw", difference: 0 });
    expect(readdirSync(raw).sort()).toEqual([
      ...[
        "README.md",
        "config.json",
        "model.safetensors",
        "modules.json",
        "tokenizer.json",
        "tokenizer_config.json",
      ],
    ]);
    const found = readSafetensors(join(raw, "model.safetensors"));
    expect(Object.fromEntries(found)).toEqual({ embeddings: table, mapping, weights });
    expect(readJsonFile(join(raw, "config.json"))).toMatchObject({
      model_type: "model2vec",
      normalize: false,
    });
    expect(readFileSync(join(raw, "README.md"), "utf8")).toContain("StaticModel.from_pretrained(FOLDER)");
    await importModel(raw, again);
    const sums = [(2 * 3) / 2, (0.5 * 4) / 2, 0];
    expect(largestError(await rawVectors(again, ["new york"]), [sums])).toBeLessThan(1e-6);
  });

  it("is not written from a graph that does something else", async () => {
    const model = join(newFolder(), "model");
    await importModel(staticModel({}, { embeddings: table }), model);
    const file = join(model, "onnx/model.onnx");
    const { graph, ...rest } = readModel(file);
    const nodes = graph.nodes.map((node) => (node.op === "Div" ? { ...node, op: "Mul" } : node));
    expect(nodes).not.toEqual(graph.nodes);
    writeModel({ ...rest, graph: { ...graph, nodes } }, file);
    sealFolder(model);
    await expect(exportSafetensors(model, join(newFolder(), "out"))).rejects.toThrow(
      "the graph is not the mean of a table's vectors. Export a model that pearl distilled or imported.",
    );
  });

  it("is refused where its files contradict each other", async () => {
    const short = tensor("float32", [4], [1, 1, 1, 1]);
    const odd = staticModel({}, { embeddings: table, weights: short });
    await expect(vectorsOf(odd, ["new"])).rejects.toThrow(
      "5 tokens have 4 weights. Download the weights again.",
    );
    const mapping = tensor("int64", [5], BigInt64Array.from([0, 1, 2, 3, 7].map(BigInt)));
    const lost = staticModel({}, { embeddings: table, mapping });
    await expect(vectorsOf(lost, ["new"])).rejects.toThrow("the mapping leads to vector 7 of 5.");
    const wide = staticModel({}, { embeddings: tensor("int32", [5, 3], rows.flat()) });
    await expect(vectorsOf(wide, ["new"])).rejects.toThrow(
      "is int32. Take a model in float32, float16, bfloat16 or int8.",
    );
    const none = staticModel({}, { other: table });
    await expect(vectorsOf(none, ["new"])).rejects.toThrow('a static model needs a table "embeddings"');
  });
});
