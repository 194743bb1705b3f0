import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ArgumentError, ModelError } from "../../../src/errors.js";
import { sealFolder } from "../../../src/files/sealed-folder.js";
import { exportSafetensors } from "../../../src/hub/convert/export-safetensors.js";
import { importModel } from "../../../src/hub/convert/import-model.js";
import { readModel, writeModel } from "../../../src/onnx/io/file.js";
import { readSafetensors } from "../../../src/onnx/io/safetensors.js";
import type { Model } from "../../../src/onnx/model.js";
import { tensor } from "../../../src/onnx/tensor.js";
import { editJson, fixtureModel, largestError, readJsonFile } from "../../encoder/fixture-models.js";
import { rawVectors } from "../../encoder/load.js";
import { makeOracleModel, oracleBatch, oracleExports, oracleFolder } from "../../encoder/oracle-model.js";
import { newFolder } from "../../setup/new-folder.js";

async function exported(
  source: string,
  options: Parameters<typeof exportSafetensors>[2] = {},
): Promise<string> {
  const target = join(newFolder(), "out");
  await exportSafetensors(source, target, options);
  return target;
}

/** A fixture with its graph: what a fine-tuned model folder looks like. */
async function withGraph(
  name: "roberta" | "bert",
): Promise<{ source: string; folder: string; phrases: string[] }> {
  const { folder: source, expected } = fixtureModel(name);
  const folder = join(newFolder(), name);
  await importModel(source, folder);
  return { source, folder, phrases: expected.phrases };
}

describe("pearl export of the graphs of test/fixtures/oracle", () => {
  it.each(oracleExports)("finds PyTorch's parameters under their names, bit for bit: %s", async (graph) => {
    const target = await exported(makeOracleModel(graph));
    const found = readSafetensors(join(target, "model.safetensors"));
    const parameters = readSafetensors(join(oracleFolder, "weights.safetensors"));
    for (const name of ["type_head.weight", "type_head.bias"]) parameters.delete(name); // not in the graph
    expect([...found.keys()].sort()).toEqual([...parameters.keys()].sort());
    for (const [name, parameter] of parameters) expect(found.get(name), name).toEqual(parameter);
    expect(readJsonFile(join(target, "config.json"))).toEqual({
      ...{ model_type: "bert", architectures: ["BertModel"], torch_dtype: "float32" },
      ...{ vocab_size: 500, hidden_size: 32, num_hidden_layers: 2, num_attention_heads: 4 },
      ...{ intermediate_size: 64, max_position_embeddings: 64, type_vocab_size: 2, pad_token_id: 0 },
      ...{ layer_norm_eps: 1e-12, hidden_act: "gelu", position_embedding_type: "absolute" },
    });
  });

  it("gives merged LayerNorms back each its own parameter", async () => {
    const found = readSafetensors(
      join(await exported(makeOracleModel("encoder.merged.onnx")), "model.safetensors"),
    );
    const norms = [...found].filter(([name]) => name.includes("LayerNorm"));
    expect(norms).toHaveLength(10);
    for (const [name, { data }] of norms)
      expect(data).toEqual(new Float32Array(32).fill(name.endsWith("weight") ? 1 : 0));
  });

  it.each(oracleExports)("import(export(x)) gives x's vectors to 1e-5: %s", async (graph) => {
    const { phrases, embeddings } = oracleBatch();
    const back = join(newFolder(), "back");
    await importModel(await exported(makeOracleModel(graph)), back);
    expect(largestError(await rawVectors(back, phrases), embeddings)).toBeLessThan(1e-5);
  });
});

