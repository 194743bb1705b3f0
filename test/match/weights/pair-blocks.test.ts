import { expect, it } from "vitest";
import { blockSize, pairBlocks, probabilityAt } from "../../../src/match/weights/pair-blocks.js";
import { everyPair } from "../../../src/match/weights/pair-classes.js";
import { createRandom } from "../../../src/random.js";

const random = createRandom(3);
const rowsBelow = (rows: number, count: number): Int32Array =>
  Int32Array.from({ length: count }, () => Math.floor(random() * rows));

it("goes through all pairs in order, in blocks", () => {
  for (const count of [0, 1, blockSize, 2 * blockSize + 5]) {
    const pairs = {
      left: rowsBelow(900, count).sort(),
      right: rowsBelow(700, count),
      classOf: everyPair(count),
    };
    const found = { left: [] as number[], right: [] as number[], classOf: [] as number[] };
    for (const { from, ...block } of pairBlocks({ ...pairs, levels: [] })) {
      expect(from).toBe(found.left.length);
      expect(block.left.length).toBeLessThanOrEqual(blockSize);
      for (const name of ["left", "right", "classOf"] as const) found[name].push(...block[name]);
    }
    for (const name of ["left", "right", "classOf"] as const) expect(found[name]).toEqual([...pairs[name]]);
  }
});

it("asks for the probability of a single pair", () => {
  const pairs = {
    ...{ left: Int32Array.of(0, 2, 5), right: Int32Array.of(7, 1, 4) },
    ...{ classOf: Int32Array.of(0, 1, 1), levels: [] },
  };
  const found = probabilityAt(
    pairs,
    ({ from, left, right, classOf }, into) => {
      into[0] = 1000 * from + 100 * left[0] + 10 * right[0] + classOf[0];
    },
    2,
  );
  expect(found).toBe(2000 + 500 + 40 + 1);
});
