import { describe, expect, it } from "vitest";
import { rivalPrecision } from "../../../src/match/estimates/estimators.js";
import {
  keepPrecision,
  precisionEstimates,
  precisionLine,
  refused,
  veto,
} from "../../../src/match/estimates/promise.js";
import { posteriorPrecision, type ScoredPairs } from "../../../src/match/estimates/scored-pairs.js";
import { opposedColumn } from "../../../src/match/evidence/pair-evidence.js";
import { nameContradictions } from "../../../src/match/weights/near-mates.js";
import { everyPair } from "../../../src/match/weights/pair-classes.js";

interface Pair {
  readonly left: number;
  readonly right: number;
  readonly score: number;
  readonly accepted: boolean;
}

function scored(
  pairs: readonly Pair[],
  rows: readonly [number, number],
  more: Partial<ScoredPairs> = {},
): ScoredPairs {
  const logOdds = Float64Array.from(pairs, ({ score }) => score);
  const table = {
    ...{ isOneTable: false, rows, columns: [], levels: [], random: [], classOf: everyPair(pairs.length) },
    left: Int32Array.from(pairs, ({ left }) => left),
    right: Int32Array.from(pairs, ({ right }) => right),
  };
  return {
    ...{ table, relation: "one-to-one", logOdds },
    weights: { match: [], related: [], relatedShare: 0, prior: 0, matches: 1 },
    probability: logOdds.map((score) => 1 / (1 + Math.exp(-score))),
    accepted: everyPair(pairs.length).filter((pair) => pairs[pair].accepted),
    ...more,
  };
}

/** 100 accepted pairs of score 8; the first `rivals` left rows have a free right row of the same score. */
function withRivals(rivals: number, rows: readonly [number, number]): ScoredPairs {
  const pairs: Pair[] = [];
  for (let row = 0; row < 100; row++) {
    pairs.push({ left: row, right: row, score: 8, accepted: true });
    if (row < rivals) pairs.push({ left: row, right: 150, score: 8, accepted: false });
  }
  return scored(pairs, rows);
}

describe("precision from free rivals", () => {
  it("is near 1 where no accepted row has one", () => {
    // Tail (0 + .5) / 101 for each of 50 rows without partner, per 100 accepted pairs.
    const tail = 0.5 / 101;
    expect(rivalPrecision(withRivals(0, [150, 200]))).toBeCloseTo(1 - (50 * tail) / (1 - tail) / 100, 9);
  });

  it("falls with the share of rows that have one", () => {
    const tail = 30.5 / 101;
    // Every right row with a partner sees no free left row, so that the right side is the better one.
    const right = 1 - (100 * (0.5 / 101)) / (1 - 0.5 / 101) / 100;
    const left = 1 - (50 * tail) / (1 - tail) / 100;
    expect(rivalPrecision(withRivals(30, [150, 200]))).toBeCloseTo(Math.max(left, right), 9);
    expect(left).toBeLessThan(0.8);
  });
});

describe("contradictions", () => {
  const level = withRivals(0, [150, 200]);
  const column = { name: opposedColumn, field: -1, from: -1, levels: 5, unit: 0, share: 1 };
  const levels = [Int8Array.from({ length: 100 }, (_, pair) => (pair < 30 ? pair % 3 : pair < 40 ? -1 : 4))];
  const opposed: ScoredPairs = {
    ...{ ...level, relation: "many-to-one" },
    table: {
      ...{ ...level.table, levels, random: levels },
      columns: [{ ...column, differs: 1, agrees: 2, identifies: false }],
    },
  };

  it("are counted among the accepted pairs", () => {
    expect(nameContradictions(opposed.table, opposed.accepted)).toBe(0.3);
    expect(nameContradictions(level.table, level.accepted)).toBe(0);
  });

  it("refuse a promise of one partner each where most pairs have other codes or rare words, not other common ones", () => {
    const at = (level: number, count: number): ScoredPairs => {
      const levels = [Int8Array.from({ length: 100 }, (_, pair) => (pair < count ? level : 4))];
      return { ...opposed, relation: "one-to-one", table: { ...opposed.table, levels, random: levels } };
    };
    for (const level of [0, 1, 2]) {
      expect(veto(at(level, 76))?.strength).toBe(0.76);
      expect(veto(at(level, 75))).toBeUndefined();
    }
    expect(veto(at(3, 100))).toBeUndefined();
  });

  it("refuse a promise where rows have several partners", () => {
    const reason = "in 30 % of the likely pairs each name has words that the other row lacks";
    expect(veto(opposed)).toEqual({ strength: 0.3, reason });
    expect(veto({ ...opposed, relation: "one-to-one" })).toBeUndefined();
    const { report } = keepPrecision({ target: 0.9, levels: [opposed], fallback: () => opposed });
    expect(report.promise).toEqual({ target: 0.9, established: false, reason });
  });
});

