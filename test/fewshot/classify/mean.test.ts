/** The mean classifier and its estimates, worked by hand. */
import { describe, expect, it } from "vitest";
import type { LabelledRows } from "../../../src/fewshot/classify/classifiers.js";
import { fitMeans, leaveOneOut, scoresOf } from "../../../src/fewshot/classify/classifiers.js";
import {
  estimateOf,
  foldsHeldOut,
  likeliestFactor,
  meansHeldOut,
} from "../../../src/fewshot/classify/train.js";
import { createRandom } from "../../../src/random.js";

const rowsOf = (points: readonly (readonly number[])[], kinds: readonly number[]): LabelledRows => ({
  ...{ data: Float32Array.from(points.flat()), dimension: points[0].length },
  ...{ kinds: Int32Array.from(kinds), count: Math.max(...kinds) + 1 },
});

describe("the mean classifier", () => {
  // two kinds in the plane: (1, 0) and (0, 1) have the mean (1, 1) / √2; (-1, 0) is alone
  const rows = rowsOf(
    [
      [1, 0],
      [0, 1],
      [-1, 0],
    ],
    [0, 0, 1],
  );

  it("scores a phrase by its cosine with the mean of each kind", () => {
    const classifier = fitMeans(rows, Int32Array.of(0, 1, 2));
    const [first, second] = scoresOf(classifier, Float32Array.of(1, 0));
    expect(first).toBeCloseTo(Math.SQRT1_2, 12);
    expect(second).toBe(-1);
  });

  it("leaves an example out of its own mean, and gives no score to the only one of its kind", () => {
    const [first, second, third] = leaveOneOut(rows);
    expect(Array.from(first!)).toEqual([0, -1]);
    expect(Array.from(second!)).toEqual([0, 0]);
    expect(third).toBeUndefined();
  });

  it("scores each left-out example as a classifier of the others does", () => {
    const random = createRandom(3);
    const points = Array.from({ length: 12 }, () => Array.from({ length: 5 }, () => random() - 0.5));
    const many = rowsOf(
      points,
      points.map((_, i) => i % 3),
    );
    const all = Array.from(points.keys());
    leaveOneOut(many).forEach((scores, row) => {
      const others = fitMeans(many, Int32Array.from(all.filter((other) => other !== row)));
      const expected = scoresOf(others, Float32Array.from(points[row]));
      expected.forEach((score, kind) => {
        expect(scores![kind]).toBeCloseTo(score, 6);
      });
    });
  });
});

describe("the estimate", () => {
  const scores = (own: number) => Float64Array.of(own, 0);

  it("counts right answers, and those that are sure enough", () => {
    // softmax of (2, 0) is 0.88, of (0.2, 0) 0.55; the last one is wrong
    const examples = [2, 2, 0.2, 0.2].map((own, i) => ({ kind: i === 3 ? 1 : 0, scores: scores(own) }));
    const { accuracy, answered, precision } = estimateOf(examples, 1, 0.6);
    expect({ accuracy, answered, precision }).toEqual({ accuracy: 0.75, answered: 0.5, precision: 1 });
  });

  it("is not certain after six right answers, and has no precision where nothing is answered", () => {
    const examples = Array.from({ length: 6 }, () => ({ kind: 0, scores: scores(0.1) }));
    // Wilson's interval of 6 out of 6: from 6 / (6 + 1.96²)
    const { accuracy, low, high, precision } = estimateOf(examples, 1, 0.9);
    expect({ accuracy, low, high }).toEqual({
      accuracy: 1,
      low: expect.closeTo(6 / (6 + 1.96 ** 2)),
      high: expect.closeTo(1),
    });
    expect(precision).toBeUndefined();
  });

  it("finds the factor whose probability is the share of right answers", () => {
    // 300 of 400 are right with scores (1, 0): σ(factor) = 0.75, factor = log 3, moved a little by Platt's targets
    const examples = Array.from({ length: 400 }, (_, i) => ({ kind: i < 300 ? 0 : 1, scores: scores(1) }));
    expect(likeliestFactor(examples)).toBeCloseTo(Math.log(3), 1);
  });

  it("does not become certain after three examples that are all right", () => {
    const factor = likeliestFactor([1, 1, 1].map((own) => ({ kind: 0, scores: scores(own) })));
    // Platt's target is 1 - 1/5
    expect(1 / (1 + Math.exp(-factor))).toBeCloseTo(0.8, 2);
  });

  it("judges each example once, by a classifier that has not seen it", async () => {
    const points = Array.from({ length: 20 }, (_, i) => [i, 1]);
    const rows = rowsOf(
      points,
      points.map((_, i) => i % 2),
    );
    const seen: number[][] = [];
    const heldOut = await foldsHeldOut(
      rows,
      async (given, chosen) => {
        seen.push(Array.from(chosen));
        return fitMeans(given, chosen);
      },
      0,
    );
    expect(heldOut).toHaveLength(20);
    expect(seen.map((chosen) => chosen.length)).toEqual([16, 16, 16, 16, 16]);
    expect(meansHeldOut(rows)).toHaveLength(20);
  });
});
