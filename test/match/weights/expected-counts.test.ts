import { describe, expect, it } from "vitest";
import { expectedCounts, expectedOfClasses } from "../../../src/match/weights/expected-counts.js";
import { blockSize, lookUp, type Probabilities } from "../../../src/match/weights/pair-blocks.js";
import type { PairTable } from "../../../src/match/weights/pair-table.js";
import { createRandom } from "../../../src/random.js";

const classes = 20;

/** Random pairs of more than one block. */
function randomTable(isOneTable: boolean): PairTable {
  const random = createRandom(8);
  const below = (count: number): number => Math.floor(random() * count);
  const pairs = { length: blockSize + 500 };
  return {
    ...{ isOneTable, rows: [600, isOneTable ? 600 : 450], columns: [], random: [] },
    left: Int32Array.from(pairs, () => below(600)).sort(),
    right: Int32Array.from(pairs, () => below(450)),
    classOf: Int32Array.from(pairs, () => below(classes)),
    levels: [new Int8Array(classes)],
  };
}

const ofClasses =
  (numbers: Float64Array): Probabilities =>
  ({ classOf }, into) =>
    lookUp(numbers, classOf, into);
const randomNumbers = (seed: number): Float64Array => {
  const random = createRandom(seed);
  return Float64Array.from({ length: classes }, random);
};
const close = (found: Float64Array | undefined, expected: ArrayLike<number>): void =>
  Array.from(expected).forEach((number, place) => expect(found?.[place]).toBeCloseTo(number, 7));

/** The shares of matches that an array of counts per row gives, pair by pair. */
function sharesByPair({ left, right, rows, classOf, isOneTable }: PairTable, match: Float64Array): number[] {
  const ofLeft = new Array<number>(rows[0]).fill(0);
  const ofRight = isOneTable ? ofLeft : new Array<number>(rows[1]).fill(0);
  classOf.forEach((place, pair) => {
    ofLeft[left.at(pair)!] += match[place];
    ofRight[right[pair]] += match[place];
  });
  const shares = new Array<number>(classes).fill(0);
  classOf.forEach((place, pair) => {
    const partners = [ofLeft[left.at(pair)!], ofRight[right[pair]]].map((count) => Math.max(1, count));
    shares[place] += match[place] / Math.sqrt(partners[0] * partners[1]);
  });
  return shares;
}

describe.each([true, false])("expected counts, of one table: %s", (isOneTable) => {
  const table = randomTable(isOneTable);
  const [match, related, before] = [1, 2, 3].map(randomNumbers);

  it("are sums over the pairs of each class, of related pairs with shares by partners", () => {
    const found = expectedCounts(table, { match: ofClasses(match), related: ofClasses(related) });
    const sizes = Array.from(match, (_, place) => table.classOf.filter((own) => own === place).length);
    close(
      found.matches,
      sizes.map((size, place) => size * match[place]),
    );
    close(
      found.related,
      sizes.map((size, place) => size * related[place]),
    );
    close(found.shares, sharesByPair(table, match));
  });

  it("say nothing of how far probabilities have moved at first, and each pair counts once without related ones", () => {
    const found = expectedCounts(table, { match: ofClasses(match) });
    expect(found.moved).toBe(Infinity);
    expect(found.sum).toBeCloseTo(
      table.classOf.reduce((sum, place) => sum + match[place], 0),
      6,
    );
    expect(found.shares).toBe(found.matches);
  });

  it("are the same where they are computed once for each class", () => {
    const rare = match.map((probability, place) => (place % 3 === 0 ? 1e-11 * probability : probability));
    const pairs = expectedCounts(table, { match: ofClasses(rare), related: ofClasses(related) });
    const found = expectedOfClasses(table, { match: rare, related }, { match: before, related });
    for (const name of ["matches", "shares", "related"] as const) close(found[name], pairs[name]!);
    const moved = table.classOf.reduce((sum, place) => sum + Math.abs(rare[place] - before[place]), 0);
    expect(found.moved).toBeCloseTo(moved, 6);
    expect(found.sum).toBeCloseTo(pairs.sum, 6);
  });
});
