import { describe, expect, it } from "vitest";
import { Competition } from "../../../src/match/competition/competition.js";
import { matchingBeliefs } from "../../../src/match/competition/matching-beliefs.js";
import { SortedRows } from "../../../src/match/weights/left-rows.js";
import { probabilityAt } from "../../../src/match/weights/pair-blocks.js";
import { everyPair } from "../../../src/match/weights/pair-classes.js";
import type { PairTable } from "../../../src/match/weights/pair-table.js";
import { createRandom } from "../../../src/random.js";
import { sharedCopy } from "../../../src/runtime/shared-array.js";

function pairs(left: number[], right: number[], rows: [number, number]): PairTable {
  const classes = { classOf: everyPair(left.length), levels: [new Int8Array(left.length)] };
  const none = { isOneTable: false, columns: [], random: [], ...classes };
  return { ...none, left: Int32Array.from(left), right: Int32Array.from(right), rows };
}

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

describe("beliefs of a one-to-one matching", () => {
  it("are exact where the pairs form a tree", async () => {
    // 0-0, 0-1, 1-1, 1-2: a path.
    const table = pairs([0, 0, 1, 1], [0, 1, 1, 2], [1000, 1000]);
    const odds = [2, 5, 3, 0.5];
    const expected = byEnumeration(table, odds);
    const found = await matchingBeliefs(table, Float64Array.from(odds, Math.log), 1e-9);
    found.forEach((belief, pair) => expect(belief).toBeCloseTo(expected[pair], 6));
  });

  it("let a rival count less if it has a better partner", async () => {
    // Right row 1 is wanted by left 0 too, but left 0 has right 0 for certain.
    const table = pairs([0, 0, 1], [0, 1, 1], [1000, 1000]);
    const [, , alone] = await matchingBeliefs(table, Float64Array.of(15, 4, 4), 1e-9);
    const rows = new Competition(table, "one-to-one");
    const softmax = await rows.probabilities(Float64Array.of(15, 4, 4), 1e-9);
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
      const found = await matchingBeliefs(
        table,
        Float64Array.from(left, () => 12 * random() - 6),
        3,
      );
      for (const belief of found) expect(belief >= 0 && belief <= 1).toBe(true);
    }
  });

  it("of spans are the same bits in threads, and those of all pairs but for rounding", async () => {
    const random = createRandom(5);
    const left = Int32Array.from({ length: 20_000 }, () => Math.floor(2000 * random())).sort();
    const right = Int32Array.from(left, () => Math.floor(500 * random()));
    const table: PairTable = {
      ...{ isOneTable: false, columns: [], random: [], rows: [2000, 500], left: SortedRows.of(left, 2000) },
      ...{ right: sharedCopy(Int32Array, right), classOf: sharedCopy(Int32Array, everyPair(left.length)) },
      levels: [new Int8Array(left.length)],
    };
    const logOdds = Float64Array.from(left, () => 12 * random() - 8);
    const whole = await matchingBeliefs(table, logOdds, 100, { spans: 1 });
    const here = await matchingBeliefs(table, logOdds, 100, { spans: 4, threads: 1 });
    expect(await matchingBeliefs(table, logOdds, 100, { spans: 4, threads: 2 })).toEqual(here);
    here.forEach((belief, pair) => expect(belief).toBeCloseTo(whole[pair], 10));
  });
});
