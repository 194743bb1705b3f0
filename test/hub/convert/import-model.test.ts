import { mkdirSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { PhraseEncoder } from "../../../src/encoder/phrase-encoder.js";
import { ArgumentError } from "../../../src/errors.js";
import { importModel } from "../../../src/hub/convert/import-model.js";
import { readModelCard } from "../../../src/hub/model-card.js";
import { readModel } from "../../../src/onnx/io/file.js";
import { createTokenizer } from "../../../src/text/tokenizer.js";
import {
  editJson,
  fixtureModel,
  largestError,
  oracleCheckpoint,
  readJsonFile,
} from "../../encoder/fixture-models.js";
import { rawVectors } from "../../encoder/load.js";
import { oracleBatch } from "../../encoder/oracle-model.js";
import { withEnvironment } from "../../setup/environment.js";
import { newFolder } from "../../setup/new-folder.js";

async function imported(source: string): Promise<string> {
  const target = join(newFolder(), "out");
  await importModel(source, target);
  return target;
}

describe("pearl import gives PyTorch's vectors to 1e-5", () => {
  it("for the oracle's weights, without prefix", async () => {
    const { phrases, embeddings } = oracleBatch();
    const vectors = await rawVectors(await imported(oracleCheckpoint()), phrases);
    expect(largestError(vectors, embeddings)).toBeLessThan(1e-5);
  });

  it("for a RoBERTa with byte-level BPE and positions counted from the padding id", async () => {
    const { folder, expected } = fixtureModel("roberta");
    const target = await imported(folder);
    expect(largestError(await rawVectors(target, expected.phrases), expected.pooled)).toBeLessThan(1e-5);
    const inputs = readModel(join(target, "onnx/model.onnx")).graph.inputs.map(({ name }) => name);
    expect(inputs).toEqual(["input_ids", "attention_mask"]);
  });

  it("for a BERT of another shape: float16 in two files, gamma and beta, GELU by tanh", async () => {
    const { folder, expected } = fixtureModel("bert");
    const target = await imported(folder);
    expect(largestError(await rawVectors(target, expected.phrases), expected.pooled)).toBeLessThan(1e-5);
  });

  it("also in transformers.js' feature-extraction pipeline", async () => {
    const { folder, expected } = fixtureModel("bert");
    const target = await imported(folder);
    const { env, pipeline } = await import("@huggingface/transformers");
    env.allowRemoteModels = false;
    env.localModelPath = "";
    const extract = await pipeline("feature-extraction", target, { dtype: "fp32", local_files_only: true });
    const result = await extract(expected.phrases, { pooling: "mean" });
    await extract.dispose();
    expect(largestError(result.tolist(), expected.pooled)).toBeLessThan(1e-5);
  });
});

describe("the folder that pearl import writes", () => {
  it("has the hub's layout, with the source's companions and nothing else", async () => {
    const { folder } = fixtureModel("bert");
    mkdirSync(join(folder, "1_Pooling"));
    writeFileSync(join(folder, "1_Pooling/config.json"), '{"pooling_mode_cls_token":true}');
    writeFileSync(
      join(folder, "README.md"),
      "---\nlicense: mit\nmodel-index:\n- name: b\n  results:\n  - dataset: STS\n    metrics:\n    - type: r\n      value: 3\n---\n# Its own words\n",
    );
    const target = await imported(folder);
    const files = readdirSync(target, { recursive: true, encoding: "utf8" }).sort();
    expect(files).toEqual([
      ...[
        "1_Pooling",
        "1_Pooling/config.json",
        "README.md",
        "checksums.json",
        "config.json",
        "onnx",
        "onnx/model.onnx",
      ],
      ...["tokenizer.json", "tokenizer_config.json", "vocab.txt"],
    ]);
    expect(readJsonFile(join(target, "config.json"))).toEqual(readJsonFile(join(folder, "config.json")));
    expect(await readModelCard(target)).toMatchObject({
      licence: "mit",
      scores: [{ dataset: "STS", value: 3 }],
    });
    const card = readFileSync(join(target, "README.md"), "utf8");
    expect(card).toMatch(/written by `pearl import` .* of bert\. .*widened from float16 to float32/);
    expect(card).toMatch(/Licence: mit.*\n\nThe source's own card follows.\n\n# Its own words/s);
  });

  it("names whom to ask where the source states no licence", async () => {
    const target = await imported(fixtureModel("bert").folder);
    expect(readFileSync(join(target, "README.md"), "utf8")).toMatch(/states none\. Ask its authors/);
  });

  it("never replaces anything, and is never incomplete", async () => {
    const { folder } = fixtureModel("bert");
    const parent = newFolder();
    writeFileSync(join(parent, "file"), "mine");
    await expect(importModel(folder, parent)).rejects.toThrow(ArgumentError);
    await expect(importModel(folder, join(parent, "file"))).rejects.toThrow(/file is a file/);
    editJson(join(folder, "config.json"), { hidden_act: "swish" });
    await expect(importModel(folder, join(parent, "new"))).rejects.toThrow(/hidden_act swish/);
    mkdirSync(join(folder, "1_Pooling"));
    writeFileSync(join(folder, "1_Pooling/config.json"), '{"pooling_mode":["mean","cls"]}');
    await expect(importModel(folder, join(parent, "new"))).rejects.toThrow(/asks for mean and cls/);
    await expect(importModel(fixtureModel("bert").folder, join(parent, "file/below"))).rejects.toThrow(
      /file is a file/,
    );
    expect(readdirSync(parent)).toEqual(["file"]);
  });
});

describe("tokenizers built from vocabulary files", () => {
  const idsOf = async (folder: string, phrases: readonly string[]): Promise<number[][]> => {
    const target = await imported(folder);
    const path = join(target, "tokenizer.json");
    const tokenizer = createTokenizer(readJsonFile(path) as object, {}, 64, path);
    return phrases.map((phrase) => Array.from(tokenizer.encode(phrase).ids));
  };

  it.each(["roberta", "bert"] as const)("split phrases as the oracle does: %s", async (name) => {
    const { folder, expected } = fixtureModel(name);
    expect(await idsOf(folder, expected.phrases)).toEqual(expected.ids);
  });

  it("keep case and accents if tokenizer_config.json asks for it", async () => {
    const { folder } = fixtureModel("bert");
    writeFileSync(join(folder, "tokenizer_config.json"), '{"do_lower_case":false}');
    const unknown = 1;
    expect(await idsOf(folder, ["the The zurich Zürich"])).toEqual([[2, 5, unknown, 12, unknown, 3]]);
  });

  it("put a space before the first word if tokenizer_config.json asks for it", async () => {
    const { folder } = fixtureModel("roberta");
    const [plain] = await idsOf(folder, [" pearl"]);
    writeFileSync(join(folder, "tokenizer_config.json"), '{"add_prefix_space":true}');
    expect(await idsOf(folder, ["pearl"])).toEqual([plain]);
  });

  it("name a vocabulary without special tokens, and a folder without any", async () => {
    const { folder } = fixtureModel("bert");
    writeFileSync(join(folder, "vocab.txt"), "[UNK]\nthe\n");
    await expect(imported(folder)).rejects.toThrow(/vocab\.txt: the special token \[CLS\] is missing/);
    rmSync(join(folder, "vocab.txt"));
    await expect(imported(folder)).rejects.toThrow(/no tokenizer\.json, nor vocab\.txt, nor vocab\.json/);
  });
});

describe("bad sources end in an error that names file, tensor, shapes and cure", () => {
  it("a download that was cut off, an LFS pointer, no weights, a shard that is missing", async () => {
    const cut = fixtureModel("roberta").folder;
    truncateSync(join(cut, "model.safetensors"), 30_000);
    await expect(imported(cut)).rejects.toThrow(
      /model\.safetensors is not a whole safetensors file: tensor \S+ has \d+ bytes/,
    );
    writeFileSync(
      join(cut, "model.safetensors"),
      "version https://git-lfs.github.com/spec/v1\noid sha256:0\n",
    );
    await expect(imported(cut)).rejects.toThrow(/Git LFS pointer/);
    rmSync(join(cut, "model.safetensors"));
    await expect(imported(cut)).rejects.toThrow(/no model\.safetensors to import.*pytorch_model\.bin/);
    const sharded = fixtureModel("bert").folder;
    rmSync(join(sharded, "model-00002-of-00002.safetensors"));
    await expect(imported(sharded)).rejects.toThrow(
      /model-00002-of-00002\.safetensors, which .*names, is missing/,
    );
    editJson(join(sharded, "model.safetensors.index.json"), { weight_map: { a: "../../etc/x.safetensors" } });
    await expect(imported(sharded)).rejects.toThrow(/names no safetensors files of this folder/);
  });

  it("layers that sentence-transformers would add behind the encoder", async () => {
    const { folder } = fixtureModel("bert");
    writeFileSync(join(folder, "modules.json"), '[{"type":"sentence_transformers.models.LSTM"}]');
    await expect(imported(folder)).rejects.toThrow(/modules\.json: the model has a LSTM module/);
  });
});

describe("PhraseEncoder.load of a folder without a graph", () => {
  const cache = newFolder();
  const withCache = <T>(work: () => Promise<T>): Promise<T> => withEnvironment({ HF_HOME: cache }, work);

  it("reports a cache that cannot be written", async () => {
    const { folder } = fixtureModel("bert");
    rmSync(join(cache, "pearl"), { recursive: true, force: true });
    writeFileSync(join(cache, "pearl"), "a file in the way");
    await expect(withCache(() => PhraseEncoder.load(folder))).rejects.toThrow(
      /graph cannot be kept in .*HF_HOME.*pearl import/,
    );
  });
});
