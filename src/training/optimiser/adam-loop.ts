/** Adam's inner loop as JavaScript: what every other way to run it must equal bit for bit. */

/** What one update of one step needs to know. */
export interface Update {
  readonly beta1: number;
  readonly beta2: number;
  readonly epsilon: number;
  /** rate / (1 - β₁ᵗ) */
  readonly rate: number;
  /** 1 / √(1 - β₂ᵗ) */
  readonly spread: number;
  /** What gradients are multiplied by first. */
  readonly scale: number;
  /** Added to the gradient per unit of weight. */
  readonly pull: number;
  /** What the weight is multiplied by first. */
  readonly keep: number;
}

/** A weight, its moments in the same layout, and its gradient. */
export interface Moved {
  readonly w: Float32Array;
  readonly m: Float32Array;
  readonly v: Float32Array;
  readonly gradient: Float32Array;
}

/** Elements `from` up to `to` of a weight; their gradient begins at `at`. */
export interface Range {
  readonly from: number;
  readonly to: number;
  readonly at: number;
}

/** Where the numbers that Adam moves lie, and the loop that moves them there. */
export interface AdamArrays {
  /** New zeros. */
  floats(count: number): Float32Array;
  /** Moves a range of arrays that {@link floats} made. */
  move(arrays: Moved, range: Range, update: Update): void;
}

/** Arrays of their own. */
export const plainArrays: AdamArrays = { floats: (count) => new Float32Array(count), move };

function move(
  { w, m, v, gradient }: Moved,
  { from, to, at }: Range,
  { beta1, beta2, epsilon, rate, spread, scale, pull, keep }: Update,
): void {
  const [rest1, rest2, shift] = [1 - beta1, 1 - beta2, at - from];
  for (let i = from; i < to; i++) {
    const weight = w[i];
    const g = gradient[i + shift] * scale + pull * weight;
    const mean = beta1 * m[i] + rest1 * g;
    const square = beta2 * v[i] + rest2 * g * g;
    m[i] = mean;
    v[i] = square;
    w[i] = keep * weight - (rate * mean) / (Math.sqrt(square) * spread + epsilon);
  }
}
