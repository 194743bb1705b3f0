import { describe, expect, it } from "vitest";
import { knownPlaces, learnWeights, scorePairs } from "../../../src/match/weights/learn.js";
import { nearFactors, poissonAtMost, severalPartners } from "../../../src/match/weights/near-mates.js";
import {
  mostUnits,
  type NearMisses,
  nearCounts,
  nearOdds,
  unitCount,
} from "../../../src/match/weights/near-misses.js";
import { classSizes, pairClasses } from "../../../src/match/weights/pair-classes.js";
import type { PairTable } from "../../../src/match/weights/pair-table.js";
import { createRandom } from "../../../src/random.js";

const column = (name: string, field: number, identifies: boolean) => {
  return { name, field, from: -1, unit: field, share: 1, levels: 4, differs: 1, agrees: 3, identifies };
};

/**
 * Persons in households: left row i and right row i are one person for i < persons, and persons 2k and 2k + 1 live together. What
 * identifies agrees in 95 % of matches and by chance in .1 %; one of a household has the street, city and phone of the other.
 * @param written how many of the persons, the last ones, live alone and are written anew in some columns
 */
function households(
  persons: number,
  seed: number,
  { written = 0, anew = [] as readonly number[] } = {},
): PairTable {
  const random = createRandom(seed);
  const columns = ["name", "born", "street", "city", "phone"].map((name, at) => column(name, at, at < 2));
  const levelIn = (agrees: number): number => (random() < agrees ? 3 : random() < 0.8 ? 0 : 1);
  const levelsOf = (left: number, right: number): number[] => {
    const isAlone = Math.max(left, right) >= persons - written;
    const isSame = left === right;
    const isHousehold = isAlone ? isSame : left >> 1 === right >> 1;
    return columns.map(({ identifies }, at) =>
      levelIn((identifies ? isSame && !(isAlone && anew.includes(at)) : isHousehold) ? 0.95 : 0.001),
    );
  };
  const pairs = Array.from({ length: persons }, (_, row) =>
    [row - (row % 2), row - (row % 2) + 1, (row + 7) % persons, (row + 12) % persons].map((other) => [
      row,
      other,
    ]),
  )
    .flat()
    .filter(([left, right], at, all) => all.findIndex(([a, b]) => a === left && b === right) === at)
    .sort(([a, b], [c, d]) => a - c || b - d);
  const byPair = pairs.map(([left, right]) => levelsOf(left, right));
  const byColumn = (rows: number[][]) => columns.map((_, at) => Int8Array.from(rows, (levels) => levels[at]));
  return {
    ...{ isOneTable: false, rows: [persons, persons], columns },
    left: Int32Array.from(pairs, ([left]) => left),
    right: Int32Array.from(pairs, ([, right]) => right),
    ...pairClasses(byColumn(byPair)),
    random: byColumn(Array.from({ length: 4000 }, () => levelsOf(0, 5))),
  };
}

