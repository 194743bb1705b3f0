/** Whether WebGPU can be used here: on a GPU, or on SwiftShader (scripts/install-swiftshader.sh). */
import { GraphBuilder } from "../../../src/onnx/builder.js";
import { encodeModel } from "../../../src/onnx/io/file.js";
import { createOrtSession } from "../../../src/runtime/ort-session.js";

/** True if a WebGPU session can be created; otherwise the reason is logged. */
export async function webgpuWorks(): Promise<boolean> {
  const g = new GraphBuilder();
  g.output("y", g.add("Exp", [g.input("x", "float32", ["n"])]));
  try {
    await (await createOrtSession(encodeModel(g.model()), { device: "webgpu" })).release();
    return true;
  } catch (error) {
    console.log(`WebGPU tests are skipped: ${(error as Error).message}`);
    return false;
  }
}