describe("pearl export of models that pearl imported", () => {
  it("gives a RoBERTa's parameters back, bit for bit", async () => {
    const { source, folder } = await withGraph("roberta");
    const target = await exported(folder);
    const found = readSafetensors(join(target, "model.safetensors"));
    const parameters = readSafetensors(join(source, "model.safetensors"));
    expect(found.size).toBe(parameters.size - 2); // without position_ids and lm_head.bias
    for (const [name, parameter] of found) expect(parameters.get(`roberta.${name}`), name).toEqual(parameter);
    const shape = readJsonFile(join(source, "config.json")) as object;
    expect(readJsonFile(join(target, "config.json"))).toEqual({
      ...{ ...shape, architectures: ["RobertaModel"], torch_dtype: "float32" },
    });
  });

  it("reads a RoBERTa as PyTorch's exporter writes it, without help from config.json", async () => {
    const { source, folder, phrases } = await withGraph("roberta");
    copyFileSync(join(source, "exported.onnx"), join(folder, "onnx/model.onnx"));
    writeFileSync(join(folder, "config.json"), "{}");
    await sealFolder(folder);
    const { expected } = fixtureModel("roberta");
    expect(largestError(await rawVectors(folder, phrases), expected.pooled)).toBeLessThan(1e-5);
    const target = await exported(folder);
    const parameters = readSafetensors(join(source, "model.safetensors"));
    for (const [name, parameter] of readSafetensors(join(target, "model.safetensors")))
      expect(parameters.get(`roberta.${name}`), name).toEqual(parameter);
    const { bos_token_id, eos_token_id, ...shape } = readJsonFile(join(source, "config.json")) as Record<
      string,
      unknown
    >;
    expect(readJsonFile(join(target, "config.json"))).toEqual({
      ...{ ...shape, architectures: ["RobertaModel"], torch_dtype: "float32" },
    });
  });

  it("distinguishes the GELU by tanh from the exact one, and every head", async () => {
    const { folder, phrases } = await withGraph("bert");
    const target = await exported(folder);
    expect(readJsonFile(join(target, "config.json"))).toMatchObject({
      ...{ hidden_act: "gelu_new", num_attention_heads: 6, torch_dtype: "float32", layer_norm_eps: 1e-12 },
    });
    const back = join(newFolder(), "back");
    await importModel(target, back);
    const [before, after] = [await rawVectors(folder, phrases), await rawVectors(back, phrases)];
    expect(
      largestError(
        after,
        before.map((row) => Array.from(row)),
      ),
    ).toBeLessThan(1e-6);
  });

  it.each(["xlm-roberta", "camembert"])("keeps the family's name: %s", async (family) => {
    const { folder } = await withGraph("roberta");
    editJson(join(folder, "config.json"), { model_type: family });
    expect(readJsonFile(join(await exported(folder), "config.json"))).toMatchObject({ model_type: family });
  });
});

describe("the folder has what sentence-transformers reads, field by field", () => {
  it("in the layout that SentenceTransformer.save writes", async () => {
    const { folder } = await withGraph("bert");
    const target = await exported(folder);
    const json = (name: string) => readJsonFile(join(target, name));
    expect(readdirSync(target, { recursive: true, encoding: "utf8" }).sort()).toEqual([
      ...["1_Pooling", "1_Pooling/config.json", "2_Normalize", "README.md", "config.json"],
      ...["model.safetensors", "modules.json", "sentence_bert_config.json", "tokenizer.json"],
      ...["tokenizer_config.json", "vocab.txt"],
    ]);
    expect(json("modules.json")).toEqual([
      { idx: 0, name: "0", path: "", type: "sentence_transformers.models.Transformer" },
      { idx: 1, name: "1", path: "1_Pooling", type: "sentence_transformers.models.Pooling" },
      { idx: 2, name: "2", path: "2_Normalize", type: "sentence_transformers.models.Normalize" },
    ]);
    expect(json("1_Pooling/config.json")).toEqual({
      word_embedding_dimension: 48,
      pooling_mode_cls_token: false,
      pooling_mode_mean_tokens: true,
      pooling_mode_max_tokens: false,
      pooling_mode_mean_sqrt_len_tokens: false,
      pooling_mode_weightedmean_tokens: false,
      pooling_mode_lasttoken: false,
    });
    expect(json("sentence_bert_config.json")).toEqual({ max_seq_length: 24, do_lower_case: false });
    expect(json("tokenizer_config.json")).toEqual({
      ...{ tokenizer_class: "BertTokenizer", model_max_length: 24, do_lower_case: true },
      ...{
        cls_token: "[CLS]",
        sep_token: "[SEP]",
        pad_token: "[PAD]",
        unk_token: "[UNK]",
        mask_token: "[MASK]",
      },
    });
  });

  it("with a header that transformers takes, tensors from a multiple of 8 bytes on, without gaps", async () => {
    const { folder } = await withGraph("bert");
    const bytes = readFileSync(join(await exported(folder), "model.safetensors"));
    const length = Number(bytes.readBigUInt64LE(0));
    expect(length % 8).toBe(0);
    const { __metadata__, ...entries } = JSON.parse(bytes.subarray(8, 8 + length).toString()) as Record<
      string,
      { dtype: string; shape: number[]; data_offsets: [number, number] }
    >;
    expect(__metadata__).toEqual({ format: "pt" });
    let end = 0;
    for (const { dtype, shape, data_offsets } of Object.values(entries)) {
      expect(dtype).toBe("F32");
      expect(data_offsets).toEqual([end, end + 4 * shape.reduce((a, b) => a * b, 1)]);
      end = data_offsets[1];
    }
    expect(8 + length + end).toBe(bytes.length);
    expect(entries["encoder.layer.0.intermediate.dense.weight"].shape).toEqual([72, 48]);
  });

  it("pools and scales as the source does, or as the option says", async () => {
    const { folder } = await withGraph("bert");
    mkdirSync(join(folder, "1_Pooling"));
    writeFileSync(join(folder, "1_Pooling/config.json"), '{"pooling_mode_cls_token":true}');
    const modules = ["Transformer", "Pooling"].map((type) => ({
      type: `sentence_transformers.models.${type}`,
    }));
    writeFileSync(join(folder, "modules.json"), JSON.stringify(modules));
    const kinds = (target: string) =>
      (readJsonFile(join(target, "modules.json")) as { type: string }[]).map(
        ({ type }) => type.split(".")[2],
      );
    const raw = await exported(folder);
    expect(kinds(raw)).toEqual(["Transformer", "Pooling"]);
    expect(readdirSync(raw)).not.toContain("2_Normalize");
    expect(readJsonFile(join(raw, "1_Pooling/config.json"))).toEqual({ pooling_mode_cls_token: true });
    expect(kinds(await exported(folder, { length: "unit" }))).toEqual([
      "Transformer",
      "Pooling",
      "Normalize",
    ]);
  });
});

