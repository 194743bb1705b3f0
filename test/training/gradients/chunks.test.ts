import { describe, expect, it } from "vitest";
import { createRandom } from "../../../src/random.js";
import { paddedLength, planChunks, planEqualChunks } from "../../../src/training/gradients/chunks.js";

const cellsOf = (plan: readonly Int32Array[], lengths: readonly number[]) =>
  plan.map((rows) => rows.length * Math.max(...Array.from(rows, (row) => lengths[row])));

describe("planChunks", () => {
  it("keeps a batch of one length in one pass, unless it exceeds the memory limit", () => {
    const lengths = new Array(512).fill(8);
    expect(planChunks(lengths)).toBeUndefined();
    const plan = planChunks(lengths, { cells: 1024 }) as Int32Array[];
    expect(plan.map(({ length }) => length)).toEqual([128, 128, 128, 128]);
  });

  it("cuts phrases of mixed length so that little padding is computed", () => {
    const random = createRandom(5);
    const lengths = Array.from({ length: 510 }, () => 3 + Math.floor(20 * random() ** 4));
    const plan = planChunks(lengths) as Int32Array[];
    expect(plan.flatMap((rows) => [...rows]).sort((a, b) => a - b)).toEqual([...lengths.keys()]);
    const real = lengths.reduce((sum, length) => sum + length, 0);
    const padded = cellsOf(plan, lengths).reduce((sum, cells) => sum + cells, 0);
    expect(padded).toBeLessThan(1.35 * real);
    expect(lengths.length * Math.max(...lengths)).toBeGreaterThan(2 * real);
    expect(plan.length).toBeLessThan(10);
  });

  it("puts a phrase longer than the limit into its own chunk", () => {
    const plan = planChunks([3, 900, 3], { cells: 100 }) as Int32Array[];
    expect(plan.map((rows) => [...rows])).toEqual([[1], [0, 2]]);
  });
});

describe("planEqualChunks", () => {
  const lists = (chunks: Int32Array[] | undefined) => chunks?.map((chunk) => [...chunk]);

  it("leaves a batch whole that fits", () => {
    expect(planEqualChunks([8, 8, 16, 8], 64)).toBeUndefined();
  });

  it("cuts chunks of the whole, a half and a quarter of the cells, longest rows first, and fills the last", () => {
    const lengths = [...Array<number>(3).fill(16), ...Array<number>(12).fill(8)];
    expect(lists(planEqualChunks(lengths, 64))).toEqual([
      [0, 1, 2, 3],
      [4, 5, 6, 7, 8, 9, 10, 11],
      [12, 13, 14, -1],
    ]);
  });

  it("gives a row of more cells than a chunk its own", () => {
    expect(lists(planEqualChunks([128, 8], 64))).toEqual([[0], [1, -1]]);
  });
});

describe("paddedLength", () => {
  it("makes few lengths, never shorter ones, and none beyond what the model reads", () => {
    expect([1, 8, 9, 65, 300].map((length) => paddedLength(length))).toEqual([8, 8, 16, 128, 512]);
    expect(paddedLength(98, 100)).toBe(100);
    expect(paddedLength(101, 100)).toBe(101);
  });
});