describe("a promise of pairs that were held out", () => {
  const level = withRivals(0, [150, 200]);
  /** Of so many judged pairs that would be accepted so many are right, each a share of an answer; others are far from it. */
  const withJudged = (right: number, count: number, share = 1): ScoredPairs => {
    const would = Array.from({ length: count }, (_, at) => ({ estimate: 0.99, match: at < right, share }));
    const others = Array.from({ length: 200 }, () => ({ estimate: 0.001, match: false, share }));
    return { ...level, isTaught: true, leastProbability: 0.5, judged: [...would, ...others] };
  };
  const report = (of: ScoredPairs) => keepPrecision({ target: 0.9, levels: [of], fallback: () => of }).report;

  it("is never above what they show, whatever the model expects", () => {
    expect(report(withJudged(43, 50)).promise.established).toBe(false);
    expect(report(withJudged(43, 50)).estimate).toBeCloseTo(43 / 50, 12);
    expect(report(withJudged(178, 200)).promise.established).toBe(false);
    expect(report(withJudged(97, 100)).promise).toMatchObject({
      ...{ established: true, reason: "from judged pairs held out" },
    });
  });

  it("rests on answers, not on the pairs that share one", () => {
    expect(report(withJudged(388, 400)).promise.established).toBe(true);
    expect(report(withJudged(388, 400, 1 / 40)).promise.established).toBe(false);
  });

  it("counts pairs that are as good as certain, unless a person confirmed them", () => {
    const certainly = {
      ...withJudged(30, 50),
      probability: { at: () => 1 },
    };
    expect(report(certainly).estimate).toBeLessThan(0.7);
  });
});

describe("a promised precision", () => {
  const strict = withRivals(0, [150, 200]);
  const wide = withRivals(90, [150, 400]);

  it("takes the widest level whose smallest estimate reaches it", () => {
    const { level, report } = keepPrecision({ target: 0.9, levels: [strict, wide], fallback: () => wide });
    expect(level).toBe(strict);
    expect(report.promise.established).toBe(true);
    expect(report.estimate).toBe(Math.min(...precisionEstimates(strict).values()));
    expect(posteriorPrecision(strict)).toBeCloseTo(1 / (1 + Math.exp(-8)), 9);
  });

  it("is refused with a reason: a doubt, too few pairs, or a low estimate", () => {
    const fallback = (): ScoredPairs => strict;
    const doubtful = keepPrecision({
      target: 0.9,
      levels: [strict],
      fallback,
      doubt: "rows have several partners",
    });
    expect(doubtful.report.promise).toEqual({
      target: 0.9,
      established: false,
      reason: "rows have several partners",
    });
    const few = scored([{ left: 0, right: 0, score: 9, accepted: true }], [5, 5]);
    expect(keepPrecision({ target: 0.9, levels: [few], fallback: () => few }).report.promise.reason).toMatch(
      /^only 1 pairs? /,
    );
    const unlikely = scored(
      Array.from({ length: 60 }, (_, row) => ({ left: row, right: row, score: 0, accepted: true })),
      [60, 60],
    );
    const low = keepPrecision({ target: 0.9, levels: [unlikely], fallback: () => unlikely });
    expect(low.report.promise.reason).toBe("the estimate from column weights is 0.50");
  });
});

