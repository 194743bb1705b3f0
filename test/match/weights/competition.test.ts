import { describe, expect, it } from "vitest";
import { competingCounts, competition, matchingBeliefs } from "../../../src/match/weights/competition.js";
import { type Probabilities, probabilityAt } from "../../../src/match/weights/pair-blocks.js";
import { everyPair } from "../../../src/match/weights/pair-classes.js";
import type { PairTable } from "../../../src/match/weights/pair-table.js";
import { createRandom } from "../../../src/random.js";

function pairs(left: number[], right: number[], rows: [number, number]): PairTable {
  const none = { isOneTable: false, columns: [], levels: [], random: [], classOf: everyPair(left.length) };
  return { ...none, left: Int32Array.from(left), right: Int32Array.from(right), rows };
}

/** The probability of any pair. */
const chances = (table: PairTable, probabilities: Probabilities) => (pair: number) =>
  probabilityAt(table, probabilities, pair);

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

describe("counts of competing pairs", () => {
  it.each(
    (["one-to-one", "many-to-one", "one-to-many"] as const).flatMap((relation) =>
      [0.3, 0.95].map((impossible) => ({ relation, impossible })),
    ),
  )(
    "are sums over the pairs of each class, round by round: $relation, $impossible of them impossible",
    ({ relation, impossible }) => {
      const random = createRandom(8);
      const below = (most: number): number => Math.floor(random() * most);
      const [count, classes] = [40_000, 200];
      const rows = Int32Array.from({ length: count }, () => below(900)).sort();
      const table = {
        ...pairs(
          [...rows],
          Array.from(rows, () => below(700)),
          [900, 700],
        ),
        classOf: Int32Array.from(rows, () => below(classes)),
      };
      const [counted, probabilities] = [competingCounts(table, relation), competition(table, relation)];
      let before = new Float64Array(count);
      for (let round = 0; round < 4; round++) {
        // Some are impossible, in one round or in several.
        const logOdds = Float64Array.from({ length: classes }, () =>
          random() < impossible ? -30 : 8 * random() - 4,
        );
        const found = counted(logOdds, 100 + round);
        const chance = chances(table, probabilities(logOdds, 100 + round));
        const own = Float64Array.from(rows, (_, pair) => chance(pair));
        const matches = new Float64Array(classes);
        own.forEach((probability, pair) => {
          matches[table.classOf[pair]] += probability;
        });
        expect(found.matches).toEqual(matches);
        expect(found.sum).toBeCloseTo(
          own.reduce((sum, probability) => sum + probability, 0),
          6,
        );
        const moved = own.reduce((sum, probability, pair) => sum + Math.abs(probability - before[pair]), 0);
        if (round === 0) expect(found.moved).toBe(Infinity);
        else expect(found.moved).toBeCloseTo(moved, 6);
        before = own;
      }
    },
  );
});

describe("competition for a partner", () => {
  it("gives each row's candidates and none one unit of probability", () => {
    // One left row with two candidates of even odds, matches 1 of 100 rows: shift -ln(0.99).
    const table = pairs([0, 0], [0, 1], [100, 100]);
    const probability = chances(table, competition(table, "one-to-one")(Float64Array.of(0, 0), 1));
    const odds = 1 / 0.99;
    expect(probability(0)).toBeCloseTo(odds / (1 + 2 * odds), 12);
    expect(probability(0) + probability(1)).toBeLessThan(1);
  });

  it("takes the smaller share of a pair's two rows", () => {
    const table = pairs([0, 1], [0, 0], [1000, 1000]);
    const probability = chances(table, competition(table, "one-to-one")(Float64Array.of(3, 3), 1e-9));
    expect(probability(0)).toBeCloseTo(Math.exp(3) / (1 + 2 * Math.exp(3)), 9);
  });

  it("leaves a left row several partners where only right rows have one", () => {
    const table = pairs([0, 0, 1], [0, 1, 1], [1000, 1000]);
    const probability = chances(table, competition(table, "many-to-one")(Float64Array.of(3, 3, 3), 1e-9));
    const odds = Math.exp(3);
    expect(probability(0)).toBeCloseTo(odds / (1 + odds), 9);
    expect(probability(1)).toBeCloseTo(odds / (1 + 2 * odds), 9);
    const turned = chances(table, competition(table, "one-to-many")(Float64Array.of(3, 3, 3), 1e-9));
    expect(turned(0)).toBeCloseTo(odds / (1 + 2 * odds), 9);
    expect(turned(2)).toBeCloseTo(odds / (1 + odds), 9);
  });
});

describe("chances of pairs", () => {
  it("stay as they were computed while the next ones are", () => {
    const table = pairs([0, 0], [0, 1], [100, 100]);
    const compete = competition(table, "one-to-one");
    const first = chances(table, compete(Float64Array.of(0, 1), 1));
    const known = [first(0), first(1)];
    const second = chances(table, compete(Float64Array.of(2, -1), 1));
    expect([first(0), first(1)]).toEqual(known);
    expect(second(0)).toBeGreaterThan(known[0]);
  });
});

describe("beliefs of a one-to-one matching", () => {
  it("are exact where the pairs form a tree", () => {
    // 0-0, 0-1, 1-1, 1-2: a path.
    const table = pairs([0, 0, 1, 1], [0, 1, 1, 2], [1000, 1000]);
    const odds = [2, 5, 3, 0.5];
    const expected = byEnumeration(table, odds);
    const found = matchingBeliefs(table, Float64Array.from(odds, Math.log), 1e-9);
    found.forEach((belief, pair) => expect(belief).toBeCloseTo(expected[pair], 6));
  });

  it("let a rival count less if it has a better partner", () => {
    // Right row 1 is wanted by left 0 too, but left 0 has right 0 for certain.
    const table = pairs([0, 0, 1], [0, 1, 1], [1000, 1000]);
    const [, , alone] = matchingBeliefs(table, Float64Array.of(15, 4, 4), 1e-9);
    const softmax = chances(table, competition(table, "one-to-one")(Float64Array.of(15, 4, 4), 1e-9));
    expect(alone).toBeGreaterThan(0.97);
    expect(softmax(2)).toBeLessThan(0.5);
  });

  it("stay probabilities, and of a row sum to 1 at most", () => {
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
      const found = matchingBeliefs(
        table,
        Float64Array.from(left, () => 12 * random() - 6),
        3,
      );
      for (const belief of found) expect(belief >= 0 && belief <= 1).toBe(true);
    }
  });
});
