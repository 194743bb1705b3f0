import { describe, expect, it } from "vitest";
import {
  auditOf,
  binomialBound,
  interleaved,
  likelyHalves,
  type SampledLevel,
} from "../../../src/match/estimates/audit.js";
import { refused } from "../../../src/match/estimates/promise.js";
import { createRandom } from "../../../src/random.js";

/** Pair p joins row p of both tables. */
const rows = (count: number) =>
  Array.from({ length: count }, (_, row) => ({ left: row, right: row, probability: 0.9 - row / 1e6 }));
const whole = (count: number): SampledLevel[] => likelyHalves(rows(count)).slice(0, 1);
const doubted = (count: number) => refused(new Map([["a view", 0.5]]), 0.9, { count }, undefined);

/** Answers what the audit asks for until it asks no more or enough is answered. */
function audited(levels: SampledLevel[], most: number, isMatch: (row: number) => boolean) {
  const known = new Map<number, number>();
  const audit = () => auditOf(() => levels, known);
  while (known.size < most) {
    const [next] = audit().open(0.9);
    if (next === undefined) break;
    known.set(next.left, isMatch(next.left) ? 1 : 0);
  }
  const { length } = levels[0].accepted;
  return { known, found: audit().widest(0.9, doubted(length), length) };
}

describe("an audit", () => {
  it("bounds a share as Clopper and Pearson do", () => {
    // All of n are right with probability p^n.
    expect(binomialBound(29, 29)).toBeCloseTo(0.05 ** (1 / 29), 9);
    expect(binomialBound(0, 10)).toBe(0);
    // One hit of 10 or more: 1 - (1 - p)^10 = .05.
    expect(binomialBound(1, 10)).toBeCloseTo(1 - 0.95 ** (1 / 10), 9);
    for (const draws of [299, 400, 1000, 5000])
      expect(binomialBound(draws, draws)).toBeCloseTo(0.05 ** (1 / draws), 9);
    // All but one of n: n (1 - p) p^(n - 1) + p^n = .05.
    const almost = binomialBound(999, 1000);
    expect(1000 * (1 - almost) * almost ** 999 + almost ** 1000).toBeCloseTo(0.05, 9);
  });

  it.each([
    [0.9, 0.087],
    [0.89, 0.059],
    [0.87, 0.027],
    [0.85, 0.012],
  ])(
    "of %f is established by chance within 100 answers to one level in a share of %f",
    (precision, share) => {
      // Chances of each number of right answers where the level is still asked about, as `open` and `widest` decide.
      let chances = Float64Array.of(1);
      let found = 0;
      for (let judged = 1; judged <= 100; judged++) {
        const next = new Float64Array(judged + 1);
        chances.forEach((chance, right) => {
          next[right] += chance * (1 - precision);
          next[right + 1] += chance * precision;
        });
        chances = next.map((chance, right) => {
          const isFound = chance > 0 && binomialBound(right, judged) >= 0.9;
          if (isFound) found += chance;
          return isFound || right + 1 < 0.9 * (judged + 1) ? 0 : chance;
        });
      }
      expect(found).toBeCloseTo(share, 3);
    },
  );

  it("establishes a precision that 40 right pairs of 400 show, and no estimate", () => {
    const { known, found } = audited(whole(400), 40, () => true);
    expect(found?.report.promise).toEqual({
      ...{ target: 0.9, established: true },
      reason: `${known.size} of ${known.size} pairs drawn at random from 400 are right`,
    });
    expect(found?.report.low).toBeGreaterThan(0.9);
    expect(found?.report.high).toBe(1);
  });

  it("leaves a promise alone that estimates establish for as many pairs", () => {
    const known = new Map(rows(400).map(({ left }) => [left, 1]));
    const sure = { ...doubted(400), promise: { target: 0.9, established: true, reason: "" } };
    const audit = auditOf(() => whole(400), known);
    expect(audit.widest(0.9, sure, 400)).toBeUndefined();
    expect(audit.widest(0.9, sure, 399)?.level.accepted).toHaveLength(400);
  });

  it("ignores answers about pairs that someone chose", () => {
    const chosen = new Map(Array.from({ length: 100 }, (_, row) => [row, 1]));
    const audit = auditOf(() => whole(400), chosen);
    expect(chosen.has(audit.open(0.9)[0].left)).toBe(false);
    expect(audit.widest(0.9, doubted(400), 400)).toBeUndefined();
  });

  it("is certain of a small table once every pair is judged, as the wrong ones are gone", () => {
    const known = new Map(Array.from({ length: 12 }, (_, row) => [row, row < 9 ? 1 : 0]));
    const found = auditOf(() => whole(12), known).widest(0.9, doubted(12), 12);
    expect(found?.report).toMatchObject({ low: 1, estimate: 1, high: 1 });
  });

  it("turns to a better half where the whole is wrong", () => {
    const levels = likelyHalves(rows(400));
    expect(levels.map(({ accepted }) => accepted.length)).toEqual([400, 200, 100, 50]);
    const { found } = audited(levels, 80, (row) => row < 200);
    expect(found?.report.promise.established).toBe(true);
    expect([...found!.level.accepted]).toEqual(Array.from({ length: 200 }, (_, row) => row));
  });

  it("calls a precision of .86 established in fewer than one of 20 tables", () => {
    let established = 0;
    for (let seed = 1; seed <= 100; seed++) {
      const random = createRandom(seed);
      const truth = Array.from({ length: 500 }, () => random() < 0.86);
      if (audited(whole(500), 60, (row) => truth[row]).found !== undefined) established++;
    }
    expect(established).toBeLessThan(6);
  });

  it("is asked about between the pairs that help most, each pair once", () => {
    const pair = (row: number) => ({ left: row, right: row, probability: 0.5, accepted: true });
    const found = interleaved([1, 2, 3].map(pair), [2, 9].map(pair), 4);
    expect(found.map(({ left }) => left)).toEqual([1, 2, 9, 3]);
  });
});
