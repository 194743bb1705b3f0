/** The WebGPU device, on a GPU or on SwiftShader (scripts/install-swiftshader.sh), beside the CPU. */
import { afterAll, describe, expect, it } from "vitest";
import { PhraseEncoder } from "../../src/encoder/index.js";
import { encodeModel, GraphBuilder } from "../../src/onnx/index.js";
import { createSession } from "../../src/runtime/index.js";
import { hasOracle, makeOracleModel, oracleBatch, oracleExports } from "../encoder/oracle-model.js";

/** Whether a WebGPU session can be made here; the reason goes to the log where not. */
async function findWebgpu(): Promise<boolean> {
  const g = new GraphBuilder();
  g.output("y", g.add("Exp", [g.input("x", "float32", ["n"])]), "float32", ["n"]);
  try {
    const session = await createSession(encodeModel(g.model()), { device: "webgpu" });
    await session.dispose();
    return true;
  } catch (error) {
    console.log(`WebGPU tests are skipped: ${(error as Error).message}`);
    return false;
  }
}

describe.skipIf(!(await findWebgpu()) || !hasOracle)("encoding on WebGPU", () => {
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
