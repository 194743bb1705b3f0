import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { newFolder } from "../setup/new-folder.js";
import { load } from "./load.js";
import { makeOracleModel } from "./oracle-model.js";

function largestDifference(a: ArrayLike<number>, b: ArrayLike<number>): number {
  expect(a.length).toBe(b.length);
  let largest = 0;
  for (let i = 0; i < a.length; i++) largest = Math.max(largest, Math.abs(a[i] - b[i]));
  return largest;
}

describe("PhraseEncoder on PyTorch's encoders", () => {
  it("truncates dimensions before scaling, and puts a prompt before each phrase", async () => {
    const encoder = await load(makeOracleModel("encoder.folded.onnx"));
    const [raw] = await encoder.encode(["t150 t151"], { normalize: false });
    const [short] = await encoder.encode(["t150 t151"], { truncateDim: 8 });
    const length = Math.hypot(...raw.subarray(0, 8));
    expect(
      largestDifference(
        short,
        raw.subarray(0, 8).map((x) => x / length),
      ),
    ).toBeLessThan(1e-6);
    const [prompted] = await encoder.encode(["t151"], { normalize: false, prompt: "t150 " });
    expect(largestDifference(prompted, raw)).toBeLessThan(1e-5);
  });
});

describe("PhraseEncoder with the embedded model", () => {
  it("explains what is wrong with a model's path", async () => {
    await expect(load("no/such/model/pearl-string")).rejects.toThrow(/did you mean pearl-strings/);
    await expect(load("package.json")).rejects.toThrow(/not a file/);
    const empty = newFolder();
    await expect(load(empty)).rejects.toThrow(/config\.json is missing/);
    writeFileSync(join(empty, "config.json"), "{");
    await expect(load(empty)).rejects.toThrow(/not valid JSON/);
    writeFileSync(join(empty, "config.json"), "{}");
    await expect(load(empty)).rejects.toThrow(/onnx\/model\.onnx is missing/);
  });
});

describe("vectors with types", () => {
  it("are refused if the model has no type head", async () => {
    const encoder = await load("pearl-strings");
    await expect(encoder.encodeWithTypes(["a"])).rejects.toThrow(/pearl-strings has no type head/);
  });
});
