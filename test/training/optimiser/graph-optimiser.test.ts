import { describe, expect, it } from "vitest";
import { DeviceError } from "../../../src/errors.js";
import { DeviceTensor } from "../../../src/runtime/tensor.js";
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

  it("refuses a device's tensor in a session of another device", () => {
    const tensor = new DeviceTensor({ dims: [2] } as never, "webgpu");
    expect(() => tensor.on("cpu")).toThrow(DeviceError);
  });
});
