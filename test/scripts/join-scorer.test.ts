/** Training of one additional feature of the join's scorer with the other weights fixed. */
import { describe, expect, it } from "vitest";
import { type ScorerWeights, scoreFeatures } from "../../src/match/scorer.js";
import { createRandom } from "../../src/random.js";

interface Row {
  readonly features: Float32Array;
  readonly right: readonly boolean[];
  readonly late: Float32Array;
}

type FitLateFeature = (
  rows: readonly Row[],
  network: ScorerWeights,
  settings: object,
) => { weights: number[]; losses: number[] };

const { fitLateFeature } = (await import(
  new URL("../../scripts/join-scorer/fit.mjs", import.meta.url).href
)) as {
  fitLateFeature: FitLateFeature;
};

const random = createRandom(3);
const network: ScorerWeights = {
  inputs: [
    [1, -0.5],
    [-0.3, 0.8],
  ],
  hiddenBias: [0.1, -0.2],
  outputs: [1.5, -0.7],
};
/** Two candidates per row; only the additional feature identifies the correct one. */
const rows = Array.from({ length: 200 }, (): Row => {
  const features = Float32Array.from({ length: 4 }, random);
  return { features, right: [true, false], late: Float32Array.of(0.1 * random(), 0.5 + 0.5 * random()) };
});
const settings = { epochs: 30, rate: 0.05, decay: 0, batch: 20, seed: 1 };

/** Mean of -ln p of the correct candidate, computed with the scores of the join. */
function lossOf(weights: readonly number[]): number {
  const scorer = { ...network, inputs: network.inputs.map((unit, at) => [...unit, weights[at]]) };
  const losses = rows.map(({ features, right, late }) => {
    const scores = right.map((_, at) =>
      scoreFeatures(scorer, [features[2 * at], features[2 * at + 1], late[at]]),
    );
    return Math.log(1 + Math.exp(scores[1] - scores[0]));
  });
  return losses.reduce((sum, loss) => sum + loss, 0) / losses.length;
}

describe("an additional feature of the join's scorer", () => {
  it("lowers the loss, and the reported losses match the join's scores", () => {
    const { weights, losses } = fitLateFeature(rows, network, settings);
    expect(losses[0]).toBeCloseTo(lossOf([0, 0]), 6);
    expect(losses[1]).toBeCloseTo(lossOf(weights), 6);
    expect(losses[1]).toBeLessThan(losses[0] - 0.2);
  });

  it("gets weight 0 if it is always 0", () => {
    const silent = rows.map((row) => ({ ...row, late: new Float32Array(2) }));
    expect(fitLateFeature(silent, network, settings).weights).toEqual([0, 0]);
  });
});
