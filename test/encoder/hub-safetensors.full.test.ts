/** Hub repositories without an ONNX graph: files, messages, and loading by PhraseEncoder. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { PhraseEncoder } from "../../src/encoder/phrase-encoder.js";
import { ModelError } from "../../src/errors.js";
import { type DownloadOptions, downloadModel } from "../../src/hub/download.js";
import { listModels } from "../../src/hub/inventory.js";
import { hubSettings } from "../../src/hub/settings.js";
import { withEnvironment } from "../setup/environment.js";
import { newFolder } from "../setup/new-folder.js";
import { fixtureModel, largestError } from "./fixture-models.js";
import { type HubServer, startHubServer } from "./hub-server.js";

const id = "someone/small-roberta";
const commit = "5f1c1b3c0f3f4f7f8a9b0c1d2e3f405162738495";

let home: string;
let server: HubServer;
beforeEach(async () => {
  home = newFolder();
  server = await startHubServer({});
});
afterEach(() => server.close());

type Files = Record<string, Buffer | string>;

function publish(files: Files): void {
  server.repositories.set(id, { commit, files });
}

function fixtureFiles(name: "roberta" | "bert" | "distilbert"): Files {
  const { folder } = fixtureModel(name);
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(
    (file) => /\.\w+$/.test(file) && file !== "expected.json",
  );
  return Object.fromEntries(names.map((file) => [file, readFileSync(join(folder, file))]));
}

const environment = (more: Record<string, string> = {}) => ({
  HF_HOME: home,
  HF_ENDPOINT: server.endpoint,
  ...more,
});
const download = (options: DownloadOptions = {}, more: Record<string, string> = {}) =>
  downloadModel(id, { settings: hubSettings(environment(more)), retryDelayMs: 5, ...options });

/** Files requested at the hub's own URLs, in order. */
const asked = (): string[] =>
  server.requests.flatMap(({ path }) => /\/resolve\/[^/]+\/(.+)$/.exec(path)?.[1] ?? []);

describe("a repository with safetensors and no graph", () => {
  it("is fetched with its weights, and then used without the network", async () => {
    publish({ ...fixtureFiles("roberta"), "tokenizer.json": "{}" });
    const folder = await download();
    expect(readdirSync(folder)).toEqual(expect.arrayContaining(["config.json", "model.safetensors"]));
    expect(asked().slice(0, 4)).toEqual([
      ...["config.json", "tokenizer.json", "onnx/model.onnx", "model.safetensors"],
    ]);
    expect(asked()).not.toContain("onnx/model.onnx_data");
    await server.close();
    expect(await download({}, { HF_HUB_OFFLINE: "1" })).toBe(folder);
  });

  it("is fetched with all its files of weights", async () => {
    publish(fixtureFiles("bert"));
    const folder = await download();
    expect(readdirSync(folder)).toEqual(
      expect.arrayContaining([
        ...["model.safetensors.index.json", "vocab.txt"],
        ...["model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors"],
      ]),
    );
    rmSync(join(folder, "model-00002-of-00002.safetensors"));
    expect(existsSync(join(await download(), "model-00002-of-00002.safetensors"))).toBe(true);
  });

  it("is fetched with the vocabulary if it has no tokenizer.json", async () => {
    publish(fixtureFiles("roberta"));
    const folder = await download();
    expect(readdirSync(folder)).toEqual(expect.arrayContaining(["vocab.json", "merges.txt"]));
  });

  it("prefers weights to a graph without tokenizer.json", async () => {
    publish({ ...fixtureFiles("bert"), "onnx/model.onnx": "a graph" });
    const folder = await download();
    expect(existsSync(join(folder, "model-00001-of-00002.safetensors"))).toBe(true);
    expect(asked()).not.toContain("onnx/model.onnx");
  });
});

describe("a repository with both", () => {
  const both = () =>
    publish({ ...fixtureFiles("roberta"), "tokenizer.json": "{}", "onnx/model.onnx": "graph" });

  it("is fetched as a graph", async () => {
    both();
    const folder = await download();
    expect(existsSync(join(folder, "onnx/model.onnx"))).toBe(true);
    expect(asked()).not.toContain("model.safetensors");
  });

  it("is fetched as weights for an import, also from a cache that holds the graph", async () => {
    both();
    const folder = await download();
    expect(await download({ weights: "safetensors" })).toBe(folder);
    expect(existsSync(join(folder, "model.safetensors"))).toBe(true);
  });
});

