/** `pearl doctor MODEL` tries what a model can do, and says what is not supported. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { ModelDiagnosis } from "../../../src/cli/doctor/model.js";
import { editJson, fixtureModel } from "../../encoder/fixture-models.js";
import { newFolder } from "../../setup/new-folder.js";
import { pearl } from "../run-here.js";

const home = newFolder();
const run = (...parameters: string[]) =>
  pearl(["doctor", ...parameters], {
    cwd: home,
    environment: { HF_HOME: join(home, "hub"), HF_HUB_OFFLINE: "1" },
  });

async function findingsOf(model: string) {
  const { stdout, code } = await run(model, "--json");
  const { works, findings } = JSON.parse(stdout) as ModelDiagnosis;
  const found = Object.fromEntries(
    findings.map(({ name, works, detail }) => [name, `${works ? "" : "not: "}${detail}`]),
  );
  return { code, works, found };
}

describe("pearl doctor MODEL", () => {
  it("says family, files, modules, pooling and prompts, and encodes and trains", async () => {
    const { code, works, found } = await findingsOf(fixtureModel("distilbert").folder);
    expect({ code, works }).toEqual({ code: 0, works: true });
    expect(found).toMatchObject({
      family: "distilbert, whose graph pearl builds from safetensors",
      weights: "model.safetensors",
      quantised: "no int8 graph; --int8 quantises the weights while it loads",
      modules: "Transformer, Pooling, Dense, Normalize",
      prompts: 'document (""), query ("a b "): --prompt-name',
      pooling: "mean",
      encode: "8 dimensions, up to 160 tokens",
      // those of the oracle's encoder, and 8 × 16 + 8 of Dense
      train: "6,624 parameters",
      export: expect.stringMatching(/^not: .*modules\.json: the model has a Dense module/),
    });
  });

  it("exports a model that is an encoder alone", async () => {
    const { found } = await findingsOf(fixtureModel("mpnet").folder);
    expect(found.export).toMatch(/^mpnet, rebuilt from its weights to \d/);
    expect(found.pooling).toBe("mean, as no file says how");
  });

  it("exits with 1 where a model cannot encode, with the reason for each part", async () => {
    const { folder } = fixtureModel("distilbert");
    editJson(join(folder, "config.json"), { model_type: "t5" });
    writeFileSync(
      join(folder, "modules.json"),
      '[{"type":"a.Transformer"},{"type":"a.LSTM","path":"1_LSTM"}]',
    );
    editJson(join(folder, "1_Pooling/config.json"), { include_prompt: false });
    const { code, works, found } = await findingsOf(folder);
    expect({ code, works }).toEqual({ code: 1, works: false });
    expect(found.family).toMatch(/^not: model_type t5 is not one of bert, .*, and there is no ONNX graph/);
    expect(found.modules).toMatch(/^not: .*has a LSTM module, which pearl does not support/);
    expect(found.prompts).toMatch(/^not: .*include_prompt/);
    for (const name of ["encode", "train", "export"])
      expect(found[name], name).toMatch(/^not: .*model_type is t5/);
    expect((await run(folder)).stdout).toMatch(
      /^encode {4}does not work: .*cannot be used; the reason is above\.\n$/ms,
    );
  });

  it("names the quantised graphs of a folder", async () => {
    const { folder } = fixtureModel("mpnet");
    await pearl(["import", folder, "-o", "small", "-q"], { cwd: home });
    const small = join(home, "small");
    const { quantizeDynamic } = await import("../../../src/onnx/rewrite/quantize.js");
    const { readModel, writeModel } = await import("../../../src/onnx/io/file.js");
    writeModel(
      quantizeDynamic(readModel(join(small, "onnx/model.onnx"))),
      join(small, "onnx/model_quantized.onnx"),
    );
    expect((await findingsOf(small)).found.quantised).toBe("onnx/model_quantized.onnx");
  });

  it("takes what is embedded", async () => {
    const { found } = await findingsOf("pearl-strings");
    expect(found).toMatchObject({
      family: expect.stringMatching(/^pearl's own, of /),
      pooling: "the graph pools",
      train: expect.stringMatching(/^not: .*no weights that can be trained/),
      export: expect.stringMatching(/^not: .*not a transformer alone.*Give an encoder of bert/),
    });
  });
});
