import { describe, expect, it } from "vitest";
import { auditOf, binomialBound, halving, interleaved } from "../../../src/match/estimates/audit.js";
import { type AcceptedLevel, refused } from "../../../src/match/estimates/promise.js";
import { createRandom } from "../../../src/random.js";

/** Pair p joins row p of both tables; all of them are accepted, or only the first ones. */
function level(pairs: number, count = pairs): AcceptedLevel {
  const rows = Int32Array.from({ length: pairs }, (_, row) => row);
  const values = new Float64Array(pairs).fill(0.9);
  return {
    table: {
      isOneTable: false,
      rows: [pairs, pairs],
      columns: [],
      levels: [],
      random: [],
      left: rows,
      right: rows,
    },
    ...{ relation: "one-to-one", logOdds: values, probability: values, count },
    weights: { match: [], related: [], relatedShare: 0, prior: 0, matches: 1 },
    accepted: Uint8Array.from(rows, (row) => (row < count ? 1 : 0)),
  };
}

const doubted = (of: AcceptedLevel) => ({
  level: of,
  report: refused(new Map([["a view", 0.5]]), 0.9, of, undefined),
});

/** Answers what the audit asks for until it asks no more or enough is answered. */
function audited(levels: AcceptedLevel[], most: number, isMatch: (row: number) => boolean) {
  const known = new Map<number, number>();
  const audit = () =>
    auditOf(
      () => levels,
      known,
      (found) => found,
    );
  while (known.size < most) {
    const [next] = audit().open(0.9);
    if (next === undefined) break;
    known.set(next.left, isMatch(next.left) ? 1 : 0);
  }
  return { known, ...audit().widest(0.9, doubted(levels[0])) };
}

describe("an audit", () => {
  it("bounds a share as Clopper and Pearson do", () => {
    // All of n are right with probability p^n.
    expect(binomialBound(29, 29)).toBeCloseTo(0.05 ** (1 / 29), 9);
    expect(binomialBound(0, 10)).toBe(0);
    // One hit of 10 or more: 1 - (1 - p)^10 = .05.
    expect(binomialBound(1, 10)).toBeCloseTo(1 - 0.95 ** (1 / 10), 9);
  });

  it("establishes a precision that 40 right pairs of 400 show, and no estimate", () => {
    const { known, report } = audited([level(400)], 40, () => true);
    expect(report.promise).toEqual({
      ...{ target: 0.9, established: true },
      reason: `${known.size} of ${known.size} pairs drawn at random from 400 are right`,
    });
    expect(report.low).toBeGreaterThan(0.9);
    expect(report.high).toBe(1);
  });

  it("ignores answers about pairs that someone chose", () => {
    const chosen = new Map(Array.from({ length: 100 }, (_, row) => [row, 1]));
    const [first] = auditOf(
      () => [level(400)],
      chosen,
      (found) => found,
    ).open(0.9);
    expect(chosen.has(first.left)).toBe(false);
    const { report } = auditOf(
      () => [level(400)],
      chosen,
      (found) => found,
    ).widest(0.9, doubted(level(400)));
    expect(report.promise.established).toBe(false);
  });

  it("is certain of a small table once every pair is judged, as the wrong ones are gone", () => {
    const known = new Map(Array.from({ length: 12 }, (_, row) => [row, row < 9 ? 1 : 0]));
    const audit = auditOf(
      () => [level(12)],
      known,
      (found) => found,
    );
    expect(audit.widest(0.9, doubted(level(12))).report).toMatchObject({ low: 1, estimate: 1, high: 1 });
  });

  it("turns to a better half where the whole is wrong", () => {
    const levels = halving([level(400), level(300, 300), level(400, 190)]);
    expect(levels.map(({ count }) => count)).toEqual([400, 190]);
    const found = audited(levels, 80, (row) => row < 190);
    expect(found.report.promise.established).toBe(true);
    expect(found.level.count).toBe(190);
  });

  it("calls a precision of .86 established in fewer than one of 20 tables", () => {
    let established = 0;
    for (let seed = 1; seed <= 100; seed++) {
      const random = createRandom(seed);
      const truth = Array.from({ length: 500 }, () => random() < 0.86);
      if (audited([level(500)], 60, (row) => truth[row]).report.promise.established) established++;
    }
    expect(established).toBeLessThan(6);
  });

  it("is asked about between the pairs that help most, each pair once", () => {
    const pair = (row: number) => ({ left: row, right: row, probability: 0.5, accepted: true });
    const found = interleaved([1, 2, 3].map(pair), [2, 9].map(pair), 4);
    expect(found.map(({ left }) => left)).toEqual([1, 2, 9, 3]);
  });
});
