/** Times of a step on the devices of this machine, on a GPU or on SwiftShader (scripts/install-swiftshader.sh). */
import { describe, expect, it } from "vitest";
import { measureDevice } from "../../../src/runtime/devices/choose-device.js";
import { webgpuWorks } from "./webgpu-device.js";

describe.skipIf(!(await webgpuWorks()))("the step that --device auto times", () => {
  it("gives the CPU's numbers on WebGPU, and a time that decides", async () => {
    const [cpu, webgpu] = [await measureDevice("cpu"), await measureDevice("webgpu")];
    expect(cpu).toMatchObject({ works: true, detail: expect.stringContaining("ms for a step") });
    expect(webgpu).toMatchObject({ works: true, detail: expect.stringContaining("ms for a step") });
    // SwiftShader computes on the CPU, hundreds of times slower than ONNX Runtime's own kernels
    if (process.env.VK_DRIVER_FILES?.includes("swiftshader"))
      expect(webgpu.milliseconds).toBeGreaterThan(cpu.milliseconds as number);
  });
});
