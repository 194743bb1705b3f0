/** Logistic regression against scikit-learn, and the minimiser on a function with a known minimum. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { LabelledRows } from "../../../src/fewshot/classify/classifiers.js";
import { fitLogistic, minimise, rowOf, scoresOf } from "../../../src/fewshot/classify/classifiers.js";
import { softmax } from "../../../src/statistics.js";

const { cases } = JSON.parse(readFileSync("test/oracles/logistic.json", "utf8")) as {
  cases: {
    x: number[][];
    labels: number[];
    weights: number[][];
    intercepts: number[];
    probabilities: number[][];
  }[];
};

describe("logistic regression", () => {
  it.each(cases)("has scikit-learn's weights and probabilities", async (oracle) => {
    const { x, labels, weights, intercepts, probabilities } = oracle;
    const rows: LabelledRows = {
      ...{ data: Float32Array.from(x.flat()), dimension: x[0].length },
      ...{ kinds: Int32Array.from(labels), count: weights.length },
    };
    const found = await fitLogistic(rows, Int32Array.from(labels.keys()));
    weights.flat().forEach((weight, i) => {
      expect(found.weights[i]).toBeCloseTo(weight, 3);
    });
    const mean = found.bias.reduce((sum, own) => sum + own, 0) / found.bias.length;
    intercepts.forEach((intercept, kind) => {
      expect(found.bias[kind] - mean).toBeCloseTo(intercept, 3);
    });
    probabilities.forEach((expected, row) => {
      const own = softmax(scoresOf(found, rowOf(rows, row)));
      expected.forEach((probability, kind) => {
        expect(own[kind]).toBeCloseTo(probability, 4);
      });
    });
  });
});

describe("minimise", () => {
  it("finds the minimum of a badly scaled quadratic", async () => {
    const scales = [1, 100, 10_000];
    const found = await minimise(
      (at) => ({
        value: scales.reduce((sum, scale, i) => sum + (scale * (at[i] - i) ** 2) / 2, 0),
        gradient: at.map((value, i) => scales[i] * (value - i)),
      }),
      Float64Array.of(5, 5, 5),
      1e-8,
    );
    expect(Array.from(found, (value) => Math.round(value * 1e6) / 1e6)).toEqual([0, 1, 2]);
  });
});
