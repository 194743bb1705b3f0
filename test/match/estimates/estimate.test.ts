import { describe, expect, it } from "vitest";
import {
  candidatesOf,
  estimatePairs,
  gatherEvidence,
  type Rankings,
  type RowPair,
} from "../../../src/match/estimates/estimate.js";
import { featureNames } from "../../../src/match/evidence/features.js";
import { defaultScorer, evidenceNames } from "../../../src/match/scorer.js";

/** Rankings of two right rows over three left rows; left rows 1 and 2 hold the same text. */
function rankings(
  scores: readonly (readonly [left: number, score: number])[][],
  near: number[] = [],
): Rankings {
  const keep = 3;
  const fill = (value: (pair: readonly [number, number] | undefined) => number): number[] =>
    scores.flatMap((row) => Array.from({ length: keep }, (_, place) => value(row[place])));
  return {
    right: {
      keep,
      rows: Int32Array.from(fill((pair) => pair?.[0] ?? -1)),
      scores: Float32Array.from(fill((pair) => pair?.[1] ?? -Infinity)),
    },
    spacing: () => near,
    leftKeys: Int32Array.of(0, 1, 1),
    rightKeys: Int32Array.of(0, 1),
  };
}

const bestPairs = ({ right }: Rankings): RowPair[] =>
  [0, 1].map((row) => candidatesOf(right, row)[0] ?? { left: -1, score: -Infinity });

const evidenceOf = (given: Rankings, row: number): Record<string, number> => {
  const evidence = gatherEvidence(given, bestPairs(given))[row]!;
  return Object.fromEntries(evidenceNames.map((name, at) => [name, evidence[at]]));
};

describe("the scorer's weights", () => {
  it("were trained with today's features and evidence", () => {
    expect(defaultScorer().views).toEqual(featureNames);
    expect(defaultScorer().evidence).toEqual(evidenceNames);
  });
});

describe("the evidence of a row's best pair", () => {
  it("measures the margin to the next left row with a different text", () => {
    const given = rankings([
      [
        [1, 5],
        [2, 5],
        [0, 3],
      ],
      [],
    ]);
    const { margin, share } = evidenceOf(given, 0);
    expect(margin).toBe(2);
    expect(share).toBeCloseTo(1 / (1 + Math.exp(-2)));
  });

  it("detects another left row nearer to the matched one than the right row", () => {
    const pair = [[[0, 4]], []] as const;
    expect(evidenceOf(rankings(pair as never, [6, 1, 0]), 0)).toMatchObject({
      spacing: -2,
      insideSpacing: -2,
      widerSpacing: 4,
    });
    expect(evidenceOf(rankings(pair as never, [1]), 0)).toMatchObject({
      spacing: 3,
      insideSpacing: 0,
      widerSpacing: 8,
    });
  });

  it("treats unknown spacing as no evidence", () => {
    const given: Rankings = { ...rankings([[[0, 4]], []]), spacing: () => undefined };
    expect(evidenceOf(given, 0)).toMatchObject({ spacing: 0, widerSpacing: 0, insideSpacing: 0 });
  });

  it("compares with the best other right row for the same left row", () => {
    const given = rankings([[[1, 4]], [[2, 5]]]);
    expect(evidenceOf(given, 0)).toMatchObject({ rivalry: 1, hasRival: 1 });
    expect(evidenceOf(given, 1)).toMatchObject({ rivalry: -1, hasRival: 1 });
    expect(evidenceOf(rankings([[[0, 4]], [[2, 5]]]), 0)).toMatchObject({ rivalry: 0, hasRival: 0 });
  });

  it("estimates 0 for rows without a candidate", () => {
    const given = rankings([[[0, 4]], []]);
    const weights = { bias: 1, weights: evidenceNames.map(() => 0) };
    const [first, second] = estimatePairs(given, bestPairs(given), weights);
    expect(first).toBeCloseTo(1 / (1 + Math.exp(-1)));
    expect(second).toBe(0);
  });
});
