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
import { elementCount, type Tensor } from "../../onnx/tensor.js";
import type { Gradient } from "../gradients/gradient-sum.js";
import { type AdamArrays, plainArrays, type Update } from "./adam-loop.js";

export interface AdamOptions {
  /** "adam" adds the decay to the gradient, "adamw" (decoupled) takes it off the weight; default "adam". */
  readonly kind?: "adam" | "adamw";
  /** β₁ and β₂; default 0.9 and 0.999. */
  readonly betas?: readonly [number, number];
  /** ε; default 1e-8. */
  readonly epsilon?: number;
  /** Share of a weight taken off per unit of rate; biases and norms (one axis) are spared. Default 0. */
  readonly weightDecay?: number;
  /** What the learning rate of a weight is multiplied by, by its name; default 1. */
  readonly rateFactors?: Readonly<Record<string, number>>;
}

/** Settings with their defaults filled in; factors are absent where there are none. */
export type AdamSettings = Required<Omit<AdamOptions, "rateFactors">> & Pick<AdamOptions, "rateFactors">;

export function adamSettings(options: AdamOptions = {}): AdamSettings {
  const { kind = "adam", betas = [0.9, 0.999], epsilon = 1e-8, weightDecay = 0, rateFactors } = options;
  return { kind, betas, epsilon, weightDecay, ...(rateFactors && { rateFactors }) };
}

/** The factor of a weight's learning rate. */
export const rateFactor = ({ rateFactors }: Pick<AdamOptions, "rateFactors">, weight: string): number =>
  rateFactors && Object.hasOwn(rateFactors, weight) ? rateFactors[weight] : 1;

/** Rows of tables are moved so many numbers at a time. */
const blockLength = 4096;

/** The moments of one weight, in its layout. */
export interface Moments {
  readonly m: Float32Array;
  readonly v: Float32Array;
}

/** An optimiser over weights that it changes in place. */
export class Adam {
  readonly settings: AdamSettings;
  readonly moments: ReadonlyMap<string, Moments>;
  /** Steps taken. */
  step = 0;
  readonly #weights: ReadonlyMap<string, Tensor>;
  readonly #arrays: AdamArrays;
  /** For tables: rows whose moments may differ from zero. */
  readonly #moving = new Map<string, Uint8Array>();

  /** @param arrays what made the weights' arrays; default: they are plain ones */
  constructor(weights: ReadonlyMap<string, Tensor>, options?: AdamOptions, arrays = plainArrays) {
    this.settings = adamSettings(options);
    this.#weights = weights;
    this.#arrays = arrays;
    this.moments = new Map(
      [...weights].map(([name, { dims }]) => {
        const count = elementCount(dims);
        return [name, { m: arrays.floats(count), v: arrays.floats(count) }];
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
      const update = this.#update(weight, rate * rateFactor(this.settings, name), scale);
      const w = weight.data as Float32Array;
      if (gradient.kind === "dense")
        this.#arrays.move({ w, m, v, gradient: gradient.values }, { from: 0, to: w.length, at: 0 }, update);
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
    const decays = update.pull !== 0 || update.keep !== 1;
    // neighbours move together: a call for each row would cost as much as its numbers
    const together = Math.max(1, Math.floor(blockLength / width));
    const gradient = new Float32Array(together * width);
    const moves = (row: number) => row < moving.length && (decays || moving[row] === 1);
    for (let first = 0, end = 0; first < moving.length; first = Math.max(end, first + 1)) {
      for (end = first; end < first + together && moves(end); end++) {
        const slot = slots.get(end);
        const at = (end - first) * width;
        if (slot === undefined) gradient.fill(0, at, at + width);
        else gradient.set(values.subarray(slot * width, (slot + 1) * width), at);
      }
      const range = { from: first * width, to: end * width, at: 0 };
      if (end > first) this.#arrays.move({ w, m, v, gradient }, range, update);
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

function movingRows(m: Float32Array, v: Float32Array, width: number): Uint8Array {
  const moving = new Uint8Array(m.length / width);
  for (let i = 0; i < m.length; i++) if (m[i] !== 0 || v[i] !== 0) moving[Math.floor(i / width)] = 1;
  return moving;
}
