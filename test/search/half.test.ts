/** Float16 to the bit: every pattern there and back, and the rounding of values in between. */
import { describe, expect, it } from "vitest";
import { fromFloat16, toFloat16 } from "../../src/search/half.js";

describe("float16", () => {
  it("gives every finite pattern back", () => {
    const patterns = Uint16Array.from({ length: 65536 }, (_, bits) => bits);
    const values = fromFloat16(patterns);
    const again = toFloat16(values);
    for (let bits = 0; bits < 65536; bits++) {
      if (Number.isNaN(values[bits]))
        expect(Number.isNaN(fromFloat16(again.subarray(bits, bits + 1))[0])).toBe(true);
      else if (again[bits] !== bits) throw new Error(`${bits} came back as ${again[bits]}`);
    }
  });

  it("knows the numbers of IEEE 754", () => {
    const values = fromFloat16(Uint16Array.of(0x3c00, 0xc000, 0x7bff, 0x0400, 0x0001, 0x3555, 0x7c00));
    expect([...values.subarray(0, 6)]).toEqual([1, -2, 65504, 2 ** -14, 2 ** -24, 0.333251953125]);
    expect(values[6]).toBe(Infinity);
  });

  it("rounds to the nearest, ties to even", () => {
    const step = 2 ** -10; // between neighbours above 1
    const values = Float32Array.of(
      1 + step / 2,
      1 + (3 * step) / 2,
      1 + 0.6 * step,
      65519,
      65520,
      2 ** -25,
      1e-5,
    );
    const rounded = fromFloat16(toFloat16(values));
    expect([...rounded.subarray(0, 6)]).toEqual([1, 1 + 2 * step, 1 + step, 65504, Infinity, 0]);
    expect(Math.abs(rounded[6] - 1e-5)).toBeLessThanOrEqual(2 ** -25);
  });
});
