import { describe, expect, it } from "vitest";
import type { Tensor } from "../../src/onnx/tensor.js";
import { feedsOf, golden, openTask } from "./oracle.js";
import {
  difference,
  encoders,
  expectFirstStep,
  expectFirstStepOfMerged,
  expectTwentySteps,
  written,
} from "./oracle-claims.js";

describe("training graphs give PyTorch's numbers", () => {
  it.each(encoders)("losses and gradients of %s", (_, encoder) => expectFirstStep(encoder()));
  it("losses and gradients of the export with equal weights merged", () => expectFirstStepOfMerged());
  it.each(encoders)("20 Adam steps of %s", (_, encoder) => expectTwentySteps(encoder()));

  it("gradients of a table's rows, added up, are the table's gradient", async () => {
    const [batch] = golden().batches;
    const dense = await openTask(written());
    const sparse = await openTask(written(), { tables: "rows" });
    const [whole, apart] = [await dense.run(batch), await sparse.run(batch)];
    expect([...sparse.rows.keys()].sort()).toEqual(
      [...dense.gradients.keys()].filter((name) => name.includes("_embeddings")).sort(),
    );
    for (const [name, parts] of sparse.rows) {
      const [rows, width] = (dense.weights.get(name) as Tensor).dims;
      const sum = new Float32Array(rows * width);
      for (const { indices, values } of parts) {
        const where = { ...feedsOf(batch), ...apart }[indices].data;
        const numbers = apart[values].data as Float32Array;
        numbers.forEach((x, i) => {
          sum[Number(where[Math.floor(i / width)]) * width + (i % width)] += x;
        });
      }
      expect(difference(sum, whole[dense.gradients.get(name) as string].data as Float32Array)).toBeLessThan(
        1e-6,
      );
    }
  });
});
