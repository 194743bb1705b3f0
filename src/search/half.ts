/** Numbers of 16 bits (IEEE 754 binary16) and back, through tables: half the space for an error below 0.05 %. */

/** Float32 of each of the 65,536 bit patterns. */
let widened: Float32Array | undefined;

function wideTable(): Float32Array {
  widened ??= Float32Array.from({ length: 65536 }, (_, bits) => {
    const sign = bits & 0x8000 ? -1 : 1;
    const exponent = (bits >> 10) & 0x1f;
    const fraction = bits & 0x3ff;
    if (exponent === 0x1f) return fraction === 0 ? sign * Infinity : Number.NaN;
    if (exponent === 0) return sign * fraction * 2 ** -24;
    return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
  });
  return widened;
}

/** The values in float32, exactly. */
export function fromFloat16(values: Uint16Array): Float32Array {
  const table = wideTable();
  const wide = new Float32Array(values.length);
  for (let index = 0; index < values.length; index++) wide[index] = table[values[index]];
  return wide;
}

/** The nearest float16 of each value, ties to even; beyond ±65,504 infinity. */
export function toFloat16(values: Float32Array): Uint16Array {
  const bits = new Uint32Array(values.buffer, values.byteOffset, values.length);
  const narrow = new Uint16Array(values.length);
  for (let index = 0; index < values.length; index++) narrow[index] = halfOf(bits[index], values[index]);
  return narrow;
}

function halfOf(bits: number, value: number): number {
  const sign = (bits >>> 16) & 0x8000;
  const exponent = (bits >>> 23) & 0xff;
  if (exponent === 0xff) return Number.isNaN(value) ? sign | 0x7e00 : sign | 0x7c00;
  const shifted = exponent - 112;
  if (shifted >= 0x1f) return sign | 0x7c00;
  if (shifted <= 0) {
    // Subnormal: whole units of 2⁻²⁴.
    return sign | roundToEven(Math.abs(value) * 2 ** 24);
  }
  const fraction = bits & 0x7fffff;
  const kept = (shifted << 10) | (fraction >>> 13);
  const rest = fraction & 0x1fff;
  // Rounding up may carry into the exponent, which is then right too.
  return sign | (rest > 0x1000 || (rest === 0x1000 && kept & 1) ? kept + 1 : kept);
}

function roundToEven(value: number): number {
  const floor = Math.floor(value);
  const rest = value - floor;
  return rest > 0.5 || (rest === 0.5 && floor % 2 === 1) ? floor + 1 : floor;
}
