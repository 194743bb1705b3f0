/** Weights in memory, updated in place by adam.ts; used on the CPU. */
import type { Tensor } from "../../onnx/tensor.js";
import type { Feeds } from "../../runtime/tensor.js";
import { GradientSum, globalNorm } from "../gradients/gradient-sum.js";
import { type GradientSink, numbersOf } from "../gradients/gradients.js";
import { Adam } from "./adam.js";
import type { EngineState, Optimiser, OptimiserOptions, UpdateOptions } from "./optimiser.js";

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
