import { describe, expect, it } from "vitest";
import {
  calibrated,
  fitCalibration,
  type JudgedEstimate,
  PSEUDO_ANSWERS,
} from "../../../src/match/estimates/calibrate.js";
import { createRandom } from "../../../src/random.js";

/** Judged estimates whose true log-odds are shift + slope × the estimated ones. */
function judgedWith(count: number, shift: number, slope: number): JudgedEstimate[] {
  const random = createRandom(2);
  return Array.from({ length: count }, () => {
    const odds = 6 * random() - 3;
    const match = random() < 1 / (1 + Math.exp(-(shift + slope * odds)));
    return { estimate: 1 / (1 + Math.exp(-odds)), match };
  });
}

const estimatesOf = (judged: readonly JudgedEstimate[]): number[] => judged.map(({ estimate }) => estimate);
/** A table's estimates: most of them high. */
const table = Array.from({ length: 400 }, (_, row) => 1 - 0.6 * (row / 400) ** 2);

describe("calibration by labels", () => {
  it("changes nothing without labels", () => {
    expect(fitCalibration([], table)).toEqual({ shift: 0, slope: 1 });
    expect(calibrated(0.37, { shift: 0, slope: 1 })).toBe(0.37);
  });

  it("finds the curve that the labels were drawn from", () => {
    const judged = judgedWith(20_000, -1, 1.5);
    const { shift, slope } = fitCalibration(judged, estimatesOf(judged));
    expect(shift).toBeCloseTo(-1, 1);
    expect(slope).toBeCloseTo(1.5, 1);
  });

  it.each([5, 20, 100])(
    "moves the table's mean estimate by at most a pseudo-answer for each of %i answers",
    (count) => {
      const mean = (values: readonly number[]): number =>
        values.reduce((sum, value) => sum + value, 0) / values.length;
      for (const estimate of [0.5, 0.7, 0.95])
        for (const match of [true, false]) {
          const calibration = fitCalibration(Array(count).fill({ estimate, match }), table);
          const moved = mean(table.map((before) => calibrated(before, calibration))) - mean(table);
          expect(match ? moved : -moved).toBeGreaterThan(0);
          expect(Math.abs(moved)).toBeLessThan(count / PSEUDO_ANSWERS + 0.01);
        }
    },
  );

  it("leaves certain pairs nearly as they are after a few answers at doubtful ones", () => {
    const calibration = fitCalibration(Array(5).fill({ estimate: 0.5, match: false }), table);
    expect(calibrated(0.5, calibration)).toBeLessThan(0.46);
    expect(calibrated(0.97, calibration)).toBeGreaterThan(0.96);
  });

  it("keeps the order of estimates even if the labels reverse it", () => {
    const turned = judgedWith(2000, 0, -2);
    const calibration = fitCalibration(turned, estimatesOf(turned));
    expect(calibrated(0.9, calibration)).toBeGreaterThan(calibrated(0.1, calibration));
  });
});
