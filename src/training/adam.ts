/**
 * Adam (Kingma and Ba, 2015) and AdamW (Loshchilov and Hutter, 2019), in place over the arrays that back the
 * weights' tensors:
 *
 *     m = β₁ m + (1 - β₁) g,   v = β₂ v + (1 - β₂) g²,   w -= rate · m̂ / (√v̂ + ε),
 *     m̂ = m / (1 - β₁ᵗ),       v̂ = v / (1 - β₂ᵗ),        t = 1, 2, ...
 *
 * Numbers are stored as float32 and computed as float64. Tables whose gradient comes in rows are updated as if
 * it were dense: rows without a gradient still follow their m, as in PyTorch.
 */
import { elementCount, type Tensor } from "../onnx/index.js";
import type { Gradient } from "./gradient-sum.js";

export interface AdamOptions {
  /** "adam" adds the decay to the gradient, "adamw" (decoupled) takes it off the weight; default "adam". */
  readonly kind?: "adam" | "adamw";
  /** β₁ and β₂; default 0.9 and 0.999. */
  readonly betas?: readonly [number, number];
  /** ε; default 1e-8. */
  readonly epsilon?: number;
  /** Share of a weight taken off per unit of rate; biases and norms (one axis) are spared. Default 0. */
  readonly weightDecay?: number;
}

/** Settings with their defaults filled in. */
export function adamSettings(options: AdamOptions = {}): Required<AdamOptions> {
  const { kind = "adam", betas = [0.9, 0.999], epsilon = 1e-8, weightDecay = 0 } = options;
  return { kind, betas, epsilon, weightDecay };
}

/** What one update of one step needs to know. */
interface Update {
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

/** The moments of one weight, in its layout. */
export interface Moments {
  readonly m: Float32Array;
  readonly v: Float32Array;
}

/** An optimiser over weights that it changes in place. */
export class Adam {
  readonly settings: Required<AdamOptions>;
  readonly moments: ReadonlyMap<string, Moments>;
  /** Steps taken. */
  step = 0;
  readonly #weights: ReadonlyMap<string, Tensor>;
  /** For tables: rows whose moments may differ from zero. */
  readonly #moving = new Map<string, Uint8Array>();

  constructor(weights: ReadonlyMap<string, Tensor>, options?: AdamOptions) {
    this.settings = adamSettings(options);
    this.#weights = weights;
    this.moments = new Map(
      [...weights].map(([name, { dims }]) => {
        const count = elementCount(dims);
        return [name, { m: new Float32Array(count), v: new Float32Array(count) }];
      }),
    );
  }

  /**
   * Takes one step. Weights without a gradient stay.
   * @param rate the learning rate @param scale what every gradient is multiplied by first; default 1
   */
  update(gradients: ReadonlyMap<string, Gradient>, rate: number, scale = 1): void {
    this.step++;
    for (const [name, gradient] of gradients) {
      const weight = this.#weights.get(name) as Tensor;
      const { m, v } = this.moments.get(name) as Moments;
      const update = this.#update(weight, rate, scale);
      const w = weight.data as Float32Array;
      if (gradient.kind === "dense") move(w, m, v, gradient.values, { from: 0, to: w.length, at: 0 }, update);
      else this.#moveRows(name, weight, gradient, update);
    }
  }

  /** Where m and v of a row are zero and no gradient comes, dense Adam moves nothing either: the row is skipped. */
  #moveRows(
    name: string,
    weight: Tensor,
    { width, slots, values }: Extract<Gradient, { kind: "rows" }>,
    update: Update,
  ): void {
    const { m, v } = this.moments.get(name) as Moments;
    const w = weight.data as Float32Array;
    const moving = this.#moving.get(name) ?? movingRows(m, v, width);
    this.#moving.set(name, moving);
    for (const row of slots.keys()) moving[row] = 1;
    const none = new Float32Array(width);
    const decays = update.pull !== 0 || update.keep !== 1;
    for (let row = 0; row < moving.length; row++) {
      if (moving[row] === 0 && !decays) continue;
      const slot = slots.get(row);
      const range = { from: row * width, to: (row + 1) * width, at: slot === undefined ? 0 : slot * width };
      move(w, m, v, slot === undefined ? none : values, range, update);
    }
  }

  #update({ dims }: Tensor, rate: number, scale: number): Update {
    const { kind, epsilon, weightDecay, betas } = this.settings;
    const [beta1, beta2] = betas;
    const decay = dims.length > 1 ? weightDecay : 0;
    return {
      ...{ beta1, beta2, epsilon, scale },
      rate: rate / (1 - beta1 ** this.step),
      spread: 1 / Math.sqrt(1 - beta2 ** this.step),
      pull: kind === "adam" ? decay : 0,
      keep: kind === "adamw" ? 1 - rate * decay : 1,
    };
  }

  /** Goes on from `step` with the moments as they were filled from outside. */
  resume(step: number): void {
    this.step = step;
    this.#moving.clear();
  }
}

/** The inner loop: elements `from` to `to` of a weight, with the gradient that begins at `at`. */
function move(
  w: Float32Array,
  m: Float32Array,
  v: Float32Array,
  gradient: Float32Array,
  { from, to, at }: { from: number; to: number; at: number },
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

function movingRows(m: Float32Array, v: Float32Array, width: number): Uint8Array {
  const moving = new Uint8Array(m.length / width);
  for (let i = 0; i < m.length; i++) if (m[i] !== 0 || v[i] !== 0) moving[Math.floor(i / width)] = 1;
  return moving;
}
