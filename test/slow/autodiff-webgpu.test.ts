/** Training graphs on WebGPU, on a GPU or on SwiftShader (scripts/install-swiftshader.sh). */
import { describe, it } from "vitest";
import { encodeModel, GraphBuilder } from "../../src/onnx/index.js";
import { createOrtSession } from "../../src/runtime/ort-session.js";
import { oracleIsHere } from "../autodiff/oracle.js";
import {
  encoders,
  expectFirstStep,
  expectFirstStepOfMerged,
  expectTwentySteps,
  fused,
} from "../autodiff/oracle-claims.js";

/** Whether a WebGPU session can be made here; the reason goes to the log where not. */
async function webgpuWorks(): Promise<boolean> {
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

const device = "webgpu";
describe.skipIf(!oracleIsHere || !(await webgpuWorks()))(
  "training graphs on WebGPU give PyTorch's numbers",
  () => {
    it.each(encoders)("losses and gradients of %s", (_, encoder) => expectFirstStep(encoder(), { device }));
    it("losses and gradients of the export whose equal weights were merged", () =>
      expectFirstStepOfMerged({ device }));
    it("20 Adam steps of the folded export", () => expectTwentySteps(fused("folded"), { device }));
  },
);
