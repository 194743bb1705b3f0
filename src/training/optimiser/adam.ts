/**
 * Adam (Kingma and Ba, 2015) and AdamW (Loshchilov and Hutter, 2019), in place over the arrays that back the
 * weights' tensors:
 *
 *     m = β₁ m + (1 - β₁) g,   v = β₂ v + (1 - β₂) g²,   w -= rate · m̂ / (√v̂ + ε),
 *     m̂ = m / (1 - β₁ᵗ),       v̂ = v / (1 - β₂ᵗ),        t = 1, 2, ...
 *
 * Numbers are stored as float32 and computed as float64. Tables with a gradient by rows are updated as if it were
 * dense: rows without a gradient still follow their m, as in PyTorch.
 */
import type { Tensor } from "../../onnx/tensor.js";
import type { Feeds } from "../../runtime/tensor.js";
import {
  type Gradient,
  type GradientSink,
  GradientSum,
  globalNorm,
  numbersOf,
} from "../gradients/gradients.js";
import type { EngineState, Optimiser, OptimiserOptions, UpdateOptions } from "./optimiser.js";

/** Options of Adam: betas, epsilon, weight decay, and factors of the rate by name of the weight. */
export interface AdamOptions {
  /** "adam" adds the decay to the gradient, "adamw" (decoupled) subtracts it from the weight; default "adam". */
  readonly kind?: "adam" | "adamw";
  /** β₁ and β₂; default 0.9 and 0.999. */
  readonly betas?: readonly [number, number];
  /** ε; default 1e-8. */
  readonly epsilon?: number;
  /** Fraction of a weight that decays per unit of rate; biases and norms (one axis) do not decay. Default 0. */
  readonly weightDecay?: number;
  /** Factors of the learning rate by name of the weight; default 1. */
  readonly rateFactors?: Readonly<Record<string, number>>;
}

export type AdamSettings = Required<Omit<AdamOptions, "rateFactors">> & Pick<AdamOptions, "rateFactors">;

export function adamSettings(options: AdamOptions = {}): AdamSettings {
  const { kind = "adam", betas = [0.9, 0.999], epsilon = 1e-8, weightDecay = 0, rateFactors } = options;
  return { kind, betas, epsilon, weightDecay, ...(rateFactors && { rateFactors }) };
}

export const rateFactor = ({ rateFactors }: Pick<AdamOptions, "rateFactors">, weight: string): number =>
  rateFactors && Object.hasOwn(rateFactors, weight) ? rateFactors[weight] : 1;

export class Adam {
  /** Moments by weight, in its layout. */
  readonly m: ReadonlyMap<string, Tensor>;
  readonly v: ReadonlyMap<string, Tensor>;
  step = 0;
  readonly #settings: AdamSettings;
  readonly #weights: ReadonlyMap<string, Tensor>;
  /** For tables: rows with moments that may differ from zero. */
  readonly #moving = new Map<string, Uint8Array>();

  constructor(weights: ReadonlyMap<string, Tensor>, options?: AdamOptions) {
    this.#settings = adamSettings(options);
    this.#weights = weights;
    this.m = zerosLike(weights);
    this.v = zerosLike(weights);
  }

