/** Training graphs on WebGPU, on a GPU or on SwiftShader (scripts/install-swiftshader.sh). */
import { describe, it } from "vitest";
import {
  encoders,
  expectFirstStep,
  expectFirstStepOfMerged,
  expectTwentySteps,
  expectTwentyStepsOfMergedAsOnCpu,
} from "../../autodiff/oracle-claims.js";
import { webgpuWorks } from "./webgpu-device.js";

const device = "webgpu";
describe.skipIf(!(await webgpuWorks()))("training graphs on WebGPU give PyTorch's numbers", () => {
  it.each(encoders)("losses and gradients of %s", (_, encoder) => expectFirstStep(encoder(), { device }));
  it("losses and gradients of the export with equal weights merged", () =>
    expectFirstStepOfMerged({ device }));
  // the other exports have the same weights, and their gradients are compared above
  it.each(encoders.filter(([name]) => !/opset|in pieces/.test(name)))("20 Adam steps of %s", (_, encoder) =>
    expectTwentySteps(encoder(), { device }),
  );
  it("20 Adam steps of the merged export, as the CPU takes them", () =>
    expectTwentyStepsOfMergedAsOnCpu({ device }));
});
