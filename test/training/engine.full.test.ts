import { describe, expect, it } from "vitest";
import type { Tensor } from "../../src/onnx/tensor.js";
import type { Feeds } from "../../src/runtime/tensor.js";
import type { TrainingProgram } from "../../src/train.js";
import {
  type Gradient,
  GradientSum,
  numbersOf,
  openGradients,
} from "../../src/training/gradients/gradients.js";
import { asParameter, golden, parameters } from "../autodiff/oracle.js";
import { difference, largest, meaningful } from "../autodiff/oracle-claims.js";
import { denseGradient } from "./dense-gradient.js";
import { expectTwentyAdamSteps } from "./oracle-claims.js";
import { chunkedBatch, oracleProgram, wholeBatch } from "./oracle-task.js";

const startOf = (program: TrainingProgram, name: string) =>
  program.model.graph.initializers.get(name) as Tensor;

describe("the training engine on PyTorch's oracle", () => {
  it.each([
    ["folded", "in one pass"],
    ["folded.opset11", "in one pass"],
    ["folded.opset17", "in one pass"],
    ["named", "in chunks"],
    ["folded", "in chunks"],
  ] as const)("20 Adam steps of the %s export %s end at PyTorch's weights", (file, how) =>
    expectTwentyAdamSteps(oracleProgram(file), how),
  );

  it("20 steps of Adam as a graph end at PyTorch's weights", () =>
    expectTwentyAdamSteps(oracleProgram(), "in one pass", { updates: "device" }));

  it("gives the gradient of one pass where a batch is cut into chunks of any size", async () => {
    const program = oracleProgram();
    const runner = await openGradients(program);
    const weights = Object.fromEntries(runner.weights.map((name) => [name, startOf(program, name)])) as Feeds;
    const [batch] = golden().batches;
    const gradientsOf = async (input: Parameters<Awaited<ReturnType<typeof openGradients>>["run"]>[0]) => {
      const sum = new GradientSum();
      const losses = numbersOf(await runner.run(input, weights, sum));
      return { losses, gradients: sum.gradients() };
    };
    const one = await gradientsOf(wholeBatch(batch));
    for (const size of [1, 3, 16]) {
      const cut = await gradientsOf(chunkedBatch(batch, size));
      expect(cut.losses.total).toBeCloseTo(one.losses.total, 5);
      expect([...cut.gradients.keys()].sort()).toEqual([...one.gradients.keys()].sort());
      for (const [name, gradient] of one.gradients) {
        const parameter = asParameter(
          name,
          startOf(program, name),
          startOf(program, name),
          parameters(),
        ).parameter;
        if (!meaningful(parameter)) continue;
        const [a, b] = [gradient, cut.gradients.get(name) as Gradient].map((g) =>
          denseGradient(g, startOf(program, name)),
        );
        expect(difference(a, b) / largest(a), name).toBeLessThan(1e-5);
      }
    }
    await runner.release();
  });
});
