/** Converts 16-bit floats to float32 and back, and tensors of any float type to float32. */
import type { Tensor } from "../tensor.js";

/** The tensor as float32: the same one if it already is; undefined if its type is not a float. */
export function toFloat32(tensor: Tensor): Tensor | undefined {
  const { type, dims, data } = tensor;
  if (type === "float32") return tensor;
  if (type === "float64") return { type: "float32", dims, data: Float32Array.from(data as Float64Array) };
  if (type === "float16") return { type: "float32", dims, data: fromFloat16(data as Uint16Array) };
  if (type !== "bfloat16") return undefined;
  // bfloat16 is the upper half of float32.
  const wide = Int32Array.from(data as Uint16Array, (bits) => bits << 16);
  return { type: "float32", dims, data: new Float32Array(wide.buffer) };
}

/** The float32 bits of all 65,536 float16 numbers: bits, not numbers, so that NaN keeps its payload. */
let wideBits: Int32Array | undefined;

export function fromFloat16(values: Uint16Array): Float32Array {
  wideBits ??= Int32Array.from({ length: 65_536 }, (_, bits) => widenedBits(bits));
  const wide = new Int32Array(values.length);
  for (let i = 0; i < values.length; i++) wide[i] = wideBits[values[i]];
  return new Float32Array(wide.buffer);
}

/** IEEE 754 binary16 (1 sign, 5 exponent and 10 fraction bits) as the bits of binary32 (1, 8, 23). */
function widenedBits(bits: number): number {
  const sign = (bits & 0x8000) << 16;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0x1f) return sign | 0x7f800000 | (fraction << 13);
  if (exponent > 0) return sign | ((exponent + 112) << 23) | (fraction << 13);
  if (fraction === 0) return sign;
  // A subnormal, fraction · 2⁻²⁴: shift its leading bit to where a normal number has its implicit one.
  const shift = Math.clz32(fraction) - 21;
  return sign | ((113 - shift) << 23) | (((fraction << shift) & 0x3ff) << 13);
}

/** The nearest float16 to each value, ties to even; values that round beyond ±65,504 become infinite. */
export function toFloat16(values: Float32Array): Uint16Array {
  const bits = new Uint32Array(values.buffer, values.byteOffset, values.length);
  const narrow = new Uint16Array(values.length);
  for (let index = 0; index < values.length; index++)
    narrow[index] = narrowedBits(bits[index], values[index]);
  return narrow;
}

function narrowedBits(bits: number, value: number): number {
  const sign = (bits >>> 16) & 0x8000;
  const exponent = (bits >>> 23) & 0xff;
  if (exponent === 0xff) return Number.isNaN(value) ? sign | 0x7e00 : sign | 0x7c00;
  const shifted = exponent - 112;
  if (shifted >= 0x1f) return sign | 0x7c00;
  // A subnormal is a multiple of 2⁻²⁴.
  if (shifted <= 0) return sign | roundToEven(Math.abs(value) * 2 ** 24);
  const fraction = bits & 0x7fffff;
  const kept = (shifted << 10) | (fraction >>> 13);
  const rest = fraction & 0x1fff;
  // Rounding up may carry into the exponent, which gives the next power of two.
  return sign | (rest > 0x1000 || (rest === 0x1000 && kept & 1) ? kept + 1 : kept);
}

function roundToEven(value: number): number {
  const floor = Math.floor(value);
  const rest = value - floor;
  return rest > 0.5 || (rest === 0.5 && floor % 2 === 1) ? floor + 1 : floor;
}