describe("a repository that cannot be used", () => {
  const failure = async (options: DownloadOptions = {}): Promise<string> => {
    const error = await download(options).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ModelError);
    const { message } = error as Error;
    expect(message).not.toContain("\n");
    return message;
  };
  const plain = { "config.json": "{}", "tokenizer.json": "{}" };

  it("has no graph and no safetensors: the error names both, and models that have one", async () => {
    publish({ ...plain, "pytorch_model.bin": "x" });
    expect(await failure()).toMatch(
      /no onnx\/model\.onnx \(404\), and no model\.safetensors .*pytorch_model\.bin.*intfloat\/e5-small-v2/,
    );
  });

  it("has no safetensors, and an import needs them", async () => {
    publish({ ...plain, "onnx/model.onnx": "graph" });
    expect(await failure({ weights: "safetensors" })).toMatch(
      /no model\.safetensors \(404\)\. An import reads/,
    );
  });

  it("has no tokenizer that pearl reads", async () => {
    publish({ "config.json": "{}", "model.safetensors": "x", "sentencepiece.bpe.model": "x" });
    expect(await failure()).toMatch(
      /no tokenizer\.json \(404\).*vocab\.txt, nor vocab\.json with merges\.txt/,
    );
  });

  it("lacks one of several files of weights", async () => {
    const files = fixtureFiles("bert");
    delete files["model-00002-of-00002.safetensors"];
    publish(files);
    expect(await failure()).toContain("no model-00002-of-00002.safetensors (404)");
  });

  it("names files outside of itself", async () => {
    const index = JSON.stringify({ weight_map: { a: "../../../evil.safetensors" } });
    publish({ ...plain, "model.safetensors.index.json": index });
    expect(await failure()).toContain("names no safetensors files of this folder");
  });

  it("has no graph file of the requested name", async () => {
    publish({ ...fixtureFiles("roberta"), ...plain });
    expect(await failure({ graphFile: "onnx/model_quantized.onnx" })).toContain(
      "no onnx/model_quantized.onnx (404). pearl runs models that are exported to ONNX",
    );
    expect(asked()).not.toContain("model.safetensors");
  });
});

describe("PhraseEncoder.load of a hub model without a graph", () => {
  const load = (more: Record<string, string> = {}) =>
    withEnvironment(environment(more), () => PhraseEncoder.load(id, { threads: 1 }));

  it("gives PyTorch's vectors, keeps the graph, and needs no network the second time", async () => {
    publish({ ...fixtureFiles("roberta"), "README.md": "---\nlicense: mit\n---\n# Small\n" });
    const { expected } = fixtureModel("roberta");
    const encoder = await load();
    const vectors = await encoder.encode(expected.phrases, { normalize: false });
    expect(largestError(vectors, expected.pooled)).toBeLessThan(1e-5);
    expect(encoder.model.name).toBe("small-roberta");
    const card = readFileSync(join(encoder.model.path, "README.md"), "utf8");
    expect(card).toContain(`of [${id}](https://huggingface.co/${id}), commit ${commit}`);
    expect(card).toContain("Licence: mit");
    const hub = await withEnvironment(environment({}), () => listModels());
    expect(hub.filter(({ where }) => where === "cache")).toMatchObject([
      { model: id, commit, path: encoder.model.path, licence: "mit", graphs: ["onnx/model.onnx"] },
    ]);
    await encoder.dispose();

    await server.close();
    const again = await load({ HF_HUB_OFFLINE: "1" });
    expect(again.model.path).toBe(encoder.model.path);
    await again.dispose();
  });

  it("fetches the files that modules.json names, such as those of a Dense module", async () => {
    publish(fixtureFiles("distilbert"));
    const { expected } = fixtureModel("distilbert");
    const encoder = await load();
    expect(largestError(await encoder.encode(expected.phrases), expected.dense)).toBeLessThan(1e-5);
    await encoder.dispose();
    expect(asked()).toEqual(expect.arrayContaining(["2_Dense/config.json", "2_Dense/model.safetensors"]));
  });

  it("names the hub's file if the weights do not match config.json", async () => {
    publish({ ...fixtureFiles("roberta"), "config.json": '{"model_type":"t5"}' });
    await expect(load()).rejects.toThrow(/config\.json: model_type is t5/);
    expect(existsSync(join(home, "pearl"))).toBe(false);
    mkdirSync(join(home, "x"));
    writeFileSync(join(home, "x", "config.json"), "{}");
    await expect(PhraseEncoder.load(join(home, "x"))).rejects.toThrow(/pearl import FOLDER -o OUT/);
  });
});
