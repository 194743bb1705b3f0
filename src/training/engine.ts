/** The training engine: gradients and optimiser in the calling thread, one step per call. */
import type { Tensor } from "../onnx/tensor.js";
import type { SessionOptions } from "../runtime/ort-session.js";
import { openGradients } from "./gradients/gradients.js";
import { createHostOptimiser } from "./optimiser/adam.js";
import { createGraphOptimiser } from "./optimiser/graph-optimiser.js";
import type { OptimiserOptions, StepReport } from "./optimiser/optimiser.js";
import type { TrainingBatch, TrainingProgram } from "./program.js";

export interface EngineOptions
  extends OptimiserOptions,
    Pick<SessionOptions, "device" | "threads" | "spinning"> {
  /** Where the weights are kept and updated; default "device" on webgpu, else "memory". */
  readonly updates?: "memory" | "device";
}

export type TrainingEngine = Awaited<ReturnType<typeof openEngine>>;

/**
 * Opens a program. The model's own arrays are not changed.
 * @throws ModelError if an operator between weights and loss has no derivative; DeviceError
 */
export async function openEngine(program: TrainingProgram, options: EngineOptions = {}) {
  const { device = "cpu", threads, spinning } = options;
  const sessions = { device, threads, spinning, buffers: program.hasFewShapes ? "all" : "few" } as const;
  const { updates = device === "webgpu" ? "device" : "memory" } = options;
  const runner = await openGradients(program, { ...sessions, gradients: updates });
  const { initializers } = program.model.graph;
  const weights = new Map(runner.weights.map((name) => [name, initializers.get(name) as Tensor]));
  const optimiser =
    updates === "memory"
      ? createHostOptimiser(weights, options)
      : await createGraphOptimiser(weights, options, sessions);
  return {
    optimiser,
    async step(batch: TrainingBatch, rate: number): Promise<StepReport> {
      const sink = optimiser.sink();
      const losses = await runner.run(batch, optimiser.feeds(), sink);
      return optimiser.update(sink, { rate, losses });
    },
    async release(): Promise<void> {
      await optimiser.release();
      await runner.release();
    },
  };
}
