import { describe, expect, it } from "vitest";
import { calibrated, fitCalibration, type JudgedEstimate } from "../../../src/match/estimates/calibrate.js";
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

describe("calibration by labels", () => {
  it("changes nothing without labels", () => {
    expect(fitCalibration([])).toEqual({ shift: 0, slope: 1 });
    expect(calibrated(0.37, { shift: 0, slope: 1 })).toBe(0.37);
  });

  it("finds the curve that the labels were drawn from", () => {
    const { shift, slope } = fitCalibration(judgedWith(20_000, -1, 1.5));
    expect(shift).toBeCloseTo(-1, 1);
    expect(slope).toBeCloseTo(1.5, 1);
  });

  it("moves slightly towards a few labels", () => {
    const doubtful = Array.from({ length: 5 }, () => ({ estimate: 0.9, match: false }));
    const after = calibrated(0.9, fitCalibration(doubtful));
    expect(after).toBeLessThan(0.9);
    expect(after).toBeGreaterThan(0.2);
  });

  it("keeps the order of estimates even if the labels reverse it", () => {
    const turned = judgedWith(2000, 0, -2);
    const calibration = fitCalibration(turned);
    expect(calibrated(0.9, calibration)).toBeGreaterThan(calibrated(0.1, calibration));
  });
});
