/** Messages of devices and precisions that a model does not run in: each names a cure, which is applied and works. */
import { truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { PhraseEncoder } from "../../../../src/encoder/phrase-encoder.js";
import { readModel, writeModel } from "../../../../src/onnx/io/file.js";
import { quantizeDynamic } from "../../../../src/onnx/rewrite/quantize.js";
import { pearl } from "../../../cli/run-cli.js";
import { makeOracleModel } from "../../../encoder/oracle-model.js";
import { fakeWebgpu } from "../../../runtime/fake-webgpu.js";
import { newFolder } from "../../../setup/new-folder.js";

describe("the cure in a message of a device", () => {
  it("that does not run a model works", async () => {
    const table = join(newFolder(), "phrases.txt");
    writeFileSync(table, "t1 t2\nt3\n");
    const environment = fakeWebgpu({ refused: "run" });
    const encode = (device: string) => {
      const model = makeOracleModel("encoder.folded.onnx");
      return pearl(["encode", table, "-m", model, "-o", "-", "--format", "jsonl", "--device", device], {
        environment,
      });
    };
    const refused = await encode("webgpu");
    expect(refused.code).toBe(1);
    expect(refused.stderr).toMatch(
      / does not run on device webgpu: refused \(a test\)\. Use --device cpu\.$/m,
    );
    const cured = await encode("cpu");
    expect(cured.stdout.trim().split("\n")).toHaveLength(2);
  });

  it("of a quantised graph that is asked for in half precision works", async () => {
    const folder = makeOracleModel("encoder.folded.onnx");
    const path = join(folder, "onnx", "model.onnx");
    writeModel(quantizeDynamic(await readModel(path)), path);
    await expect(PhraseEncoder.load(folder, { precision: "half" })).rejects.toThrow(
      /nodes and cannot compute in half precision\. Use "full"\.$/,
    );
    const encoder = await PhraseEncoder.load(folder, { precision: "full" });
    expect(await encoder.encode(["t1 t2"])).toHaveLength(1);
    await encoder.dispose();
  });

  it("of a graph too large for half precision works", async () => {
    const folder = makeOracleModel("encoder.folded.onnx");
    const path = join(folder, "onnx", "model.onnx");
    writeModel(await readModel(path), path, { externalData: "always" });
    truncateSync(`${path}_data`, 1.9e9); // sparse: it takes no space
    await expect(PhraseEncoder.load(folder, { precision: "half" })).rejects.toThrow(
      'a graph of over 1.8 GB cannot be converted to half precision. Use "full".',
    );
    const encoder = await PhraseEncoder.load(folder, { precision: "full" });
    expect(await encoder.encode(["t1 t2"])).toHaveLength(1);
    await encoder.dispose();
  });
});
