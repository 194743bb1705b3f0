import { describe, expect, it } from "vitest";
import {
  classSizes,
  joinedClasses,
  type PairClasses,
  pairClasses,
  separated,
} from "../../../src/match/weights/pair-classes.js";
import { createRandom } from "../../../src/random.js";

const random = createRandom(8);
const drawn = (pairs: number, columns: number, levels: number): Int8Array[] =>
  Array.from({ length: columns }, () =>
    Int8Array.from({ length: pairs }, () => Math.floor(random() * (levels + 1)) - 1),
  );
const levelsOf = ({ classOf, levels }: PairClasses): Int8Array[] =>
  levels.map((ofColumn) => Int8Array.from(classOf, (place) => ofColumn[place]));

describe("classes of pairs", () => {
  it.each([
    [0, 3, 4],
    [1, 1, 1],
    [500, 2, 3],
    [20_000, 9, 20],
  ])("hold the levels of %i pairs, each combination once", (pairs, columns, count) => {
    const levels = drawn(pairs, columns, count);
    const found = pairClasses(levels);
    expect(levelsOf(found)).toEqual(levels);
    const texts = Array.from({ length: pairs }, (_, pair) => levels.map((ofColumn) => ofColumn[pair]).join());
    expect(found.levels[0].length).toBe(new Set(texts).size);
    const sizes = classSizes(found);
    for (const [pair, place] of found.classOf.entries())
      if (pair < 100) expect(sizes[place]).toBe(texts.filter((text) => text === texts[pair]).length);
  });

  it("stay what they are beside those of further pairs", () => {
    const [a, b] = [drawn(300, 3, 2), drawn(40, 3, 2)];
    const both = levelsOf(joinedClasses(pairClasses(a), pairClasses(b)));
    expect(both).toEqual(a.map((ofColumn, column) => Int8Array.of(...ofColumn, ...b[column])));
  });

  it("let pairs go into classes of their own with their levels", () => {
    const levels = drawn(300, 3, 2);
    const before = pairClasses(levels);
    const after = separated(before, [7, 290]);
    expect(levelsOf(after)).toEqual(levels);
    const [sizes, count] = [classSizes(after), before.levels[0].length];
    expect([after.classOf[7], after.classOf[290]]).toEqual([count, count + 1]);
    expect([...sizes.slice(count)]).toEqual([1, 1]);
  });
});