describe("what cannot be exported ends in an error that says why", () => {
  const edited = async (change: (model: Model) => void): Promise<string> => {
    const { folder } = await withGraph("bert");
    const path = join(folder, "onnx/model.onnx");
    const model = readModel(path);
    change(model);
    writeModel(model, path);
    return folder;
  };
  const first = (model: Model, op: string) => model.graph.nodes.findIndex((node) => node.op === op);

  it.each<[string, (model: Model) => void, RegExp]>([
    [
      "a layer without LayerNorm",
      (model) => {
        const { nodes } = model.graph;
        const last = nodes.findLastIndex(({ op }) => op === "LayerNormalization");
        nodes[last] = { ...nodes[last], op: "Identity", inputs: [nodes[last].inputs[0]], attributes: {} };
      },
      /model\.onnx: .*does not come from a LayerNormalization; this is not the graph of a BERT or RoBERTa/,
    ],
    [
      "another activation",
      (model) => {
        const { nodes } = model.graph;
        const tanh = first(model, "Tanh");
        nodes[tanh] = { ...nodes[tanh], op: "Softplus" };
      },
      /its activation \(.*Softplus.*\) is not known/,
    ],
    [
      "scores scaled by another number than heads ask for: the check runs both graphs",
      (model) => {
        const { nodes, initializers } = model.graph;
        const divisor = nodes[first(model, "Softmax") - 2].inputs[1];
        initializers.set(divisor, tensor("float32", [], [Math.sqrt(16)]));
      },
      /rebuilt as a bert \(3 layers, 3 heads, gelu_new\), the model gives different vectors/,
    ],
    [
      "a graph with pooled vectors alone",
      (model) => {
        model.graph.outputs[0].name = "sentence_embedding";
        model.graph.nodes.at(-1)!.outputs[0] = "sentence_embedding";
      },
      /no output with a vector per token .*, found sentence_embedding/,
    ],
    [
      "a quantised graph",
      (model) => {
        const { nodes } = model.graph;
        const product = first(model, "Gemm");
        nodes[product] = { ...nodes[product], op: "MatMulInteger" };
      },
      /MatMulInteger\): the graph is quantised\. Export the plain float32 graph/,
    ],
    [
      "a graph in half precision",
      (model) => {
        const [name, { dims, data }] = [...model.graph.initializers].find(
          ([, { dims }]) => dims.length === 2,
        )!;
        model.graph.initializers.set(name, { type: "float16", dims, data: new Uint16Array(data.length) });
      },
      /weight \S+: the graph is in float16\. Export the plain float32 graph/,
    ],
    [
      "an optimised graph",
      (model) => {
        const { nodes } = model.graph;
        const norm = first(model, "LayerNormalization");
        nodes[norm] = { ...nodes[norm], op: "SkipLayerNormalization", domain: "com.microsoft" };
      },
      /SkipLayerNormalization\): the graph was optimised for ONNX Runtime/,
    ],
  ])("%s", async (_, change, message) => {
    const parent = newFolder();
    const failure = exportSafetensors(await edited(change), join(parent, "out"));
    await expect(failure).rejects.toThrow(message);
    await expect(failure).rejects.toBeInstanceOf(ModelError);
    expect(readdirSync(parent)).toEqual([]);
  });

  it("a transformer beside n-grams", async () => {
    const { folder } = await withGraph("bert");
    const ngrams = {
      kind: "hashed-ngrams",
      input: "ngram_ids",
      minimum: 3,
      maximum: 5,
      buckets: 64,
      limit: 8,
    };
    const features = [{ kind: "tokens", maximumLength: 24 }, ngrams];
    const config = JSON.parse(readFileSync(join(folder, "config.json"), "utf8"));
    const pearl = { format: 1, dimension: 24, features, types: [] };
    writeFileSync(join(folder, "config.json"), JSON.stringify({ ...config, pearl }));
    await expect(exported(folder)).rejects.toThrow(/the model is not a transformer alone/);
  });

  it("the embedded model, a folder that exists, modules after the pooling", async () => {
    await expect(exported("models/pearl-strings")).rejects.toThrow(/the model is not a transformer alone/);
    const { folder } = await withGraph("bert");
    await expect(exportSafetensors(folder, folder)).rejects.toThrow(ArgumentError);
    writeFileSync(join(folder, "modules.json"), '[{"type":"sentence_transformers.models.Dense"}]');
    await expect(exported(folder)).rejects.toThrow(/Dense module/);
  });
});
