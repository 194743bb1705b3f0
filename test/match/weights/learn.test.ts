import { describe, expect, it } from "vitest";
import { opposedColumn } from "../../../src/match/evidence/pair-evidence.js";
import {
  decide,
  knownPlaces,
  type Learned,
  learnWeights,
  scorePairs,
} from "../../../src/match/weights/learn.js";
import { mostUnits, nearOdds } from "../../../src/match/weights/near-misses.js";
import { competedProbabilities } from "../../../src/match/weights/one-to-one.js";
import { probabilityAt } from "../../../src/match/weights/pair-blocks.js";
import { pairClasses } from "../../../src/match/weights/pair-classes.js";
import type { PairTable } from "../../../src/match/weights/pair-table.js";
import { createRandom } from "../../../src/random.js";

const rows = 400;

/** Left row i and right row i match for i < 300. Five columns of five levels: matches agree on each with 90 %, others with 5 %. */
function simulated(seed: number): { table: PairTable; truth: Uint8Array } {
  const random = createRandom(seed);
  const [left, right, truth]: [number[], number[], number[]] = [[], [], []];
  for (let row = 0; row < rows; row++) {
    const others = [1, 2, 3].map((step) => (row + step * 17) % rows);
    for (const other of [row, ...others].sort((a, b) => a - b)) {
      left.push(row);
      right.push(other);
      truth.push(other === row && row < 300 ? 1 : 0);
    }
  }
  const level = (isMatch: number): number => {
    const agrees = random() < (isMatch === 1 ? 0.9 : 0.05);
    return (agrees ? 3 : 0) + Math.floor(random() * 2);
  };
  const columns = ["a", "b", "c", "d", "e"].map((name, field) => ({
    name,
    field,
    from: -1,
    levels: 5,
    unit: field,
    share: 1,
    differs: 1,
    agrees: 2,
    identifies: false,
  }));
  const draw = (labels: readonly number[]): Int8Array[] =>
    columns.map(() => Int8Array.from(labels, (label) => (random() < 0.1 ? -1 : level(label))));
  const table = {
    ...{ isOneTable: false, rows: [rows, rows] as const, columns },
    ...{ left: Int32Array.from(left), right: Int32Array.from(right) },
    ...{ ...pairClasses(draw(truth)), random: draw(new Array(5000).fill(0)) },
  };
  return { table, truth: Uint8Array.from(truth) };
}

const { table, truth } = simulated(1);
const learned = await learnWeights(table);

