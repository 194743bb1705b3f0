import { describe, expect, it } from "vitest";
import { pearlSchedule, scheduleFactor } from "../../../src/train.js";

describe("schedules", () => {
  it("PEARL's falls to 0.98 of itself every 2,000 steps", () => {
    const at = (step: number) => scheduleFactor(pearlSchedule, step);
    expect([at(0), at(1999), at(2000), at(4000)]).toEqual([1, 1, 0.98, 0.98 ** 2]);
  });

  it("warms up in a line and falls along half a cosine", () => {
    const schedule = { kind: "warm-up-cosine", warmUp: 10, steps: 110, floor: 0.1 } as const;
    const at = (step: number) => scheduleFactor(schedule, step);
    expect([at(0), at(4), at(9)]).toEqual([0.1, 0.5, 1]);
    expect(at(10)).toBe(1);
    expect(at(60)).toBeCloseTo(0.55, 12);
    expect(at(110)).toBeCloseTo(0.1, 12);
    expect(at(500)).toBeCloseTo(0.1, 12);
  });

  it("falls in a line after the warm-up, or keeps its own way", () => {
    const linear = { kind: "warm-up-linear", warmUp: 2, steps: 6, floor: 0.2 } as const;
    const rates = Array.from({ length: 8 }, (_, step) => scheduleFactor(linear, step));
    for (const [step, rate] of [0.5, 1, 1, 0.8, 0.6, 0.4, 0.2, 0.2].entries())
      expect(rates[step]).toBeCloseTo(rate, 12);
    const constant = { kind: "constant", warmUp: 4 } as const;
    expect([0, 1, 3, 9].map((step) => scheduleFactor(constant, step))).toEqual([0.25, 0.5, 1, 1]);
    const late = { ...pearlSchedule, warmUp: 10 };
    expect([4, 10, 2000].map((step) => scheduleFactor(late, step))).toEqual([0.5, 1, 0.98]);
  });
});
