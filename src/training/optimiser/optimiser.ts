/** Holds and updates the weights of a run: in memory (host-optimiser.ts) or on a device (graph-optimiser.ts). */
import type { Tensor } from "../../onnx/tensor.js";
import type { DeviceFeeds } from "../../runtime/ort-session.js";
import type { GradientSink, Losses } from "../gradients/gradients.js";
import type { AdamOptions } from "./adam.js";

export interface OptimiserOptions {
  readonly optimiser?: AdamOptions;
  /** Gradients with a global norm above this are scaled down to it; default: never. */
  readonly clipNorm?: number;
}

export interface UpdateOptions {
  readonly rate: number;
  /** By name, one number each, where the gradients are. */
  readonly losses: DeviceFeeds;
}

export interface StepReport {
  /** Before the update. */
  readonly losses: Losses;
  /** Global norm of the gradients before clipping. */
  readonly gradientNorm: number;
  /** False if a loss or a gradient is NaN or infinite: then nothing was changed. */
  readonly finite: boolean;
}

/** Everything that must be stored to continue bit for bit. */
export interface EngineState {
  readonly step: number;
  /** Weights by name, moments as `m/NAME` and `v/NAME`. */
  readonly tensors: ReadonlyMap<string, Tensor>;
}

/** Prefixes of names in a state: the weights, and Adam's moments. */
export const statePrefixes = ["", "m/", "v/"] as const;

export interface Optimiser {
  feeds(): DeviceFeeds;
  sink(): GradientSink;
  /** Takes the step, unless a loss or a gradient is NaN or infinite. */
  update(sink: GradientSink, options: UpdateOptions): Promise<StepReport>;
  /** In memory, perhaps the optimiser's own arrays. */
  weights(): Promise<ReadonlyMap<string, Tensor>>;
  /** The state, perhaps as the optimiser's own arrays: store it before the next step. */
  state(): Promise<EngineState>;
  restore(state: EngineState): Promise<void>;
  layout(): ReadonlyMap<string, readonly number[]>;
  release(): Promise<void>;
}
