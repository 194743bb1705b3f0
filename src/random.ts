/** Seeded random numbers: whatever draws from them can be run again. */

/** Uniform numbers in [0, 1), the same sequence for the same seed on every machine. */
export type Random = () => number;

/** The mulberry32 generator (Tommy Ettinger, public domain), its seed scrambled so that near seeds differ at once. */
export function createRandom(seed: number): Random {
  let state = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
