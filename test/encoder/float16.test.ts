import { describe, expect, it } from "vitest";
import { toFloat32 } from "../../src/encoder/float16.js";

const widened = (type: "float16" | "bfloat16", ...bits: number[]): number[] =>
  Array.from(toFloat32({ type, dims: [bits.length], data: Uint16Array.from(bits) })?.data as Float32Array);

describe("toFloat32", () => {
  it("reads half precision exactly: normal, subnormal, zeros, infinities (IEEE 754, binary16)", () => {
    const bits = [
      0x3c00, 0xc000, 0x3555, 0x7bff, 0x0400, 0x03ff, 0x0001, 0x8001, 0x0000, 0x8000, 0x7c00, 0xfc00,
    ];
    expect(widened("float16", ...bits)).toEqual([
      ...[1, -2, 0.333251953125, 65504, 2 ** -14, 1023 * 2 ** -24, 2 ** -24, -(2 ** -24)],
      ...[0, -0, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY],
    ]);
    expect(widened("float16", 0x7e00)).toEqual([Number.NaN]);
  });

  it("reads every finite half as sign · fraction · 2^exponent", () => {
    const bits = Array.from({ length: 0x7c00 }, (_, i) => i);
    const expected = bits.map((word) => {
      const [exponent, fraction] = [word >> 10, word & 0x3ff];
      return exponent === 0 ? fraction * 2 ** -24 : (1024 + fraction) * 2 ** (exponent - 25);
    });
    expect(widened("float16", ...bits)).toEqual(expected);
  });

  it("reads bfloat16 as float32's upper half", () => {
    expect(widened("bfloat16", 0x3f80, 0xc000, 0x4049, 0x8000, 0xff80)).toEqual([
      ...[1, -2, 3.140625, -0, Number.NEGATIVE_INFINITY],
    ]);
  });

  it("keeps float32 as it is, rounds float64, and leaves integers alone", () => {
    const same = { type: "float32", dims: [1], data: Float32Array.of(0.1) } as const;
    expect(toFloat32(same)).toBe(same);
    expect(toFloat32({ type: "float64", dims: [1], data: Float64Array.of(0.1) })?.data).toEqual(same.data);
    expect(toFloat32({ type: "int8", dims: [1], data: Int8Array.of(1) })).toBeUndefined();
  });
});
