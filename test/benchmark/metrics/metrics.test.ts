/** The metrics against SciPy and scikit-learn (test/oracles/metrics.py), and the join metric by hand. */
import { describe, expect, it } from "vitest";
import {
  averageRanks,
  joinAtPrecision,
  normalizedMutualInformation,
  pearson,
  rocAuc,
  spearman,
} from "../../../src/benchmark/metrics.js";
import oracle from "../../oracles/metrics.json" with { type: "json" };

describe("correlations", () => {
  it.each(oracle.correlations.map((example, index) => [index, example] as const))(
    "equal SciPy's on example %i",
    (_, { x, y, ...expected }) => {
      expect(pearson(x, y)).toBeCloseTo(expected.pearson, 7);
      expect(spearman(x, y)).toBeCloseTo(expected.spearman, 12);
      expect([...averageRanks(x)]).toEqual(expected.ranksOfX);
    },
  );

  it("are not defined if one side does not vary", () => {
    expect(() => pearson([1, 1, 1], [1, 2, 3])).toThrow("all numbers of one side are equal");
    expect(() => pearson([1, Number.NaN, 2], [1, 2, 3])).toThrow("NaN");
  });
});

describe("the area under the ROC curve", () => {
  it.each(oracle.areas.map((example, index) => [index, example] as const))(
    "equals scikit-learn's on example %i, ties included",
    (_, { scores, positive, auc }) => {
      expect(rocAuc(scores, positive)).toBeCloseTo(auc, 12);
    },
  );

  it("needs both classes and numbers", () => {
    expect(() => rocAuc([1, 2], [true, true])).toThrow("positives and negatives");
    expect(() => rocAuc([1, Number.NaN], [true, false])).toThrow("score 1 is NaN");
  });
});

describe("normalised mutual information", () => {
  it.each(oracle.informations.map((example, index) => [index, example] as const))(
    "equals scikit-learn's on example %i",
    (_, { a, b, nmi }) => {
      expect(normalizedMutualInformation(a, b)).toBeCloseTo(nmi, 12);
    },
  );
});

describe("recall at a precision", () => {
  const rows = [
    { score: 0.9, credit: 1 },
    { score: 0.8, credit: 1 },
    { score: 0.7, credit: 0 }, // a row without a match
    { score: 0.6, credit: 1 },
    { score: 0.5, credit: 0 },
  ];

  it("takes the threshold of highest recall whose precision meets the target", () => {
    // By hand: joining 2 rows has precision 1, 4 rows 3/4, 5 rows 3/5; 4 rows in all have a match.
    expect(joinAtPrecision(rows, { matches: 4, targetPrecision: 0.9 })).toMatchObject({
      reached: true,
      precision: 1,
      recall: 0.5,
      threshold: 0.8,
      joined: 2,
    });
    expect(joinAtPrecision(rows, { matches: 4, targetPrecision: 0.75 })).toMatchObject({
      precision: 0.75,
      recall: 0.75,
      joined: 4,
    });
  });

  it("joins rows of equal similarity together or not at all", () => {
    const tied = [
      { score: 0.9, credit: 1 },
      { score: 0.9, credit: 0 },
    ];
    expect(joinAtPrecision(tied, { matches: 2, targetPrecision: 0.9 })).toMatchObject({
      reached: false,
      recall: 0,
      threshold: null,
    });
  });
});
