/** Weights in memory, moved in place by adam.ts: what trains on the CPU. */
import type { Tensor } from "../../onnx/tensor.js";
import type { Feeds } from "../../runtime/tensor.js";
import { GradientSum, globalNorm } from "../gradients/gradient-sum.js";
import type { GradientSink } from "../gradients/gradients.js";
import { Adam } from "./adam.js";
import { webAssemblyArrays } from "./adam-kernel.js";
import { plainArrays } from "./adam-loop.js";
import { MovingAverage } from "./moving-average.js";
import {
  type EngineState,
  type Optimiser,
  type OptimiserOptions,
  stateNames,
  type UpdateOptions,
} from "./optimiser.js";

/** @param start first values; they are copied */
export function createHostOptimiser(
  start: ReadonlyMap<string, Tensor>,
  options: OptimiserOptions,
): Optimiser {
  const lengths = [...start.values()].flatMap(({ data: { length } }) => [length, length, length]);
  const arrays = webAssemblyArrays(lengths) ?? plainArrays;
  const copied = ({ type, dims, data }: Tensor) => {
    const own = arrays.floats(data.length);
    own.set(data as Float32Array);
    return { type, dims, data: own };
  };
  const weights = new Map([...start].map(([name, tensor]) => [name, copied(tensor)]));
  const { averageDecay, clipNorm = Number.POSITIVE_INFINITY } = options;
  const adam = new Adam(weights, options.optimiser, arrays);
  const average = averageDecay === undefined ? undefined : new MovingAverage(weights, averageDecay);
  const names = () => [...stateNames(weights.keys(), options)];
  const tensorOf = ({ part, weight }: ReturnType<typeof names>[number]): Tensor => {
    const tensor = weights.get(weight) as Tensor;
    if (part === "weight") return tensor;
    const data = part === "average" ? average?.values.get(weight) : adam.moments.get(weight)?.[part];
    return { ...tensor, data: data as Float32Array };
  };
  return {
    feeds: () => Object.fromEntries(weights) as Feeds,
    sink: () => new GradientSum(),
    async update(sink: GradientSink, { rate, batches, finite }: UpdateOptions) {
      const gradients = (sink as GradientSum).gradients();
      const norm = globalNorm(gradients.values()) / batches;
      if (finite && Number.isFinite(norm)) {
        adam.update(gradients, rate, (norm > clipNorm ? clipNorm / norm : 1) / batches);
        average?.update(weights);
      }
      return norm;
    },
    weights: async () =>
      average
        ? new Map(
            [...weights.keys()].map((weight) => [weight, tensorOf({ name: "", part: "average", weight })]),
          )
        : // the arrays are parts of one memory: a message with them would take all of it along
          new Map([...weights].map(([name, tensor]) => [name, { ...tensor, data: tensor.data.slice() }])),
    state: async () => ({
      step: adam.step,
      tensors: new Map(names().map((entry) => [entry.name, tensorOf(entry)])),
    }),
    async restore({ step, tensors }: EngineState) {
      for (const entry of names())
        (tensorOf(entry).data as Float32Array).set(tensors.get(entry.name)?.data as Float32Array);
      adam.resume(step);
    },
    layout: () => new Map(names().map((entry) => [entry.name, tensorOf(entry).dims])),
    release: async () => {},
  };
}
