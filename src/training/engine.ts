/** The training engine: gradients and optimiser in the calling thread, one step per call. */
import type { Tensor } from "../onnx/tensor.js";
import type { SessionOptions } from "../runtime/ort-session.js";
import { GradientRunner } from "./gradients/gradients.js";
import { createHostOptimiser } from "./optimiser/adam.js";
import { createGraphOptimiser } from "./optimiser/graph-optimiser.js";
import type { Optimiser, OptimiserOptions, StepReport } from "./optimiser/optimiser.js";
import type { TrainingBatch, TrainingProgram } from "./program.js";

export interface EngineOptions
  extends OptimiserOptions,
    Pick<SessionOptions, "device" | "threads" | "spinning"> {
  /** Where the weights are kept and updated; default "device" on webgpu, else "memory". */
  readonly updates?: "memory" | "device";
}

export class TrainingEngine {
  readonly optimiser: Optimiser;
  readonly #runner: GradientRunner;

  private constructor(runner: GradientRunner, optimiser: Optimiser) {
    this.#runner = runner;
    this.optimiser = optimiser;
  }

  /**
   * Opens a program. The model's own arrays are not changed.
   * @throws ModelError if an operator between weights and loss has no derivative; DeviceError
   */
  static async open(program: TrainingProgram, options: EngineOptions = {}): Promise<TrainingEngine> {
    const { device = "cpu", threads, spinning } = options;
    const sessions = { device, threads, spinning };
    const { updates = device === "webgpu" ? "device" : "memory" } = options;
    const runner = await GradientRunner.open(program, { ...sessions, gradients: updates });
    const { initializers } = program.model.graph;
    const weights = new Map(runner.weights.map((name) => [name, initializers.get(name) as Tensor]));
    const optimiser =
      updates === "memory"
        ? createHostOptimiser(weights, options)
        : await createGraphOptimiser(weights, options, sessions);
    return new TrainingEngine(runner, optimiser);
  }

  async step(batch: TrainingBatch, rate: number): Promise<StepReport> {
    const sink = this.optimiser.sink();
    const losses = await this.#runner.run(batch, this.optimiser.feeds(), sink);
    return this.optimiser.update(sink, { rate, losses });
  }

  async release(): Promise<void> {
    await this.optimiser.release();
    await this.#runner.release();
  }
}
