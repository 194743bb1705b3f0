/** Folders of sentence-transformers as a whole: ways to pool, Dense modules, prompts (test/oracles/families.py). */
import { renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readModelFolder } from "../../../src/architectures/model-folder.js";
import { poolTokens } from "../../../src/encoder/graph/device-graph.js";
import { PhraseEncoder } from "../../../src/encoder/phrase-encoder.js";
import { exportSafetensors } from "../../../src/hub/convert/export-safetensors.js";
import { importModel } from "../../../src/hub/convert/import-model.js";
import { readModel, writeModel } from "../../../src/onnx/io/file.js";
import { editJson, fixtureModel, largestError, readJsonFile } from "../../encoder/fixture-models.js";
import { rawVectors } from "../../encoder/load.js";
import { newFolder } from "../../setup/new-folder.js";

async function imported(source: string): Promise<string> {
  const target = join(newFolder(), "out");
  await importModel(source, target);
  return target;
}

async function encoded<Result>(
  folder: string,
  use: (encoder: PhraseEncoder) => Promise<Result>,
): Promise<Result> {
  const encoder = await PhraseEncoder.load(folder, { threads: 1 });
  try {
    return await use(encoder);
  } finally {
    await encoder.dispose();
  }
}

const { expected } = fixtureModel("distilbert");

/** The fixture without Dense, pooled as the settings say. */
function pooledBy(settings: object): string {
  const { folder } = fixtureModel("distilbert");
  for (const file of ["modules.json", "2_Dense"]) rmSync(join(folder, file), { recursive: true });
  writeFileSync(join(folder, "1_Pooling/config.json"), JSON.stringify(settings));
  return folder;
}

describe("pooling as sentence-transformers does it", () => {
  const switches: Record<string, string> = {
    ...{ mean: "mean_tokens", cls: "cls_token", max: "max_tokens", weightedmean: "weightedmean_tokens" },
    ...{ lasttoken: "lasttoken", mean_sqrt_len_tokens: "mean_sqrt_len_tokens" },
  };

  it.each(Object.entries(switches))("by %s, named and by its switch", async (mode, name) => {
    const off = Object.fromEntries(Object.values(switches).map((other) => [`pooling_mode_${other}`, false]));
    const older = { word_embedding_dimension: 16, ...off, [`pooling_mode_${name}`]: true };
    for (const settings of [{ embedding_dimension: 16, pooling_mode: mode }, older]) {
      const vectors = await rawVectors(await imported(pooledBy(settings)), expected.phrases);
      expect(largestError(vectors, expected.poolings[mode])).toBeLessThan(1e-5);
    }
  });

  it.each(Object.keys(switches))(
    "by %s in the graph, as a GPU runs it and a training starts",
    async (mode) => {
      const target = await imported(pooledBy({ pooling_mode: mode }));
      const folder = await readModelFolder(target);
      writeModel(poolTokens(readModel(folder.graph), folder), folder.graph);
      rmSync(join(target, "checksums.json"));
      expect(largestError(await rawVectors(target, expected.phrases), expected.poolings[mode])).toBeLessThan(
        1e-5,
      );
    },
  );

  it("is exported with its switch", async () => {
    const target = join(newFolder(), "exported");
    await exportSafetensors(await imported(pooledBy({ pooling_mode: "lasttoken" })), target);
    const vectors = await rawVectors(await imported(target), expected.phrases);
    expect(largestError(vectors, expected.poolings.lasttoken)).toBeLessThan(1e-5);
  });
});

describe("a Dense module", () => {
  it.each([
    ["as version 6 saved it", (_: string) => {}],
    [
      "as versions 2 to 5 save it",
      (folder: string) => {
        const types = ["Transformer", "Pooling", "Dense", "Normalize"];
        const paths = ["", "1_Pooling", "2_Dense", "3_Normalize"];
        const modules = types.map((type, idx) => ({
          idx,
          name: `${idx}`,
          path: paths[idx],
          type: `sentence_transformers.models.${type}`,
        }));
        writeFileSync(join(folder, "modules.json"), JSON.stringify(modules));
        const activation = "torch.nn.modules.activation.Tanh";
        const settings = { in_features: 16, out_features: 8, bias: true, activation_function: activation };
        writeFileSync(join(folder, "2_Dense/config.json"), JSON.stringify(settings));
      },
    ],
    [
      "in folders of other names",
      (folder: string) => {
        renameSync(join(folder, "2_Dense"), join(folder, "map"));
        renameSync(join(folder, "1_Pooling"), join(folder, "pool"));
        const modules = readJsonFile(join(folder, "modules.json")) as { path: string }[];
        const moved: Record<string, string> = { "1_Pooling": "pool", "2_Dense": "map" };
        const named = modules.map((module) => ({ ...module, path: moved[module.path] ?? module.path }));
        writeFileSync(join(folder, "modules.json"), JSON.stringify(named));
      },
    ],
  ])("is a part of the imported graph, %s", async (_, change) => {
    const { folder } = fixtureModel("distilbert");
    change(folder);
    const target = await imported(folder);
    expect(await readModelFolder(target)).toMatchObject({ dimension: 8 });
    const vectors = await encoded(target, async (encoder) => {
      expect(encoder.dimension).toBe(8);
      return encoder.encode(expected.phrases);
    });
    expect(largestError(vectors, expected.dense)).toBeLessThan(1e-5);
  });
});

describe("prompts of config_sentence_transformers.json", () => {
  it("are put before phrases by name", async () => {
    const target = await imported(fixtureModel("distilbert").folder);
    await encoded(target, async (encoder) => {
      const asked = await encoder.encode(expected.phrases.slice(0, 3), { promptName: "query" });
      expect(largestError(asked, expected.query.slice(0, 3))).toBeLessThan(1e-5);
      const plain = await encoder.encode(expected.phrases, { promptName: "document" });
      expect(largestError(plain, expected.dense)).toBeLessThan(1e-5);
    });
  });

  it("have a default, which an empty prompt replaces and which the fingerprint names", async () => {
    const { folder } = fixtureModel("distilbert");
    const before = await encoded(await imported(folder), (encoder) => encoder.fingerprint());
    editJson(join(folder, "config_sentence_transformers.json"), { default_prompt_name: "query" });
    await encoded(await imported(folder), async (encoder) => {
      expect(
        largestError(await encoder.encode(expected.phrases.slice(0, 3)), expected.query.slice(0, 3)),
      ).toBeLessThan(1e-5);
      expect(
        largestError(await encoder.encode(expected.phrases, { prompt: "" }), expected.dense),
      ).toBeLessThan(1e-5);
      expect(await encoder.fingerprint()).not.toBe(before);
    });
  });
});
