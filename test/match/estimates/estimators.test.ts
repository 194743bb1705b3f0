import { describe, expect, it } from "vitest";
import type { JudgedEstimate } from "../../../src/match/estimates/calibrate.js";
import { answeredPrecision } from "../../../src/match/estimates/estimators.js";
import { keepPrecision } from "../../../src/match/estimates/promise.js";
import type { ScoredPairs } from "../../../src/match/estimates/scored-pairs.js";
import { everyPair } from "../../../src/match/weights/pair-classes.js";

/** Pairs of which 200 are accepted, at estimates from 0.7 to 0.99; the rows that are left have no rivals. */
function level(judged: readonly JudgedEstimate[], rows = 200): ScoredPairs {
  const probability = Float64Array.from({ length: 200 }, (_, pair) => 0.7 + (0.29 * pair) / 199);
  const left = Int32Array.from(probability.keys());
  return {
    table: {
      ...{ isOneTable: false, rows: [rows, rows], columns: [], levels: [], random: [] },
      ...{ left, right: left, classOf: everyPair(200) },
    },
    ...{ relation: "one-to-one", judged, probability },
    weights: { match: [], related: [], relatedShare: 0, prior: 0, matches: 200 },
    logOdds: probability.map((p) => Math.log(p / (1 - p))),
    accepted: left,
  };
}

const answers = (count: number, match: boolean): JudgedEstimate[] =>
  Array.from({ length: count }, (_, place) => ({ estimate: 0.7 + (0.29 * place) / count, match }));

describe("an estimate of precision", () => {
  it("is itself without answers", () => {
    expect(answeredPrecision(level([]), 0.83)).toBe(0.83);
  });

  it.each([0.3, 0.6, 0.9])(
    "of %f rises with right pairs and falls with wrong ones, by the share of answers",
    (estimate) => {
      for (const count of [5, 20, 100]) {
        const [up, down] = [true, false].map((match) =>
          answeredPrecision(level(answers(count, match)), estimate),
        );
        expect(up).toBeGreaterThan(estimate);
        expect(down).toBeLessThan(estimate);
        expect(up).toBeLessThanOrEqual((100 * estimate + count) / (100 + count) + 0.05);
        expect(down).toBeGreaterThanOrEqual((100 * estimate) / (100 + count) - 0.05);
      }
    },
  );

  it("hardly moves where the answers are what it expects", () => {
    const mixed = [...answers(17, true), ...answers(3, false)];
    expect(Math.abs(answeredPrecision(level(mixed), 0.85) - 0.85)).toBeLessThan(0.02);
  });
});

describe("a promise", () => {
  const promised = (judged: readonly JudgedEstimate[], target: number) => {
    // The weights take answers in by themselves; here they are left as they are.
    const made = level(judged);
    return keepPrecision({ target, levels: [made], fallback: () => made }).report.promise;
  };

  it("that the estimates established is refused if people find wrong pairs", () => {
    expect(promised([], 0.45).established).toBe(true);
    const { established, reason } = promised(answers(60, false), 0.45);
    expect(established).toBe(false);
    expect(reason).toContain("rows without a partner");
  });
});
