/** What holds the weights of a run and moves them: in memory (host-optimiser.ts) or on a device (graph-optimiser.ts). */
import type { Tensor } from "../../onnx/tensor.js";
import type { DeviceFeeds } from "../../runtime/ort-session.js";
import type { GradientSink } from "../gradients/gradients.js";
import type { AdamOptions } from "./adam.js";

export interface OptimiserOptions {
  readonly optimiser?: AdamOptions;
  /** Gradients whose global norm exceeds this are scaled down to it; default: never. */
  readonly clipNorm?: number;
  /** Decay of a running average of the weights; default: none is kept. */
  readonly averageDecay?: number;
}

/** How one step is to be taken. */
export interface UpdateOptions {
  readonly rate: number;
  /** Batches whose gradients were collected: the step follows their mean. */
  readonly batches: number;
  /** False where a loss was no number: then only the norm is computed. */
  readonly finite: boolean;
}

/** Everything that must be stored to go on bit for bit. */
export interface EngineState {
  /** Steps taken. */
  readonly step: number;
  /** Weights by name, moments as `m/NAME` and `v/NAME`, the running average as `average/NAME`. */
  readonly tensors: ReadonlyMap<string, Tensor>;
}

export interface Optimiser {
  /** The weights, for a run of the gradient graph. */
  feeds(): DeviceFeeds;
  /** Begins the gradients of a step. */
  sink(): GradientSink;
  /** Takes the step, unless the gradients are no numbers. @returns their global norm before clipping */
  update(sink: GradientSink, options: UpdateOptions): Promise<number>;
  /** The weights, or their running average where one is kept; in memory, perhaps the optimiser's own arrays. */
  weights(): Promise<ReadonlyMap<string, Tensor>>;
  state(): Promise<EngineState>;
  restore(state: EngineState): Promise<void>;
  /** Names and shapes of the state's tensors. */
  layout(): ReadonlyMap<string, readonly number[]>;
  release(): Promise<void>;
}

/** The names of a state's tensors, and the weight that each belongs to. */
export function* stateNames(
  weights: Iterable<string>,
  { averageDecay }: OptimiserOptions,
): Generator<{ name: string; part: "weight" | "m" | "v" | "average"; weight: string }> {
  for (const weight of weights) {
    yield { name: weight, part: "weight", weight };
    yield { name: `m/${weight}`, part: "m", weight };
    yield { name: `v/${weight}`, part: "v", weight };
    if (averageDecay !== undefined) yield { name: `average/${weight}`, part: "average", weight };
  }
}