describe("learning without labels", () => {
  it("finds how many pairs match, and which", async () => {
    expect(learned.weights.matches).toBeGreaterThan(270);
    expect(learned.weights.matches).toBeLessThan(330);
    let right = 0;
    const { logOdds, weights } = learned;
    const probabilities = await competedProbabilities(table, "one-to-one", {
      logOdds,
      matches: weights.matches,
    });
    truth.forEach((isMatch, pair) => {
      if ((probabilityAt(table, probabilities, pair) >= 0.5 ? 1 : 0) === isMatch) right++;
    });
    expect(right / truth.length).toBeGreaterThan(0.97);
  });

  it("finds the log-ratio of agreement: ln(0.9 / 0.05) less what the prior takes", () => {
    for (const weights of learned.weights.match) {
      expect(weights[4]).toBeGreaterThan(2);
      expect(weights[4]).toBeLessThan(Math.log(0.9 / 0.05) + 0.3);
      expect(weights[0]).toBeLessThan(-1);
    }
  });

  it("gives weights that never fall with the level", () => {
    for (const weights of learned.weights.match)
      for (let level = 1; level < weights.length; level++)
        expect(weights[level]).toBeGreaterThanOrEqual(weights[level - 1]);
  });

  it("scores a pair by the prior and its filled columns' weights, against what near misses explain as well", async () => {
    const levels = [4, -1, 0, -1, -1].map((level) => Int8Array.of(level));
    const scoreBy = ({ weights }: Learned): number => scorePairs(levels, weights, table.columns)[0];
    // Of so many units no near misses are learned.
    const columns = table.columns.map((column) => ({ ...column, unit: column.unit + mostUnits }));
    const plain = await learnWeights({ ...table, columns });
    const sum = ({ weights: { match, prior } }: Learned): number => prior + match[0][4] + match[2][0];
    expect(scoreBy(plain)).toBeCloseTo(sum(plain), 12);
    const misses = nearOdds(learned.weights.near!, table.columns).sum(levels, 0);
    expect(scoreBy(learned)).toBeCloseTo(sum(learned) - Math.log(misses + 1), 12);
  });

  it("finds the places of known pairs among the candidates", () => {
    const known = knownPlaces(table, [
      { left: 5, right: 5, match: false },
      { left: 7, right: 24, match: true },
      { left: 9, right: 300, match: true },
    ]);
    const found = Array.from(known, ([pair, match]) => [table.left.at(pair), table.right[pair], match]);
    expect(found).toEqual([
      [5, 5, 0],
      [7, 24, 1],
    ]);
    // Behind the sorted pairs others may follow in any order.
    expect([...knownPlaces(table, [{ left: 300, right: 300, match: true }], 5)]).toEqual([
      ...knownPlaces(table, [{ left: 300, right: 300, match: true }]),
    ]);
    const decided = decide(table, learned.logOdds, known);
    const oddsOf = (pair: number) => decided.logOdds[decided.table.classOf[pair]];
    for (const [pair, match] of known) expect(oddsOf(pair) > 1000).toBe(match === 1);
    for (const [pair, place] of table.classOf.entries())
      if (!known.has(pair)) expect(oddsOf(pair)).toBe(learned.logOdds[place]);
    const levelsOf = ({ levels, classOf }: PairTable) =>
      levels.map((of) => classOf.map((place) => of[place]));
    expect(levelsOf(decided.table)).toEqual(levelsOf(table));
  });

  it("learns the same from pairs in another order of columns", async () => {
    const turned = { ...table, columns: [...table.columns].reverse() };
    const other = await learnWeights({
      ...turned,
      levels: [...table.levels].reverse(),
      random: [...table.random].reverse(),
    });
    other.logOdds.forEach((odds, pair) => expect(odds).toBeCloseTo(learned.logOdds[pair], 6));
  });

  it("of one row, which has no pairs, are finite", async () => {
    const columns = [
      {
        name: "a",
        field: 0,
        from: -1,
        levels: 3,
        unit: 0,
        share: 1,
        differs: 1,
        agrees: 2,
        identifies: false,
      },
    ];
    const none = { left: new Int32Array(0), right: new Int32Array(0) };
    const one = { isOneTable: true, rows: [1, 1] as const, columns, ...none };
    const random = [new Int8Array(0)];
    const { weights } = await learnWeights({ ...one, ...pairClasses([new Int8Array(0)]), random });
    expect([weights.prior, weights.relatedShare, weights.matches].every(Number.isFinite)).toBe(true);
    expect(weights.prior).toBeLessThan(0);
  });

  it("do not take related rows for a class of their own in a small table", async () => {
    const { table: large } = simulated(3);
    const small = {
      ...{ ...large, isOneTable: true, rows: [100, 100] as const, classOf: large.classOf.slice(0, 160) },
      ...{ left: large.left.slice(0, 160), right: large.right.slice(0, 160) },
      // Of so many units no near misses are learned.
      columns: large.columns.map((column) => ({ ...column, unit: column.unit + mostUnits })),
    };
    const { related } = (await learnWeights(small)).weights;
    expect(related.length).toBe(5);
    for (const weight of related.flatMap((weights) => [...weights])) expect(Math.abs(weight)).toBeLessThan(1);
  });
});

describe("one table", () => {
  /** Pairs of rows that agree in two columns: 80 the same, 900 siblings, whose names each have a rare word that the other lacks. */
  const [same, siblings, strangers] = [80, 900, 2000];
  const random = createRandom(7);
  const total = same + siblings + strangers;
  const agrees = (pair: number): boolean => random() < (pair < same + siblings ? 0.95 : 0.03);
  const column = { from: -1, share: 1, differs: 1, agrees: 2, identifies: false };
  const draw = (opposedOf: (pair: number) => number, count: number, first: number): Int8Array[] => {
    const pairs = Array.from({ length: count }, (_, at) => first + at);
    const ofField = (): Int8Array => Int8Array.from(pairs, (pair) => (agrees(pair) ? 2 : 0));
    return [ofField(), ofField(), Int8Array.from(pairs, opposedOf)];
  };
  const levels = draw((pair) => (pair < same ? 4 : random() < 0.97 ? 2 : 4), total, 0);
  const table: PairTable = {
    ...{ isOneTable: true, rows: [2 * total, 2 * total] as const },
    columns: ["a", "b", opposedColumn].map((name, at) => {
      return { ...column, name, field: at < 2 ? at : -1, unit: at, levels: at < 2 ? 3 : 5 };
    }),
    left: Int32Array.from({ length: total }, (_, pair) => 2 * pair),
    right: Int32Array.from({ length: total }, (_, pair) => 2 * pair + 1),
    ...{ ...pairClasses(levels), random: draw(() => (random() < 0.9 ? 2 : 4), 5000, total) },
  };

  it("whose likely pairs mostly contradict each other by name is learned again without them", async () => {
    const { logOdds } = await learnWeights(table);
    const likely = [...table.classOf.keys()].filter((pair) => logOdds[table.classOf[pair]] > 0);
    expect(likely.filter((pair) => pair < same).length).toBeGreaterThan(0.8 * same);
    expect(likely.filter((pair) => levels[2][pair] < 3)).toEqual([]);
  });
});
