import { describe, expect, it } from "vitest";
import { withAnswers } from "../../../src/match/weights/answers.js";
import { scorePairs, type Weights } from "../../../src/match/weights/learn.js";
import { sigmoid } from "../../../src/match/weights/logistic.js";
import { pairClasses } from "../../../src/match/weights/pair-classes.js";
import type { PairTable } from "../../../src/match/weights/pair-table.js";
import { createRandom } from "../../../src/random.js";

const rows = 1000;
const names = ["code", "colour"];

/** Left row i meets right rows i and i + 1. Two columns of two levels, each as often 1 as 0. */
function made(): PairTable {
  const random = createRandom(5);
  const pairs = 2 * rows;
  const columns = names.map((name, field) => {
    const scale = { levels: 2, differs: 1, agrees: 1 };
    return { ...scale, name, field, from: -1, unit: field, share: 1, identifies: false };
  });
  const levels = columns.map(() => Int8Array.from({ length: pairs }, () => (random() < 0.5 ? 1 : 0)));
  return {
    ...{ isOneTable: false, rows: [rows, rows + 1] as const, columns },
    left: Int32Array.from({ length: pairs }, (_, pair) => pair >> 1),
    right: Int32Array.from({ length: pairs }, (_, pair) => (pair >> 1) + (pair & 1)),
    ...{ ...pairClasses(levels), random: levels },
  };
}

const table = made();
/** Without labels both columns say the same: a pair that agrees in one of them is as likely as not. */
const weights: Weights = {
  match: names.map(() => Float64Array.of(-2, 2)),
  ...{ related: [], relatedShare: 0, prior: 0, matches: rows },
};
const logOdds = scorePairs(table.levels, weights, table.columns);
const learned = { weights, logOdds };
const levelOf = (pair: number, column: number): number => table.levels[column][table.classOf[pair]];
const ofCode = (pair: number): number => levelOf(pair, 0);

/** Answers to every third pair: none of them share a row. */
const answered = (count: number, answer: (pair: number) => number) =>
  new Map(Array.from({ length: count }, (_, at) => [3 * at, answer(3 * at)] as const));

describe("hundreds of answers", () => {
  const known = answered(300, ofCode);
  const found = withAnswers(table, learned, known);

  it("teach which column decides", () => {
    const right = table.classOf.filter(
      (place, pair) => found.logOdds[place] > 0 === (ofCode(pair) === 1),
    ).length;
    expect(right).toBe(table.classOf.length);
    const [code, colour] = found.weights.match.map(([low, high]) => high - low);
    // Without labels both are 4, which unlabelled pairs hold on to.
    expect(code - colour).toBeGreaterThan(2);
  });

  it("are each held out once, from weights that no answer about their rows taught", () => {
    // Pairs 0 and 1 share a row, as do 3 and 4, and so on.
    const two = (at: number): number => 3 * Math.floor(at / 2) + (at % 2);
    const sharing = new Map(Array.from({ length: 300 }, (_, at) => [two(at), ofCode(two(at))] as const));
    const { heldOut } = withAnswers(table, learned, sharing);
    const pairs = heldOut!.flatMap((fold) => fold.pairs);
    expect(pairs.toSorted((a, b) => a - b)).toEqual([...sharing.keys()]);
    const foldOf = new Map(heldOut!.flatMap(({ pairs }, fold) => pairs.map((pair) => [pair, fold] as const)));
    const [left, right] = [new Map<number, number>(), new Map<number, number>()];
    for (const [pair, fold] of foldOf)
      for (const [rows, row] of [
        [left, table.left.at(pair)!],
        [right, table.right[pair]],
      ] as const) {
        expect(rows.get(row) ?? fold).toBe(fold);
        rows.set(row, fold);
      }
    expect(Math.min(left.size, right.size)).toBeLessThan(sharing.size);
    for (const { pairs, weights } of heldOut!)
      for (const pair of pairs) {
        const levels = table.levels.map((own) => Int8Array.of(own[table.classOf[pair]]));
        expect(scorePairs(levels, weights, table.columns)[0] > 0).toBe(ofCode(pair) === 1);
      }
  });

  it("are held out in folds of like size where rows connect them all", () => {
    const all = new Map(Array.from({ length: 250 }, (_, pair) => [pair, ofCode(pair)] as const));
    const { heldOut } = withAnswers(table, learned, all);
    const rows = heldOut!.map(({ pairs }) => new Set(pairs.map((pair) => table.left.at(pair)!)));
    expect(rows.reduce((sum, { size }) => sum + size, 0)).toBe(
      new Set([...all.keys()].map((pair) => table.left.at(pair)!)).size,
    );
    for (const { pairs } of heldOut!) expect(Math.abs(pairs.length - 50)).toBeLessThanOrEqual(2);
  });
});

it("answers that agree with the estimates change them little", () => {
  const random = createRandom(8);
  const known = answered(300, (pair) => (random() < sigmoid(logOdds[table.classOf[pair]]) ? 1 : 0));
  const found = withAnswers(table, learned, known);
  found.logOdds.forEach((after, place) => {
    expect(Math.abs(sigmoid(after) - sigmoid(logOdds[place]))).toBeLessThan(0.1);
  });
});

it("fewer than 200 answers, or fewer than 10 of a kind, move weights and teach none", () => {
  const few = withAnswers(table, learned, answered(199, ofCode));
  const alike = withAnswers(
    table,
    learned,
    answered(300, (pair) => (pair < 27 ? 0 : 1)),
  );
  for (const { weights, heldOut } of [few, alike]) {
    expect(heldOut).toBeUndefined();
    expect(weights.taught).toBeUndefined();
    // A factor for each column, so that weights of opposite levels stay opposite.
    for (const [low, high] of weights.match) expect(low).toBeCloseTo(-high, 12);
  }
});
