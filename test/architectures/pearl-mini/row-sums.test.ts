/** WebAssembly sums rows of a table to the same values as JavaScript. */
import { describe, expect, it } from "vitest";
import { openSums, type WordTable } from "../../../src/architectures/pearl-mini/row-sums.js";
import { createRandom } from "../../../src/random.js";
import { shareMemory } from "../../../src/runtime/wasm/assembler.js";

const ROWS = 500;
/** The table begins at an odd address, as it may in a file. */
const START = 77;

function tablesOf(width: number): { plain: WordTable; shared: WordTable } {
  const random = createRandom(width);
  const memory = shareMemory(START + ROWS * width);
  const values = new Int8Array(memory.buffer, START, ROWS * width).map(
    () => Math.floor(256 * random()) - 128,
  );
  const inMemory = new Int8Array(memory.buffer, START, ROWS * width);
  inMemory.set(values);
  const scales = Float32Array.from({ length: ROWS }, () => random() / 100);
  const plain = { input: "sums", gives: "sum", width, values, scales } as const;
  return { plain, shared: { ...plain, values: inMemory, memory } };
}

describe.each([8, 24, 72, 176, 192])("openSums, rows of %i numbers", (width) => {
  const { plain, shared } = tablesOf(width);

  it.each([0, 1, 7, 40])("sums up %i rows", (count) => {
    const rows = Int32Array.from({ length: 40 }, (_, i) => (i * 97 + 499) % ROWS);
    const before = shared.memory?.buffer.byteLength;
    // two threads with shared memory
    const sums = [openSums(shared, 40), openSums(shared, 40)];
    expect(shared.memory?.buffer.byteLength).toBeGreaterThan(before ?? 0);
    for (const [i, sum] of sums.entries()) {
      const mine = new Float32Array(2 * width);
      const expected = new Float32Array(2 * width);
      sum(rows.subarray(i), count - (count > 39 ? i : 0), mine, width);
      openSums(plain, 40)(rows.subarray(i), count - (count > 39 ? i : 0), expected, width);
      expect(Math.max(...expected.map((value, k) => Math.abs(value - mine[k])))).toBeLessThan(2e-6);
      expect(expected.some((value) => value !== 0)).toBe(count > 0);
    }
  });
});

describe("openSums", () => {
  it("adds float32 rows, and rows of odd widths, in JavaScript", () => {
    const { shared } = tablesOf(12);
    const before = shared.memory?.buffer.byteLength;
    const sum = new Float32Array(12);
    openSums(shared, 4)(Int32Array.of(3, 5), 2, sum, 0);
    const { values, scales } = shared;
    const expected = Array.from(
      sum,
      (_, k) => values[36 + k] * (scales?.[3] ?? 0) + values[60 + k] * (scales?.[5] ?? 0),
    );
    sum.forEach((value, k) => {
      expect(value).toBeCloseTo(expected[k], 5);
    });
    expect(shared.memory?.buffer.byteLength).toBe(before);
    const floats = {
      ...shared,
      width: 4,
      values: Float32Array.of(1, 2, 3, 4, 5, 6, 7, 8),
      scales: undefined,
    };
    const two = new Float32Array(4);
    openSums(floats, 4)(Int32Array.of(0, 1, 1), 3, two, 0);
    expect([...two]).toEqual([11, 14, 17, 20]);
  });
});
