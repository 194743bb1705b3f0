import { describe, expect, it } from "vitest";
import { DeviceError } from "../../../src/errors.js";
import { tensor } from "../../../src/onnx/tensor.js";
import { DeviceTensor } from "../../../src/runtime/tensor.js";
import { createGraphOptimiser } from "../../../src/training/optimiser/graph-optimiser.js";
import { expectSameTraining } from "../same-training.js";

describe("Adam as a graph, with weights on the device", () => {
  it.each([
    ["plain", {}],
    ["with clipping", { clipNorm: 0.05 }],
    ["with decay added to gradients", { optimiser: { weightDecay: 0.1 } }],
    ["with decay taken off weights", { optimiser: { kind: "adamw", weightDecay: 0.1 } }],
    [
      "with a larger rate for the table",
      { optimiser: { kind: "adamw", weightDecay: 0.1, rateFactors: { "table.weight": 3 } } },
    ],
  ] as const)("moves weights as the loop in memory does: %s", async (_, options) => {
    await expectSameTraining(options, { device: "cpu", updates: "device" });
  });

  it("takes off a decay that has few digits beside 1", async () => {
    const weights = [1.1, 1.3, 1.7];
    const start = new Map([["w", tensor("float32", [1, 3], weights)]]);
    const options = { optimiser: { kind: "adamw", weightDecay: 1 } } as const;
    const optimiser = await createGraphOptimiser(start, options, { device: "cpu" });
    // 1 less this is 1 less 2 × 2⁻²⁴ in float32
    const rate = 2.49 * 2 ** -24;
    await optimiser.update(optimiser.sink(), { rate, losses: {} });
    const found = (await optimiser.weights()).get("w")?.data as Float32Array;
    expect([...found]).toEqual(weights.map((w) => Math.fround(Math.fround(w) * (1 - rate))));
    await optimiser.release();
  });

  it("refuses a device's tensor in a session of another device", () => {
    const tensor = new DeviceTensor({ dims: [2] } as never, "webgpu");
    expect(() => tensor.on("cpu")).toThrow(DeviceError);
  });
});
