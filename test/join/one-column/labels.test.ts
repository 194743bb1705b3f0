import { expect, it } from "vitest";
import { calibrateWith, noLabels, readLabels } from "../../../src/join/one-column/labels.js";
import type { Rankings } from "../../../src/match/estimates/estimate.js";
import { defaultScorer } from "../../../src/match/scorer.js";

it("an answer about a text counts once, however many rows have the text", () => {
  const count = 300;
  // The first 100 right rows have one text, as has left row 0.
  const textOf = Int32Array.from({ length: count }, (_, row) => (row < 100 ? 0 : row));
  const rankings: Rankings = {
    right: { keep: 1, rows: textOf, scores: Float32Array.from(textOf, (text) => 4 + text / count) },
    ...{ spacing: () => [1, 0, 0, 0], leftKeys: textOf, rightKeys: textOf },
  };
  const calibrated = (rows: number) => {
    const others = new Map(Array.from({ length: rows }, (_, row) => [row, new Set([0])]));
    return calibrateWith(rankings, { ...noLabels, others }, defaultScorer().estimate);
  };
  expect(calibrated(1).shift).not.toBe(0);
  expect(calibrated(100)).toEqual(calibrated(1));
});

it("answers about repeated texts count for all rows of a text, which share one set", () => {
  const texts = Array.from({ length: 400 }, (_, row) => (row < 300 ? "Acme" : `Acme ${row % 10}`));
  const known = texts.map((_, row) => ({ left: row, right: row, match: true }));
  const { matches, others } = readLabels({ left: texts, right: texts }, known);
  expect(others.size).toBe(0);
  expect(matches.get(0)).toBe(matches.get(299));
  expect(matches.get(0)!.size).toBe(300);
  expect([...matches.get(303)!]).toEqual([...texts.keys()].filter((row) => row >= 300 && row % 10 === 3));
});