  /**
   * Takes one step. Weights without a gradient stay.
   * @param rate the learning rate @param scale factor of every gradient
   */
  update(gradients: ReadonlyMap<string, Gradient>, rate: number, scale = 1): void {
    this.step++;
    for (const [name, gradient] of gradients) {
      const weight = this.#weights.get(name) as Tensor;
      const [w, m, v] = [weight, this.m.get(name), this.v.get(name)].map(
        (tensor) => tensor?.data as Float32Array,
      );
      const moved = { w, m, v };
      const ownRate = rate * rateFactor(this.#settings, name);
      const update = updateOf(this.#settings, weight, { step: this.step, rate: ownRate, scale });
      if (gradient.kind === "dense") move(moved, { from: 0, count: w.length }, gradient.values, 0, update);
      else this.#moveRows(name, moved, gradient, update);
    }
  }

  /** Dense Adam changes nothing in a row with zero moments and no gradient: such rows are skipped. */
  #moveRows(
    name: string,
    moved: Moved,
    { width, slots, values }: Extract<Gradient, { kind: "rows" }>,
    update: Update,
  ): void {
    const moving = this.#moving.get(name) ?? movingRows(moved, width);
    this.#moving.set(name, moving);
    for (const row of slots.keys()) moving[row] = 1;
    const decays = update.pull !== 0 || update.keep !== 1;
    const none = new Float32Array(width);
    for (let row = 0; row < moving.length; row++) {
      if (!decays && moving[row] === 0) continue;
      const range = { from: row * width, count: width };
      const slot = slots.get(row);
      if (slot === undefined) move(moved, range, none, 0, update);
      else move(moved, range, values, slot * width, update);
    }
  }

  /** Continues after `step` with moments that were filled from outside. */
  resume(step: number): void {
    this.step = step;
    this.#moving.clear();
  }
}

/** The numbers of one step of a weight. @param scale factor of gradients */
function updateOf(
  { kind, epsilon, weightDecay, betas }: AdamSettings,
  { dims }: Tensor,
  { step, rate, scale }: { readonly step: number; readonly rate: number; readonly scale: number },
) {
  const [beta1, beta2] = betas;
  const decay = dims.length > 1 ? weightDecay : 0;
  return {
    ...{ beta1, beta2, epsilon, scale },
    rate: rate / (1 - beta1 ** step),
    spread: 1 / Math.sqrt(1 - beta2 ** step),
    /** Added to the gradient per unit of weight. */
    pull: kind === "adam" ? decay : 0,
    /** Factor of the weight before it moves. */
    keep: kind === "adamw" ? 1 - rate * decay : 1,
  };
}
type Update = Readonly<ReturnType<typeof updateOf>>;

interface Moved {
  readonly w: Float32Array;
  readonly m: Float32Array;
  readonly v: Float32Array;
}

/** Updates a range of a weight; its gradient begins at `at`. */
function move(
  { w, m, v }: Moved,
  { from, count }: { readonly from: number; readonly count: number },
  gradient: Float32Array,
  at: number,
  { beta1, beta2, epsilon, rate, spread, scale, pull, keep }: Update,
): void {
  const [rest1, rest2, shift] = [1 - beta1, 1 - beta2, at - from];
  for (let i = from; i < from + count; i++) {
    const weight = w[i];
    const g = gradient[i + shift] * scale + pull * weight;
    const mean = beta1 * m[i] + rest1 * g;
    const square = beta2 * v[i] + rest2 * g * g;
    m[i] = mean;
    v[i] = square;
    w[i] = keep * weight - (rate * mean) / (Math.sqrt(square) * spread + epsilon);
  }
}

function movingRows({ m, v }: Moved, width: number): Uint8Array {
  const moving = new Uint8Array(m.length / width);
  for (let i = 0; i < m.length; i++) if (m[i] !== 0 || v[i] !== 0) moving[Math.floor(i / width)] = 1;
  return moving;
}

const zerosLike = (tensors: ReadonlyMap<string, Tensor>): Map<string, Tensor> =>
  new Map(
    [...tensors].map(([name, tensor]) => [name, { ...tensor, data: new Float32Array(tensor.data.length) }]),
  );

/** @param start first values; they are copied */
export function createHostOptimiser(
  start: ReadonlyMap<string, Tensor>,
  options: OptimiserOptions,
): Optimiser {
  const { clipNorm = Number.POSITIVE_INFINITY } = options;
  const weights = copyTensors(start);
  const adam = new Adam(weights, options.optimiser);
  const state = new Map([...weights, ...prefixed("m/", adam.m), ...prefixed("v/", adam.v)]);
  return {
    feeds: () => Object.fromEntries(weights) as Feeds,
    sink: () => new GradientSum(),
    async update(sink: GradientSink, options: UpdateOptions) {
      const gradients = (sink as GradientSum).gradients();
      const losses = numbersOf(options.losses);
      const norm = globalNorm(gradients.values());
      const finite = [norm, ...Object.values(losses)].every(Number.isFinite);
      if (finite) adam.update(gradients, options.rate, norm > clipNorm ? clipNorm / norm : 1);
      return { losses, gradientNorm: norm, finite };
    },
    weights: async () => weights,
    state: async () => ({ step: adam.step, tensors: state }),
    async restore({ step, tensors }: EngineState) {
      for (const [name, { data }] of state)
        (data as Float32Array).set(tensors.get(name)?.data as Float32Array);
      adam.resume(step);
    },
    layout: () => new Map([...state].map(([name, { dims }]) => [name, dims])),
    release: async () => {},
  };
}

const prefixed = (prefix: string, tensors: ReadonlyMap<string, Tensor>) =>
  [...tensors].map(([name, tensor]) => [`${prefix}${name}`, tensor] as const);

/** The same tensors with buffers of their own, which no further step changes. */
export const copyTensors = (tensors: ReadonlyMap<string, Tensor>): Map<string, Tensor> =>
  new Map([...tensors].map(([name, tensor]) => [name, { ...tensor, data: tensor.data.slice() }]));
