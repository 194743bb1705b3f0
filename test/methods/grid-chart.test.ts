/** The picture of a grid. */
import { describe, expect, it } from "vitest";
import { gridChart } from "../../src/methods/ablate.js";
import { presets } from "../../src/methods/settings/method-settings.js";

const run = (value: number, mean: number) => ({
  ...{ name: `temperature=${value}`, scores: { bird: mean }, mean, cost: 0.5 - mean, steps: 4, seconds: 1 },
  ...{ against: "whole", deviation: 0.01, point: { setting: "temperature", value } as const },
});

describe("gridChart", () => {
  it("draws a panel per setting with values in order, bars of deviation, and the whole method as a line", () => {
    const whole = { name: "whole", scores: { bird: 0.5 }, mean: 0.5, cost: 0, steps: 4, seconds: 1 };
    const report = {
      corpus: { fingerprint: "f" },
      ...{ seed: 0, seeds: 3, steps: 4 },
      settings: presets["pearl-small"],
    };
    const svg = gridChart({ ...report, runs: [whole, run(0.2, 0.4), run(0.03, 0.45)] });
    expect(svg).not.toMatch(/NaN|undefined|https?:\/\/(?!www\.w3\.org)/);
    expect([...svg.matchAll(/<circle cx="([\d.]+)" cy="([\d.]+)"/g)].map(([, x, y]) => [+x, +y])).toSatisfy(
      ([[x1, y1], [x2, y2]]: number[][]) => x1 < x2 && y1 < y2,
    );
    expect(svg.indexOf(">0.03<")).toBeLessThan(svg.indexOf(">0.2<"));
    expect(svg).toMatch(/3 trainings each; bars: standard deviation/);
    expect(svg.match(/stroke-dasharray/g)).toHaveLength(1);
  });
});
