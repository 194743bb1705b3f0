/** How the join's small model learns one more feature, while its other weights are held. */
import { describe, expect, it } from "vitest";
import { type ScorerWeights, scoreFeatures } from "../../src/match/scorer.js";
import { createRandom } from "../../src/random.js";

interface Row {
  readonly features: Float32Array;
  readonly right: readonly boolean[];
  readonly more: Float32Array;
}

type FitView = (
  rows: readonly Row[],
  network: ScorerWeights,
  settings: object,
) => { weights: number[]; losses: number[] };

const { fitView } = (await import(new URL("../../scripts/join-scorer/fit.mjs", import.meta.url).href)) as {
  fitView: FitView;
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
/** Two candidates a row, of which only the further feature knows the right one. */
const rows = Array.from({ length: 200 }, (): Row => {
  const features = Float32Array.from({ length: 4 }, random);
  return { features, right: [true, false], more: Float32Array.of(0.1 * random(), 0.5 + 0.5 * random()) };
});
const settings = { epochs: 30, rate: 0.05, decay: 0, batch: 20, seed: 1 };

/** Mean of -ln of the right candidate's share, as the join itself scores. */
function lossOf(weights: readonly number[]): number {
  const scorer = { ...network, inputs: network.inputs.map((unit, at) => [...unit, weights[at]]) };
  const losses = rows.map(({ features, right, more }) => {
    const scores = right.map((_, at) =>
      scoreFeatures(scorer, [features[2 * at], features[2 * at + 1], more[at]]),
    );
    return Math.log(1 + Math.exp(scores[1] - scores[0]));
  });
  return losses.reduce((sum, loss) => sum + loss, 0) / losses.length;
}

describe("one more feature of the join's scorer", () => {
  it("is learned from the loss without it down to one that the join's own scores have too", () => {
    const { weights, losses } = fitView(rows, network, settings);
    expect(losses[0]).toBeCloseTo(lossOf([0, 0]), 6);
    expect(losses[1]).toBeCloseTo(lossOf(weights), 6);
    expect(losses[1]).toBeLessThan(losses[0] - 0.2);
  });

  it("gets no weight where it says nothing", () => {
    const silent = rows.map((row) => ({ ...row, more: new Float32Array(2) }));
    expect(fitView(silent, network, settings).weights).toEqual([0, 0]);
  });
});
