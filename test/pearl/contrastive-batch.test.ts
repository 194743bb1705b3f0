import { describe, expect, it } from "vitest";
import { readModelFolder } from "../../src/architectures/model-folder.js";
import { readModel } from "../../src/onnx/io/file.js";
import { openReader } from "../../src/pearl/contrastive-batch.js";
import type { Device } from "../../src/runtime/device.js";
import { makeOracleModel } from "../encoder/oracle-model.js";

describe("openReader", () => {
  const paddingOf = async (path: string, device: Device) => {
    const folder = await readModelFolder(path);
    const { features } = folder;
    const reader = await openReader(folder, { model: readModel(folder.graph), features }, device);
    return [3, 9, 17, 63].map((longest) => reader.features[reader.primary].padded(longest));
  };

  it("pads tokens to few lengths on a GPU, at most what the model reads, and nowhere else", async () => {
    const transformer = makeOracleModel("encoder.folded.onnx");
    expect(await paddingOf(transformer, "webgpu")).toEqual([8, 16, 32, 64]);
    expect(await paddingOf(transformer, "cpu")).toEqual([3, 9, 17, 63]);
    expect(await paddingOf("models/pearl-strings", "webgpu")).toEqual([3, 9, 17, 63]);
  });
});