describe("a refused promise", () => {
  const levelOf = (count: number, score: number, leastProbability: number): ScoredPairs => ({
    ...scored(
      Array.from({ length: count }, (_, row) => ({ left: row, right: row, score, accepted: true })),
      [count, count],
    ),
    leastProbability,
  });
  // The views see .119 and .018 of the pairs as wrong.
  const levels = [levelOf(200, 2, 0.5), levelOf(120, 4, 0.9)];
  const kept = (target: number) => keepPrecision({ target, levels, fallback: () => levels[0] });

  it("names the pairs whose precision is established highest, and the precision", () => {
    const { level, report } = kept(0.99);
    expect(level).toBe(levels[0]);
    expect(report.promise.established).toBe(false);
    const { precision, ...narrower } = report.promise.narrower!;
    expect(narrower).toEqual({ pairs: 120, leastProbability: 0.9 });
    expect(kept(precision - 1e-9).level).toBe(levels[1]);
    expect(precisionLine(report)).toContain(
      `; of the best 120, ${(Math.floor(100 * precision) / 100).toFixed(2)} is`,
    );
  });

  it("says how low the precision may be where the estimates alone would keep it", () => {
    const [wide] = levels;
    const { report } = keepPrecision({ target: 0.8, levels: [wide], fallback: () => wide });
    expect(report.estimate).toBeCloseTo(0.881, 3);
    // 1 - 3 x .119, less 1.645 deviations of 200 pairs
    expect(report.promise.reason).toBe(
      "the estimate from column weights is 0.88, and the precision may be as low as 0.59",
    );
  });

  it("never gives more pairs than a lower one", () => {
    const counts = Array.from({ length: 49 }, (_, place) => 0.51 + place / 100).map((target) => {
      const { level, report } = kept(target);
      return report.promise.narrower?.pairs ?? level.accepted.length;
    });
    expect(counts).toEqual(counts.toSorted((a, b) => b - a));
    expect(new Set(counts).size).toBe(2);
  });

  it("is refused by pairs that were drawn at random, however sure the estimates are", () => {
    const [, strict] = levels;
    const allowing = (bound: number) =>
      keepPrecision({ target: 0.8, levels: [strict], fallback: () => strict, allowed: () => bound }).report
        .promise;
    expect(allowing(1).established).toBe(true);
    expect(allowing(0.7)).toMatchObject({
      established: false,
      reason: "the estimate from pairs drawn at random is 0.70",
    });
  });
});

describe("the range of an estimate", () => {
  it("is printed with the digits of the estimate, which rounding does not put outside it", () => {
    const promise = { target: 0.9, established: false, reason: "a reason" };
    expect(precisionLine({ estimate: 0.9549, low: 0.44, high: 0.9549, promise })).toBe(
      "a precision of 0.9 is not established: a reason; estimated precision 0.955 (0.440 to 0.955)",
    );
  });

  it("stands alone where it is so wide that the smallest estimate tells nothing", () => {
    const promise = { target: 0.9, established: false, reason: "a reason" };
    expect(precisionLine({ estimate: 0.113, low: 0, high: 1, promise })).toBe(
      "a precision of 0.9 is not established: a reason; the precision may be anything from 0.000 to 1.000",
    );
  });

  it("is wider for few pairs: the share of right ones strays by chance", () => {
    const of = (count: number) => refused(new Map([["a view", 0.9]]), 0.95, { count }, undefined);
    // At least .7 are right where two of three errors are not seen. Of 50 pairs (.7 × 50 + 1) / 52 = .692 are then expected,
    // with a standard deviation of .0653, and (.9 × 50 + 1) / 52 = .885 by the estimate, with .0452.
    expect(of(50).low).toBeCloseTo(0.7 - 1.645 * 0.0653, 3);
    expect(of(50).high).toBeCloseTo(0.9 + 1.645 * 0.0452, 3);
    expect(of(5000).low).toBeGreaterThan(0.68);
  });
});
