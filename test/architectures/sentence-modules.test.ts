/** Models of other makers: a module that pearl leaves out, and pooling that no file states or that pearl does not know. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readModelFolder } from "../../src/architectures/model-folder.js";
import { poolTokens } from "../../src/encoder/graph/device-graph.js";
import { PhraseEncoder } from "../../src/encoder/phrase-encoder.js";
import { readModel, writeModel } from "../../src/onnx/io/file.js";
import { makeOracleModel } from "../encoder/oracle-model.js";

const modules = (...names: string[]) => ({
  "modules.json": JSON.stringify(names.map((name) => ({ type: `sentence_transformers.models.${name}` }))),
});
const withDense = () => makeOracleModel("encoder.folded.onnx", modules("Transformer", "Pooling", "Dense"));

function withPooling(settings: object): string {
  const folder = makeOracleModel("encoder.folded.onnx");
  mkdirSync(join(folder, "1_Pooling"));
  writeFileSync(join(folder, "1_Pooling/config.json"), JSON.stringify(settings));
  return folder;
}

async function notesOf(folder: string): Promise<string[]> {
  const notes: string[] = [];
  const encoder = await PhraseEncoder.load(folder, { threads: 1, onNote: (note) => notes.push(note) });
  await encoder.dispose();
  return notes;
}

describe("a graph of token vectors", () => {
  it.each(["full", "half"] as const)("is refused where a Dense module comes after: %s", async (precision) => {
    await expect(PhraseEncoder.load(withDense(), { precision, threads: 1 })).rejects.toThrow(
      /modules\.json: the model has a Dense module/,
    );
  });

  it("is taken where the graph itself gives the phrase's vector, and with modules that pearl knows", async () => {
    const folder = await readModelFolder(withDense());
    writeModel(poolTokens(readModel(folder.graph), folder), folder.graph);
    await notesOf(folder.path);
    await notesOf(makeOracleModel("encoder.folded.onnx", modules("Transformer", "Pooling", "Normalize")));
  });

  it("is pooled by its mean where no file says how, with a note", async () => {
    expect(await notesOf(makeOracleModel("encoder.folded.onnx"))).toEqual([
      expect.stringMatching(/^pearl-oracle-\w+: 1_Pooling\/config\.json is missing, so .* mean$/),
    ]);
    expect(await notesOf(withPooling({ pooling_mode_cls_token: true }))).toEqual([]);
  });

  it.each([
    [
      "version 2",
      "sentence_transformers.models.",
      { pooling_mode_cls_token: true, pooling_mode_mean_tokens: false },
    ],
    ["version 5", "sentence_transformers.models.", { pooling_mode_cls_token: true, include_prompt: true }],
    [
      "version 6",
      "sentence_transformers.base.modules.transformer.",
      { pooling_mode: "cls", include_prompt: true },
    ],
    ["version 6, a list", "sentence_transformers.sentence_transformer.modules.", { pooling_mode: ["cls"] }],
  ])("is pooled as a folder saved by sentence-transformers says: %s", async (_, prefix, pooling) => {
    const folder = withPooling({ embedding_dimension: 32, ...pooling });
    const types = ["Transformer", "Pooling", "Normalize"].map((name) => ({ type: prefix + name }));
    writeFileSync(join(folder, "modules.json"), JSON.stringify(types));
    const { pooling: found, oddModule } = await readModelFolder(folder);
    expect({ found, oddModule }).toEqual({ found: "cls", oddModule: undefined });
  });

  it.each([
    [{ pooling_mode_mean_tokens: true, pooling_mode_max_tokens: true }, "mean_tokens and max_tokens"],
    [{ pooling_mode: ["mean", "max"] }, "mean and max"],
    [{ pooling_mode: "toString" }, "toString"],
    [{ embedding_dimension: 32 }, "nothing that pearl knows"],
  ])("is refused where it is pooled otherwise: %j", async (settings, named) => {
    await expect(readModelFolder(withPooling(settings))).rejects.toThrow(
      new RegExp(`1_Pooling/config\\.json: .* asks for ${named}\\. Use a model that pools in one of these`),
    );
  });

  it("takes no prompt where the pooling leaves the prompt's tokens out", async () => {
    const folder = withPooling({ pooling_mode: "mean", include_prompt: false });
    const encoder = await PhraseEncoder.load(folder, { threads: 1 });
    await expect(encoder.encode(["t3"], { prompt: "t4 " })).rejects.toThrow(
      /include_prompt.*Leave the prompt out/,
    );
    expect(await encoder.encode(["t3"])).toHaveLength(1);
    await encoder.dispose();
  });
});
