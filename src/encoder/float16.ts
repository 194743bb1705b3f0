/** Weights of other float types as float32, exactly where the type is narrower. */
import type { Tensor } from "../onnx/index.js";

/** The tensor in float32, itself where it is that already; undefined for types that are not floats. */
export function toFloat32(tensor: Tensor): Tensor | undefined {
  const { type, dims } = tensor;
  switch (type) {
    case "float32":
      return tensor;
    case "float64":
      return { type: "float32", dims, data: Float32Array.from(tensor.data as Float64Array) };
    case "float16":
      return { type: "float32", dims, data: widened(tensor.data as Uint16Array, halfBits) };
    case "bfloat16":
      return { type: "float32", dims, data: widened(tensor.data as Uint16Array, (bits) => bits << 16) };
    default:
      return undefined;
  }
}

function widened(narrow: Uint16Array, bitsOf: (bits: number) => number): Float32Array {
  const wide = new Int32Array(narrow.length);
  for (let i = 0; i < narrow.length; i++) wide[i] = bitsOf(narrow[i]);
  return new Float32Array(wide.buffer);
}

/** IEEE 754 binary16 (1 sign, 5 exponent and 10 fraction bits) as the bits of binary32 (1, 8, 23). */
function halfBits(bits: number): number {
  const sign = (bits & 0x8000) << 16;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0x1f) return sign | 0x7f800000 | (fraction << 13);
  if (exponent > 0) return sign | ((exponent + 112) << 23) | (fraction << 13);
  if (fraction === 0) return sign;
  // A subnormal, fraction · 2⁻²⁴, has its leading bit moved to where a normal number hides it.
  const shift = Math.clz32(fraction) - 21;
  return sign | ((113 - shift) << 23) | (((fraction << shift) & 0x3ff) << 13);
}
