import { describe, expect, it } from "vitest";
import { Competition } from "../../../src/match/competition/competition.js";
import type { SpanOptions } from "../../../src/match/competition/spans.js";
import type { ExpectedCounts } from "../../../src/match/weights/expected-counts.js";
import type { Relation } from "../../../src/match/weights/learn.js";
import { SortedRows } from "../../../src/match/weights/left-rows.js";
import { type Probabilities, probabilityAt } from "../../../src/match/weights/pair-blocks.js";
import { everyPair } from "../../../src/match/weights/pair-classes.js";
import type { PairTable } from "../../../src/match/weights/pair-table.js";
import { createRandom } from "../../../src/random.js";
import { sharedCopy } from "../../../src/runtime/shared-array.js";

function pairs(left: number[], right: number[], rows: [number, number]): PairTable {
  const classes = { classOf: everyPair(left.length), levels: [new Int8Array(left.length)] };
  const none = { isOneTable: false, columns: [], random: [], ...classes };
  return { ...none, left: Int32Array.from(left), right: Int32Array.from(right), rows };
}

/** The probabilities of the first round. */
const competing = (table: PairTable, relation: Relation, logOdds: number[], matches: number) =>
  new Competition(table, relation).probabilities(Float64Array.from(logOdds), matches);

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
      const [count, classes] = [40_000, 200];
      const rows = Int32Array.from({ length: count }, () => below(900)).sort();
      const table = {
        ...pairs(
          [...rows],
          Array.from(rows, () => below(700)),
          [900, 700],
        ),
        classOf: Int32Array.from(rows, () => below(classes)),
        levels: [new Int8Array(classes)],
      };
      const [counted, shown] = [0, 1].map(() => new Competition(table, relation));
      let before = new Float64Array(count);
      for (let round = 0; round < 4; round++) {
        // Some are impossible, in one round or in several.
        const logOdds = Float64Array.from({ length: classes }, () =>
          random() < impossible ? -30 : 8 * random() - 4,
        );
        const found = await counted.count(logOdds, 100 + round);
        const chance = chances(table, await shown.probabilities(logOdds, 100 + round));
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

describe("spans of pairs", () => {
  const random = createRandom(5);
  const below = (most: number): number => Math.floor(random() * most);
  const [count, classes] = [30_000, 100];
  const left = Int32Array.from({ length: count }, () => below(2000)).sort();
  const right = sharedCopy(
    Int32Array,
    Int32Array.from(left, () => below(500)),
  );
  const classOf = sharedCopy(
    Int32Array,
    Int32Array.from(left, () => below(classes)),
  );
  const table: PairTable = {
    ...{ isOneTable: false, columns: [], random: [], rows: [2000, 500] },
    ...{ left: SortedRows.of(left, 2000), right, classOf, levels: [new Int8Array(classes)] },
  };
  const rounds = [0, 1, 2].map(() => Float64Array.from({ length: classes }, () => 8 * random() - 4));

  async function counted(relation: Relation, options: SpanOptions) {
    const rows = new Competition(table, relation, options);
    try {
      const found: ExpectedCounts[] = [];
      for (const logOdds of rounds) found.push(await rows.count(logOdds, 100));
      const probabilities = await rows.probabilities(rounds[0], 100);
      return { found, chances: Array.from(left, (_, pair) => probabilityAt(table, probabilities, pair)) };
    } finally {
      await rows.close();
    }
  }

  it.each(["one-to-one", "many-to-one", "one-to-many"] as const)(
    "give threads the same bits, and those of all pairs but for rounding: %s",
    async (relation) => {
      const [whole, here, inThreads] = [
        await counted(relation, { spans: 1 }),
        await counted(relation, { spans: 3, threads: 1 }),
        await counted(relation, { spans: 3, threads: 2 }),
      ];
      expect(inThreads).toEqual(here);
      here.chances.forEach((chance, pair) => expect(chance).toBeCloseTo(whole.chances[pair], 12));
      here.found.forEach(({ matches, moved, sum }, round) => {
        const of = whole.found[round];
        expect(sum).toBeCloseTo(of.sum, 8);
        if (round > 0) expect(moved).toBeCloseTo(of.moved, 8);
        matches.forEach((match, place) => expect(match).toBeCloseTo(of.matches[place], 9));
      });
    },
  );
});

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

describe("chances of pairs", () => {
  it("stay as they were computed while the next ones are", async () => {
    const table = pairs([0, 0], [0, 1], [100, 100]);
    const rows = new Competition(table, "one-to-one");
    const compete = (...logOdds: number[]) => rows.probabilities(Float64Array.from(logOdds), 1);
    const first = chances(table, await compete(0, 1));
    const known = [first(0), first(1)];
    const second = chances(table, await compete(2, -1));
    expect([first(0), first(1)]).toEqual(known);
    expect(second(0)).toBeGreaterThan(known[0]);
  });
});
