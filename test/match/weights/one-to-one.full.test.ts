/** The slow tests beside one-to-one.test.ts. */
import { describe, expect, it } from "vitest";
import { competedProbabilities, competition } from "../../../src/match/weights/one-to-one.js";
import { type Probabilities, probabilityAt } from "../../../src/match/weights/pair-blocks.js";
import { everyPair } from "../../../src/match/weights/pair-classes.js";
import type { PairTable } from "../../../src/match/weights/pair-table.js";
import { createRandom } from "../../../src/random.js";

function pairs(left: number[], right: number[], rows: [number, number]): PairTable {
  const classes = { classOf: everyPair(left.length), levels: [new Int8Array(left.length)] };
  const none = { isOneTable: false, columns: [], random: [], ...classes };
  return { ...none, left: Int32Array.from(left), right: Int32Array.from(right), rows };
}

/** The probability of any pair. */
const chances = (table: PairTable, probabilities: Probabilities) => (pair: number) =>
  probabilityAt(table, probabilities, pair);

describe("counts of competing pairs", () => {
  it.each(
    (["one-to-one", "many-to-one", "one-to-many"] as const).flatMap((relation) =>
      [0.3, 0.95].map((impossible) => ({ relation, impossible })),
    ),
  )(
    "are sums over the pairs of each class, round by round: $relation, $impossible of them impossible",
    async ({ relation, impossible }) => {
      const random = createRandom(8);
      const below = (most: number): number => Math.floor(random() * most);
      const [pairCount, classes] = [40_000, 200];
      const rows = Int32Array.from({ length: pairCount }, () => below(900)).sort();
      const table = {
        ...pairs(
          [...rows],
          Array.from(rows, () => below(700)),
          [900, 700],
        ),
        classOf: Int32Array.from(rows, () => below(classes)),
        levels: [new Int8Array(classes)],
      };
      const count = competition(table, relation);
      let before = new Float64Array(classes);
      for (let round = 0; round < 4; round++) {
        // Some are impossible, in one round or in several.
        const logOdds = Float64Array.from({ length: classes }, () =>
          random() < impossible ? -30 : 8 * random() - 4,
        );
        const found = await count({ logOdds, matches: 100 + round });
        const shown = await competedProbabilities(table, relation, { logOdds, matches: 100 + round });
        const chance = chances(table, shown);
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
        const moved = matches.reduce((sum, match, place) => sum + Math.abs(match - before[place]), 0);
        if (round === 0) expect(found.moved).toBe(Infinity);
        else expect(found.moved).toBeCloseTo(moved, 6);
        before = matches;
      }
    },
  );
});
