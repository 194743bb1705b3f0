/** The WebGPU device, on a GPU or on SwiftShader (scripts/install-swiftshader.sh), compared with the CPU. */
import { afterAll, describe, expect, it } from "vitest";
import { PhraseEncoder } from "../../../src/encoder/phrase-encoder.js";
import { makeOracleModel, oracleBatch, oracleExports } from "../../encoder/oracle-model.js";
import { webgpuWorks } from "./webgpu-device.js";

describe.skipIf(!(await webgpuWorks()))("encoding on WebGPU", () => {
  const open: PhraseEncoder[] = [];
  afterAll(() => Promise.all(open.map((encoder) => encoder.dispose())));

  it.each(oracleExports)("gives PyTorch's vectors to 1e-5: %s", async (graph) => {
    const encoder = await PhraseEncoder.load(makeOracleModel(graph), { device: "webgpu" });
    open.push(encoder);
    expect(encoder.device).toBe("webgpu");
    const { phrases, embeddings } = oracleBatch();
    const vectors = await encoder.encode(phrases, { normalize: false });
    vectors.forEach((vector, row) => {
      for (let i = 0; i < vector.length; i++)
        expect(Math.abs(vector[i] - embeddings[row][i])).toBeLessThan(1e-5);
    });
  });
});
