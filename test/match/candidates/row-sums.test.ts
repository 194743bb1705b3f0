import { describe, expect, it } from "vitest";
import { RowSums } from "../../../src/match/candidates/term-search.js";
import { createRandom } from "../../../src/random.js";

/** Rows and sums of one start, as a map. */
const found = (all: RowSums): Map<number, number> =>
  new Map(Array.from(all.slots.subarray(0, all.count), (slot) => [all.rowAt(slot), all.sums[slot]]));

describe("sums by row", () => {
  it.each([
    ["few rows", 300, 300],
    ["rows of a table of unknown length", undefined, 2 ** 32 - 1],
    ["rows of a large table", 3_000_000, 3_000_000],
    ["evenly spaced rows", undefined, 2 ** 20],
  ])("are those that a map has: %s", (name, tableRows, greatest) => {
    const random = createRandom(4);
    const sums = new RowSums(tableRows);
    const spacing = name === "evenly spaced rows" ? 4096 : 1;
    const row = (): number => Math.floor((random() * greatest) / spacing) * spacing;
    for (const length of [3, 200, 40, 1, 1000, 7]) {
      const lists = [1, 2, 3].map(() => Uint32Array.from({ length }, row));
      const expected = new Map<number, number>();
      sums.start(3 * length);
      lists.forEach((list, place) => {
        const values = Float32Array.from(list, () => 1 + Math.floor(random() * 8));
        const [from, to] = [1, length];
        sums.add(list, place + 1, { values, from, to });
        for (let at = from; at < to; at++)
          expected.set(list[at], (expected.get(list[at]) ?? 0) + (place + 1) * values[at]);
        sums.add(list, 0.5);
        for (const one of list) expected.set(one, (expected.get(one) ?? 0) + 0.5);
      });
      expect(found(sums)).toEqual(expected);
      expect([...found(sums).keys()]).toEqual([...expected.keys()]);
    }
  });
});
