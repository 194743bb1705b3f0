import { describe, expect, it } from "vitest";
import { addOuter, fitLogistic, inverseOf, sigmoid, solve } from "../../../src/match/weights/logistic.js";
import { createRandom } from "../../../src/random.js";

describe("the regression", () => {
  it("finds the coefficients that answers were drawn from", () => {
    const random = createRandom(3);
    const points = Array.from({ length: 20_000 }, () => {
      const features = [1, 4 * random() - 2, 2 * random()];
      const offset = random() - 0.5;
      const chance = sigmoid(offset - 0.5 + 1.5 * features[1] - features[2]);
      return { features, offset, answer: random() < chance ? 1 : 0 };
    });
    const found = fitLogistic(points, [1e-6, 1e-6, 1e-6]);
    [-0.5, 1.5, -1].forEach((value, place) => {
      expect(Math.abs(found[place] - value)).toBeLessThan(0.1);
    });
  });

  it("stays at 0 where answers are as expected, and near it under a strong prior", () => {
    const expected = [-2, 0, 3].map((offset) => ({ features: [1, offset], offset, answer: sigmoid(offset) }));
    for (const value of fitLogistic(expected, [1, 1])) expect(value).toBeCloseTo(0, 8);
    const yes = Array.from({ length: 10 }, () => ({ features: [1], offset: 0, answer: 1 }));
    // One coefficient: precision × x = 10 × (1 - sigmoid(x)).
    const [x] = fitLogistic(yes, [100]);
    expect(100 * x).toBeCloseTo(10 * (1 - sigmoid(x)), 6);
  });

  it("takes a point of a greater weight for several", () => {
    const point = { features: [1, 2], offset: 0.5, answer: 0 };
    const other = { features: [1, -1], offset: 0, answer: 1 };
    const found = fitLogistic([{ ...point, weight: 2 }, other], [1, 1]);
    fitLogistic([point, point, other], [1, 1]).forEach((value, place) => {
      expect(found[place]).toBeCloseTo(value, 9);
    });
  });

  it("takes features by their places as it takes them with zeros between", () => {
    const whole = [
      { features: [1, 0, 2], offset: 0.5, answer: 0 },
      { features: [0, -1, 1], offset: 0, answer: 1 },
    ];
    const sparse = [
      { features: [1, 2], places: [0, 2], offset: 0.5, answer: 0 },
      { features: [1, -1], places: [2, 1], offset: 0, answer: 1 },
    ];
    expect(fitLogistic(sparse, [1, 2, 3])).toEqual(fitLogistic(whole, [1, 2, 3]));
  });

  it("keeps coefficients near each other as a prior of their difference says", () => {
    // The same prior in other coordinates: a = s, b = s + d, with precision 4 for d.
    const [yes, no] = [1, 0].map((answer) => ({ offset: 0, answer, weight: 5 }));
    const points = [
      { ...yes, features: [1, 0] },
      { ...no, features: [0, 1] },
    ];
    const [a, b] = fitLogistic(points, [1, 0], [{ places: [0, 1], precision: 4 }]);
    const turned = [
      { ...yes, features: [1, 0] },
      { ...no, features: [1, 1] },
    ];
    const [s, d] = fitLogistic(turned, [1, 4]);
    expect(a).toBeCloseTo(s, 8);
    expect(b).toBeCloseTo(s + d, 8);
    expect(a).toBeGreaterThan(b);
  });
});

it("a symmetric positive definite system is solved, and its matrix inverted", () => {
  const matrix = new Float64Array(9);
  for (const row of [
    [2, 1, 0],
    [0, 3, 1],
    [1, 0, 1],
  ])
    addOuter(matrix, row, 1);
  const right = [1, -2, 3];
  const found = solve(matrix, right);
  const inverse = inverseOf(matrix);
  for (let i = 0; i < 3; i++) {
    const rowOf = (values: Float64Array): number[] => [...values.subarray(3 * i, 3 * i + 3)];
    expect(rowOf(matrix).reduce((sum, value, j) => sum + value * found[j], 0)).toBeCloseTo(right[i], 9);
    expect(rowOf(inverse).reduce((sum, value, j) => sum + value * right[j], 0)).toBeCloseTo(found[i], 9);
  }
});
