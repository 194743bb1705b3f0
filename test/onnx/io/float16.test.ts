import { describe, expect, it } from "vitest";
import { fromFloat16, toFloat16, toFloat32 } from "../../../src/onnx/io/float16.js";

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

  it("keeps float32, rounds float64, and does not convert integers", () => {
    const same = { type: "float32", dims: [1], data: Float32Array.of(0.1) } as const;
    expect(toFloat32(same)).toBe(same);
    expect(toFloat32({ type: "float64", dims: [1], data: Float64Array.of(0.1) })?.data).toEqual(same.data);
    expect(toFloat32({ type: "int8", dims: [1], data: Int8Array.of(1) })).toBeUndefined();
  });
});

describe("fromFloat16 and toFloat16", () => {
  it("round-trip all 65,536 patterns", () => {
    const patterns = Uint16Array.from({ length: 65536 }, (_, bits) => bits);
    const values = fromFloat16(patterns);
    const again = toFloat16(values);
    for (let bits = 0; bits < 65536; bits++) {
      if (Number.isNaN(values[bits]))
        expect(Number.isNaN(fromFloat16(again.subarray(bits, bits + 1))[0])).toBe(true);
      else if (again[bits] !== bits) throw new Error(`${bits} came back as ${again[bits]}`);
    }
  });

  it("read the example numbers of IEEE 754", () => {
    const values = fromFloat16(Uint16Array.of(0x3c00, 0xc000, 0x7bff, 0x0400, 0x0001, 0x3555, 0x7c00));
    expect([...values.subarray(0, 6)]).toEqual([1, -2, 65504, 2 ** -14, 2 ** -24, 0.333251953125]);
    expect(values[6]).toBe(Infinity);
  });

  it("round to the nearest, ties to even", () => {
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
