/** Messages on graphs and weights, read, trained, imported and exported: each names a cure, which is applied and works. */
import { readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { differentiate } from "../../../../src/autodiff/gradient.js";
import { type EncodeOptions, PhraseEncoder } from "../../../../src/encoder/phrase-encoder.js";
import { exportSafetensors } from "../../../../src/hub/convert/export-safetensors.js";
import { importModel } from "../../../../src/hub/convert/import-model.js";
import { zeros } from "../../../../src/nn/initialise.js";
import { fromTensors } from "../../../../src/nn/net.js";
import { GraphBuilder } from "../../../../src/onnx/builder.js";
import { encodeModel, readModel, writeModel } from "../../../../src/onnx/io/file.js";
import { readSafetensors, writeSafetensors } from "../../../../src/onnx/io/safetensors.js";
import type { Model } from "../../../../src/onnx/model.js";
import { observeShapes } from "../../../../src/onnx/observe-shapes.js";
import { upgradeOpset } from "../../../../src/onnx/rewrite/upgrade.js";
import { type Tensor, tensor } from "../../../../src/onnx/tensor.js";
import { createOrtSession } from "../../../../src/runtime/ort-session.js";
import { editJson, fixtureModel } from "../../../encoder/fixture-models.js";
import { makeOracleModel } from "../../../encoder/oracle-model.js";
import { newFolder } from "../../../setup/new-folder.js";

/** loss = Σ w² · scale */
function lossModel({ opset = 17, scale = tensor("float32", [3], [1, 1, 1]) } = {}): Model {
  const g = new GraphBuilder({ opset });
  const w = g.weight("w", tensor("float32", [3], [1, 2, 3]));
  const wide = g.add("Cast", [g.weight("scale", scale)], { to: 1 });
  g.output("loss", g.add("ReduceSum", [g.add("Mul", [g.add("Mul", [w, w]), wide])], { keepdims: 0 }));
  return g.model();
}

async function gradients(model: Model): Promise<readonly string[]> {
  const open = (bytes: Uint8Array) => createOrtSession(bytes, { optimization: "disabled" });
  const shapes = await observeShapes(model, {}, open);
  return [...differentiate(model, { loss: "loss", shapes }).gradients.keys()];
}

describe("the cure in a message on training", () => {
  it("of an old operator set works", async () => {
    const model = lossModel({ opset: 14 });
    await expect(gradients(model)).rejects.toThrow(
      "the model has opset 14: upgrade it to 17 before training",
    );
    expect(await gradients(upgradeOpset(model))).toContain("w");
  });

  it("of weights in half precision works", async () => {
    const half = lossModel({ scale: tensor("float16", [3], [0, 0, 0]) });
    await expect(gradients(half)).rejects.toThrow(
      "is float16: train the float32 model (model.onnx, not model_fp16.onnx).",
    );
    expect(await gradients(lossModel())).toContain("w");
  });
});

describe("the cure in a message on ONNX files", () => {
  it("of an operator set before 9 works", () => {
    const exported = (opset: number): Model => {
      const g = new GraphBuilder({ opset });
      g.output("y", g.add("Relu", [g.input("x", "float32", [3])]), "float32");
      return g.model();
    };
    expect(() => upgradeOpset(exported(8))).toThrow("Export it again with operator set 17.");
    const newer = exported(17);
    expect(upgradeOpset(newer)).toBe(newer);
  });

  it("of weights in another file works: the path", () => {
    const g = new GraphBuilder();
    const w = g.weight("w", tensor("float32", [512, 3], new Float32Array(1536)));
    g.output("y", g.add("MatMul", [g.input("x", "float32", [1, 512]), w]), "float32", [1, 3]);
    const path = join(newFolder(), "model.onnx");
    writeModel(g.model(), path, { externalData: "always" });
    expect(() => readModel(readFileSync(path))).toThrow("give the model's path, not its bytes");
    expect(readModel(path)).toEqual(g.model());
  });

  it("of more than 2 GB works: external data", () => {
    const path = join(newFolder(), "model.onnx");
    writeFileSync(path, encodeModel(lossModel()));
    truncateSync(path, 2 ** 31); // sparse: it takes no space
    expect(() => readModel(path)).toThrow(
      "is over 2 GB, more than one ONNX file can hold. Export it with external data.",
    );
    writeModel(lossModel(), path, { externalData: "always" });
    expect(readModel(path)).toEqual(lossModel());
  });
});

/** Imports the folder and encodes a phrase. */
async function use(folder: string): Promise<void> {
  const target = join(newFolder(), "out");
  await importModel(folder, target);
  const encoder = await PhraseEncoder.load(target, { threads: 1 });
  expect((await encoder.encode(["Acme"]))[0].some((value) => value !== 0)).toBe(true);
  await encoder.dispose();
}

describe("the cure in a message on weights", () => {
  it("of a missing weight works: those of the same model", () => {
    const own = tensor("float32", [2], [1, 2]);
    const weightOf = (tensors: Map<string, Tensor>) => fromTensors(tensors)("bias", [2], zeros);
    expect(() => weightOf(new Map([["other", own]]))).toThrow(
      "weight bias is missing. Take the weights and config.json from the same model.",
    );
    expect(weightOf(new Map([["bias", own]]))).toBe(own);
  });

  it("of quantised weights works: the unquantised model", async () => {
    const { folder } = fixtureModel("roberta");
    const path = join(folder, "model.safetensors");
    renameSync(path, `${path}.whole`);
    const tensors = readSafetensors(`${path}.whole`);
    const query = "roberta.encoder.layer.1.attention.self.query.weight";
    writeSafetensors(path, new Map(tensors).set(query, tensor("int8", [16, 16], new Int8Array(256))));
    await expect(use(folder)).rejects.toThrow("Take the unquantised model.");
    renameSync(`${path}.whole`, path);
    await use(folder);
  });

  it("of a file that the index names works: it is downloaded too", async () => {
    const { folder } = fixtureModel("bert");
    const path = join(folder, "model-00002-of-00002.safetensors");
    renameSync(path, `${path}.elsewhere`);
    await expect(use(folder)).rejects.toThrow("index.json names, is missing. Download it too.");
    renameSync(`${path}.elsewhere`, path);
    await use(folder);
  });

  it("of a vocabulary of another model works", async () => {
    const { folder } = fixtureModel("bert");
    const path = join(folder, "tokenizer_config.json");
    writeFileSync(path, JSON.stringify({ cls_token: "<s>" }));
    await expect(use(folder)).rejects.toThrow(
      "the special token <s> is missing. Take vocabulary and tokenizer_config.json from one model.",
    );
    writeFileSync(path, JSON.stringify({ cls_token: "[CLS]" }));
    await use(folder);
  });

  it("of a token that is a whole word only works: another model", async () => {
    const load = async (folder: string) => (await PhraseEncoder.load(folder, { threads: 1 })).dispose();
    const folder = makeOracleModel("encoder.folded.onnx");
    const path = join(folder, "tokenizer.json");
    const added_tokens = [{ id: 7, content: "t7", single_word: true, special: false }];
    editJson(path, { added_tokens });
    await expect(load(folder)).rejects.toThrow(
      'its token "t7" is read as a whole word only (single_word), which pearl does not do. ' +
        "Take a model without such tokens.",
    );
    await load(makeOracleModel("encoder.folded.onnx"));
  });
});

describe("the cure in a message on graphs to export", () => {
  const changes: Readonly<Record<string, [says: string, change: (model: Model) => void]>> = {
    "pooled vectors alone": [
      "Export the encoder without pooling.",
      ({ graph }) => {
        graph.outputs[0].name = "sentence_embedding";
        graph.nodes.at(-1)!.outputs[0] = "sentence_embedding";
      },
    ],
    "rewritten weights": [
      "Export the plain float32 graph it was made from.",
      ({ graph: { nodes } }) => {
        const product = nodes.findIndex(({ op }) => op === "Gemm");
        nodes[product] = { ...nodes[product], op: "MatMulInteger" };
      },
    ],
  };

  it.each(Object.entries(changes))("of %s works", async (_, [says, change]) => {
    const folder = join(newFolder(), "bert");
    await importModel(fixtureModel("bert").folder, folder);
    const path = join(folder, "onnx/model.onnx");
    const plain = readFileSync(path);
    const model = readModel(path);
    change(model);
    writeModel(model, path);
    const target = join(newFolder(), "out");
    await expect(exportSafetensors(folder, target)).rejects.toThrow(says);
    writeFileSync(path, plain);
    await exportSafetensors(folder, target);
    expect(readSafetensors(join(target, "model.safetensors")).size).toBeGreaterThan(10);
  });

  it("of heads that the graph does not show works", async () => {
    const folder = join(newFolder(), "bert");
    await importModel(fixtureModel("bert").folder, folder);
    const [path, configuration] = ["onnx/model.onnx", "config.json"].map((name) => join(folder, name));
    const model = readModel(path);
    const { nodes, initializers } = model.graph;
    // exporters that trace the width of a head leave its root to the graph
    for (const divisor of new Set(nodes.flatMap(({ op, inputs }) => (op === "Div" ? inputs[1] : [])))) {
      const stored = initializers.get(divisor);
      if (stored?.data.length !== 1) continue;
      initializers.set(`${divisor}_squared`, tensor("float32", [], [Number(stored.data[0]) ** 2]));
      initializers.delete(divisor);
      nodes.unshift({
        name: `${divisor}_root`,
        op: "Sqrt",
        domain: "",
        attributes: {},
        inputs: [`${divisor}_squared`],
        outputs: [divisor],
      });
    }
    writeModel(model, path);
    const { num_attention_heads: heads, ...config } = JSON.parse(readFileSync(configuration, "utf8"));
    writeFileSync(configuration, JSON.stringify(config));
    const target = join(newFolder(), "out");
    await expect(exportSafetensors(folder, target)).rejects.toThrow(
      "the number of attention heads is not in the graph. Write num_attention_heads into config.json.",
    );
    writeFileSync(configuration, JSON.stringify({ ...config, num_attention_heads: heads }));
    await exportSafetensors(folder, target);
    expect(JSON.parse(readFileSync(join(target, "config.json"), "utf8"))).toMatchObject({
      num_attention_heads: heads,
    });
  });
});

describe("the cure in a message on modules of sentence-transformers", () => {
  const dense = (changes: object) => (folder: string) =>
    editJson(join(folder, "2_Dense/config.json"), changes);
  const modules = (text: string) => (folder: string) => writeFileSync(join(folder, "modules.json"), text);
  const weights = "2_Dense/model.safetensors";

  it.each<[message: string, damage: (folder: string) => void]>([
    [
      "pearl reads safetensors only. Save the model with sentence-transformers 3 or later",
      (folder) => renameSync(join(folder, weights), join(folder, "2_Dense/pytorch_model.bin")),
    ],
    ["2_Dense/model.safetensors is missing. Download it too.", (folder) => rmSync(join(folder, weights))],
    [
      "tensor linear.weight is missing. Download it again.",
      (folder) => writeSafetensors(join(folder, weights), new Map([["x", tensor("float32", [1], [1])]])),
    ],
    ["linear.weight is [8, 16], expected [9, 16] by config.json. Take both", dense({ out_features: 9 })],
    [
      "a Dense module needs in_features 16 and out_features, found 9 and 8. Download it again.",
      dense({ in_features: 9 }),
    ],
    [
      "activation_function is Mish, which pearl does not build. Choose a model without it.",
      dense({ activation_function: "torch.nn.Mish" }),
    ],
    ["use_residual is set, which pearl does not build. Choose", dense({ use_residual: true })],
    [
      "module_input_name is token_embeddings, which pearl does not build. Choose",
      dense({ module_input_name: "token_embeddings" }),
    ],
    [
      "it is not the name of a folder below the model. Download modules.json again.",
      modules('[{"type":"a.Transformer"},{"type":"a.Dense","path":"../x"}]'),
    ],
    [
      "Use a model of Transformer, Pooling, Dense and Normalize.",
      modules('[{"type":"a.Transformer"},{"type":"a.LSTM","path":"1_LSTM"}]'),
    ],
  ])("works: %s", async (message, damage) => {
    const { folder } = fixtureModel("distilbert");
    damage(folder);
    await expect(use(folder)).rejects.toThrow(message);
    await use(fixtureModel("distilbert").folder);
  });

  it("works for a graph of token vectors that lacks Dense: an import from the safetensors", async () => {
    const { folder } = fixtureModel("distilbert");
    const made = join(newFolder(), "made");
    rmSync(join(folder, "modules.json"));
    await importModel(folder, made);
    modules('[{"type":"a.Transformer"},{"type":"a.Dense","path":"2_Dense"}]')(made);
    rmSync(join(made, "checksums.json"));
    await expect(PhraseEncoder.load(made).then((encoder) => encoder.encode(["Acme"]))).rejects.toThrow(
      "Make a graph with it, from the model's safetensors: pearl import MODEL -o OUT",
    );
    await use(fixtureModel("distilbert").folder);
  });

  it("works for an export with Dense: a model without it", async () => {
    const { folder } = fixtureModel("distilbert");
    const [whole, alone] = ["whole", "alone"].map((name) => join(newFolder(), name));
    await importModel(folder, whole);
    await expect(exportSafetensors(whole, join(newFolder(), "no"))).rejects.toThrow(
      "pearl exports encoder, pooling and scaling alone. Export a model without it.",
    );
    rmSync(join(folder, "modules.json"));
    await importModel(folder, alone);
    await exportSafetensors(alone, join(newFolder(), "out"));
  });

  it.each(["mpnet", "modernbert", "distilbert"] as const)(
    "works for an export of weights that another program named: the %s's safetensors",
    async (name) => {
      const { folder, expected } = fixtureModel(name);
      rmSync(join(folder, "modules.json"), { force: true });
      const made = join(newFolder(), "made");
      await importModel(folder, made);
      const path = join(made, "onnx/model.onnx");
      const text = readFileSync(path, "latin1");
      const [weight] = Object.keys(expected.norms);
      writeFileSync(path, text.replaceAll(weight, weight.replace(/^e/, "E")), "latin1");
      await expect(exportSafetensors(made, join(newFolder(), "no"))).rejects.toThrow(
        `of ${name}, pearl exports only graphs that it made itself. Start from the model's safetensors: pearl import`,
      );
      const again = join(newFolder(), "again");
      await importModel(folder, again);
      await exportSafetensors(again, join(newFolder(), "out"));
    },
  );

  it("works for prompts: the name of one, or its text", async () => {
    const target = join(newFolder(), "out");
    await importModel(fixtureModel("distilbert").folder, target);
    const encoder = await PhraseEncoder.load(target, { threads: 1 });
    const refused = (options: EncodeOptions) => expect(encoder.encode(["x"], options)).rejects;
    await refused({ promptName: "title" }).toThrow('has no prompt "title". Choose one of: document, query');
    await refused({ promptName: "query", prompt: "" }).toThrow("give a prompt or the name of one, not both");
    const [[named], [given]] = [
      await encoder.encode(["pearl"], { promptName: "query" }),
      await encoder.encode(["pearl"], { prompt: "a b " }),
    ];
    expect(named).toEqual(given);
    await encoder.dispose();
    const plain = await PhraseEncoder.load(undefined, { threads: 1 });
    await expect(plain.encode(["x"], { promptName: "query" })).rejects.toThrow(
      "the model names no prompts. Give the text itself (--prompt)",
    );
    await plain.encode(["x"], { prompt: "query: " });
    await plain.dispose();
  });
});
