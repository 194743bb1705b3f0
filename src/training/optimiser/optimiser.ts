/** Holds and updates the weights of a run, in memory (adam.ts) or on a device (graph-optimiser.ts); schedules of the rate. */
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

/** A schedule as plain data, so that checkpoints and model cards can hold it. */
export type Schedule =
  /** `warmUp`: steps over which the rate first rises in a line from 0; default 0. */
  | { readonly kind: "constant"; readonly warmUp?: number }
  /** × `factor` every `every` steps. */
  | {
      readonly kind: "exponential";
      readonly factor: number;
      readonly every: number;
      readonly warmUp?: number;
    }
  /** After the warm-up half a cosine, or a line, down to the factor `floor` (default 0) at step `steps`. */
  | {
      readonly kind: "warm-up-cosine" | "warm-up-linear";
      readonly warmUp: number;
      readonly steps: number;
      readonly floor?: number;
    };

/** The factor of the learning rate at a step, counted from 0. */
export function scheduleFactor(schedule: Schedule, step: number): number {
  const { warmUp = 0 } = schedule;
  if (step < warmUp) return (step + 1) / warmUp;
  switch (schedule.kind) {
    case "constant":
      return 1;
    case "exponential":
      return schedule.factor ** Math.floor(step / schedule.every);
    default: {
      const { kind, steps, floor = 0 } = schedule;
      const way = Math.min(1, (step - warmUp) / Math.max(1, steps - warmUp));
      const left = kind === "warm-up-linear" ? 1 - way : (1 + Math.cos(Math.PI * way)) / 2;
      return floor + (1 - floor) * left;
    }
  }
}
