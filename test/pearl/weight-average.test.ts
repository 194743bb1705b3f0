import { describe, expect, it } from "vitest";
import { ArgumentError } from "../../src/errors.js";
import { type Tensor, tensor } from "../../src/onnx/tensor.js";
import { averageWeights } from "../../src/pearl/presets.js";

const named = (entries: Record<string, number[]>) =>
  new Map<string, Tensor>(
    Object.entries(entries).map(([name, values]) => [name, tensor("float32", [values.length], values)]),
  );

describe("averages of weights", () => {
  it("lie between two models, and leave what only one has as it is", () => {
    const [a, b] = [named({ w: [4, 0], head: [7] }), named({ w: [0, 8], pooler: [1] })];
    expect(averageWeights(a, b)).toEqual(named({ w: [2, 4], head: [7] }));
    expect(averageWeights(a, b, { share: 0.25 })).toEqual(named({ w: [1, 6], head: [7] }));
    expect(() => averageWeights(a, named({ w: [1] }))).toThrow(ArgumentError);
  });
});