describe("near misses", () => {
  const table = households(400, 3);
  const someOdds = (random = createRandom(5)): NearMisses => {
    const weights = () => table.columns.map(() => Float64Array.from({ length: 4 }, () => 3 * random() - 1.5));
    const kinds = Float64Array.from({ length: 32 }, (_, kind) => (kind === 31 ? 0 : random() / 100));
    const identity = table.columns.map((_, at) => at < 2);
    return { kinds, shared: weights(), differing: weights(), siblings: weights(), identity };
  };
  /**
   * By definition: the share of the kind times, of each filled column, how much it says where shared or differing, or where
   * nothing else that identifies differs.
   */
  const oddsOfKind = (near: NearMisses, kind: number, place: number): number => {
    const identifying = table.columns.filter((_, at) => near.identity[at]).map(({ unit }) => unit);
    const differ = identifying.filter((unit) => !((kind >> unit) & 1));
    return table.columns.reduce((odds, { unit }, at) => {
      const isSole = differ.length === 1 && differ[0] === unit;
      const of = (kind >> unit) & 1 ? near.shared : isSole ? near.siblings : near.differing;
      return odds * Math.exp(of[at][table.levels[at][place]]);
    }, near.kinds[kind]);
  };

  it("of a class have the odds of all subsets of columns", () => {
    const near = someOdds();
    const { own, sum } = nearOdds(near, table.columns);
    for (const place of [0, 1, 5]) {
      const all = sum(table.levels, place);
      own.forEach((odds, kind) => expect(odds).toBeCloseTo(oddsOfKind(near, kind, place), 9));
      expect(all).toBeCloseTo(
        own.reduce((a, b) => a + b),
        9,
      );
    }
  });

  it("are counted by kind, and by what they share", () => {
    const near = someOdds();
    const classes = table.levels[0].length;
    const related = new Float64Array(classes).fill(0.25);
    const matches = new Float64Array(classes).fill(0.5);
    const found = nearCounts(table, near, matches, related);
    const expected = { kinds: new Float64Array(32), shared: new Float64Array(5) };
    classSizes(table).forEach((size, place) => {
      const odds = Array.from(near.kinds, (_, kind) => oddsOfKind(near, kind, place));
      const all = odds.reduce((a, b) => a + b);
      odds.forEach((own, kind) => {
        const count = (0.25 * (size - 0.5) * own) / all;
        expected.kinds[kind] += count;
        for (let unit = 0; unit < 5; unit++) if ((kind >> unit) & 1) expected.shared[unit] += count;
      });
    });
    found.kinds.forEach((count, kind) => expect(count).toBeCloseTo(expected.kinds[kind], 8));
    const total = expected.kinds.reduce((a, b) => a + b);
    found.shared.forEach((own, unit) => {
      const sum = own.reduce((a, b) => a + b);
      expect(sum).toBeCloseTo(expected.shared[unit], 8);
      expect(sum + found.differing[unit].reduce((a, b) => a + b)).toBeCloseTo(total, 8);
    });
  });

  it("are told from matches without labels, where a fit without them takes a household for one person", async () => {
    // Of so many units no near misses are learned.
    const columns = table.columns.map((column) => ({ ...column, unit: column.unit + mostUnits }));
    const [near, plain] = [await learnWeights(table), await learnWeights({ ...table, columns })];
    const accepted = (logOdds: Float64Array, isWanted: (left: number, right: number) => boolean): number => {
      const pairs = Array.from(table.classOf, (place, pair) => [place, pair]).filter(([, pair]) =>
        isWanted(table.left.at(pair)!, table.right[pair]),
      );
      return pairs.filter(([place]) => logOdds[place] > 0).length / pairs.length;
    };
    const isPerson = (left: number, right: number): boolean => left === right;
    const isHousehold = (left: number, right: number): boolean => left !== right && left >> 1 === right >> 1;
    expect(near.weights.near).toBeDefined();
    expect(accepted(near.logOdds, isPerson)).toBeGreaterThan(0.97);
    expect(accepted(near.logOdds, isHousehold)).toBeLessThan(0.03);
    expect(accepted(plain.logOdds, isHousehold)).toBeGreaterThan(accepted(near.logOdds, isHousehold));
    // Most near misses share street, city and phone, and nothing that identifies.
    const { kinds } = near.weights.near!;
    expect(kinds.indexOf(Math.max(...kinds))).toBe(0b11100);
    const scored = scorePairs(table.levels, near.weights, table.columns);
    expect(scored).toEqual(near.logOdds);
  });

  /** With what is learned of households, and the belief that as many differ in the name alone. */
  const factorsOf = async (own: PairTable, change?: { readonly logOdds: Float64Array }) => {
    const learned = await learnWeights(table);
    const near = learned.weights.near!;
    const kinds = near.kinds.with(0b11110, near.kinds[0b11100]);
    const weights = { ...learned.weights, near: { ...near, kinds } };
    const related = new Float64Array(own.levels[0].length);
    const logOdds = scorePairs(own.levels, weights, own.columns, related);
    return nearFactors(own, "many-to-many", { weights, logOdds, related, ...change }, {});
  };

  it("are left where no row has a mate, or where as many lie beside mates as chance expects", async () => {
    // No row has a mate: nothing can be said.
    const none = await factorsOf(table, { logOdds: new Float64Array(table.levels[0].length).fill(-50) });
    expect([Math.min(...none), Math.max(...none)]).toEqual([1, 1.25]);
    // Each pair of a household has one.
    expect((await factorsOf(table))[0b11100]).toBe(1);
  });

  it("that lie among rows without a mate alone are taken for matches, unless they contradict in two columns", async () => {
    const sole = await factorsOf(households(400, 3, { written: 100, anew: [0] }));
    expect(sole[0b11110]).toBeLessThan(1);
    const both = await factorsOf(households(400, 3, { written: 100, anew: [0, 1] }));
    expect(both[0b11100]).toBe(1);
  });

  it("are not learned for more than eight units", async () => {
    expect(unitCount(table.columns)).toBe(5);
    const more = Array.from({ length: 4 }, (_, at) => column(`more ${at}`, 5 + at, false));
    const missing = (levels: Int8Array) => new Int8Array(levels.length).fill(-1);
    const wide: PairTable = {
      ...{ ...table, columns: [...table.columns, ...more] },
      levels: [...table.levels, ...more.map(() => missing(table.levels[0]))],
      random: [...table.random, ...more.map(() => missing(table.random[0]))],
    };
    expect((await learnWeights(wide)).weights.near).toBeUndefined();
    expect(knownPlaces(wide, []).size).toBe(0);
  });
});

it("counts rows with several partners among those with one", () => {
  const columns = [column("name", 0, true)];
  const levels = [Int8Array.from([3, 3, 0])];
  const table: PairTable = {
    ...{ isOneTable: true, rows: [5, 5], columns, random: [new Int8Array(0)] },
    ...{ left: Int32Array.of(0, 1, 3), right: Int32Array.of(1, 2, 4), ...pairClasses(levels) },
  };
  // 0-1 and 1-2: one of three rows has two partners; 3-4 is no match.
  expect(severalPartners(table, Float64Array.of(5, -5))).toBeCloseTo(1 / 3);
  // Of two tables, right row 1 is another row than left row 1.
  const two: PairTable = { ...table, isOneTable: false, rows: [5, 4], left: Int32Array.of(0, 1, 3) };
  expect(severalPartners({ ...two, right: Int32Array.of(1, 2, 3) }, Float64Array.of(5, -5))).toBe(0);
  expect(severalPartners({ ...two, right: Int32Array.of(1, 1, 3) }, Float64Array.of(5, -5))).toBeCloseTo(
    1 / 3,
  );
});

it("finds the chance of few pairs where few or very many are expected", () => {
  expect(poissonAtMost(0, 3)).toBeCloseTo(Math.exp(-3), 9);
  expect(poissonAtMost(2.5, 10)).toBeCloseTo(61 * Math.exp(-10), 6);
  expect(poissonAtMost(900, 1500)).toBeLessThan(1e-60);
  expect(poissonAtMost(5000, 10_000)).toBeLessThan(1e-60);
  expect(poissonAtMost(9_990, 10_000)).toBeCloseTo(0.46, 2);
  expect(poissonAtMost(7, 0)).toBe(1);
});
