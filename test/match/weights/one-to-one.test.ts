import { describe, expect, it } from "vitest";
import { competedProbabilities, matchingBeliefs } from "../../../src/match/weights/one-to-one.js";
import { type Probabilities, probabilityAt } from "../../../src/match/weights/pair-blocks.js";
import { everyPair } from "../../../src/match/weights/pair-classes.js";
import type { PairTable, Relation } from "../../../src/match/weights/pair-table.js";
import { createRandom } from "../../../src/random.js";

function pairs(left: number[], right: number[], rows: [number, number]): PairTable {
  const classes = { classOf: everyPair(left.length), levels: [new Int8Array(left.length)] };
  const none = { isOneTable: false, columns: [], random: [], ...classes };
  return { ...none, left: Int32Array.from(left), right: Int32Array.from(right), rows };
}

const competing = (table: PairTable, relation: Relation, logOdds: number[], matches: number) =>
  competedProbabilities(table, relation, { logOdds: Float64Array.from(logOdds), matches });

/** The probability of any pair. */
const chances = (table: PairTable, probabilities: Probabilities) => (pair: number) =>
  probabilityAt(table, probabilities, pair);

describe("competition for a partner", () => {
  it("gives each row's candidates and none one unit of probability", async () => {
    // One left row with two candidates of even odds, matches 1 of 100 rows: shift -ln(0.99).
    const table = pairs([0, 0], [0, 1], [100, 100]);
    const probability = chances(table, await competing(table, "one-to-one", [0, 0], 1));
    const odds = 1 / 0.99;
    expect(probability(0)).toBeCloseTo(odds / (1 + 2 * odds), 12);
    expect(probability(0) + probability(1)).toBeLessThan(1);
  });

  it("takes the smaller share of a pair's two rows", async () => {
    const table = pairs([0, 1], [0, 0], [1000, 1000]);
    const probability = chances(table, await competing(table, "one-to-one", [3, 3], 1e-9));
    expect(probability(0)).toBeCloseTo(Math.exp(3) / (1 + 2 * Math.exp(3)), 9);
  });

  it("leaves a left row several partners where only right rows have one", async () => {
    const table = pairs([0, 0, 1], [0, 1, 1], [1000, 1000]);
    const probability = chances(table, await competing(table, "many-to-one", [3, 3, 3], 1e-9));
    const odds = Math.exp(3);
    expect(probability(0)).toBeCloseTo(odds / (1 + odds), 9);
    expect(probability(1)).toBeCloseTo(odds / (1 + 2 * odds), 9);
    const turned = chances(table, await competing(table, "one-to-many", [3, 3, 3], 1e-9));
    expect(turned(0)).toBeCloseTo(odds / (1 + 2 * odds), 9);
    expect(turned(2)).toBeCloseTo(odds / (1 + odds), 9);
  });
});

/** Probability of each pair over all one-to-one matchings, each with the product of its pairs' odds as weight. */
function byEnumeration({ left, right }: PairTable, odds: readonly number[]): number[] {
  const sums = odds.map(() => 0);
  let total = 0;
  for (let chosen = 0; chosen < 2 ** odds.length; chosen++) {
    const members = odds.map((_, pair) => pair).filter((pair) => (chosen >> pair) & 1);
    const isMatching =
      new Set(members.map((pair) => left.at(pair))).size === members.length &&
      new Set(members.map((pair) => right[pair])).size === members.length;
    if (!isMatching) continue;
    const weight = members.reduce((product, pair) => product * odds[pair], 1);
    total += weight;
    for (const pair of members) sums[pair] += weight;
  }
  return sums.map((sum) => sum / total);
}

const beliefs = (
  table: PairTable,
  logOdds: readonly number[],
  matches: number,
  related?: readonly number[],
) =>
  matchingBeliefs(table, {
    ...{ logOdds: Float64Array.from(logOdds), matches },
    related: related && Float64Array.from(related),
  });

describe("beliefs of a one-to-one matching", () => {
  it("are exact where the pairs form a tree", async () => {
    // 0-0, 0-1, 1-1, 1-2: a path.
    const table = pairs([0, 0, 1, 1], [0, 1, 1, 2], [1000, 1000]);
    const odds = [2, 5, 3, 0.5];
    const expected = byEnumeration(table, odds);
    const found = await beliefs(table, odds.map(Math.log), 1e-9);
    found.forEach((belief, pair) => expect(belief).toBeCloseTo(expected[pair], 6));
  });

  it("believe that a tenth of many rows have no partner, although all seem to have one", async () => {
    const believed = async (rows: number): Promise<number> => {
      const table = pairs([0], [0], [rows, rows + 5]);
      return (await beliefs(table, [Math.log(2)], rows))[0];
    };
    // Odds of 2 against 1 that a look-alike is the same become 20 against 1, and no more; of a few rows 100 against 1.
    expect(await believed(50)).toBeCloseTo(20 / 21);
    expect(await believed(49)).toBeCloseTo(100 / 101);
  });

  it("believe that a quarter of the near misses have no partner, although all rows seem to have one", async () => {
    const table = pairs([0], [0], [50, 55]);
    // Odds of 2 against 1: among what is no match all, none or half are near misses.
    const believed = async (related: number) => (await beliefs(table, [Math.log(2)], 50, [related]))[0];
    expect(await believed(0)).toBeCloseTo(20 / 21);
    expect(await believed(1)).toBeCloseTo(8 / 9);
    expect(await believed(0.5)).toBeCloseTo(2 / (2 + 0.175));
  });

  it("let a rival count less if it has a better partner", async () => {
    // Right row 1 is wanted by left 0 too, but left 0 has right 0 for certain.
    const table = pairs([0, 0, 1], [0, 1, 1], [1000, 1000]);
    const [, , alone] = await beliefs(table, [15, 4, 4], 1e-9);
    const softmax = await competing(table, "one-to-one", [15, 4, 4], 1e-9);
    expect(alone).toBeGreaterThan(0.97);
    expect(probabilityAt(table, softmax, 2)).toBeLessThan(0.5);
  });

  it("stay probabilities, and of a row sum to 1 at most", async () => {
    const random = createRandom(2);
    for (let round = 0; round < 50; round++) {
      const [left, right]: [number[], number[]] = [[], []];
      for (let a = 0; a < 6; a++)
        for (let b = 0; b < 6; b++)
          if (random() < 0.5) {
            left.push(a);
            right.push(b);
          }
      const table = pairs(left, right, [6, 6]);
      const logOdds = left.map(() => 12 * random() - 6);
      const found = await beliefs(table, logOdds, 3);
      for (const belief of found) expect(belief >= 0 && belief <= 1).toBe(true);
    }
  });
});
