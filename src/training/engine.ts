/** The training engine: weights, optimiser and running average in the calling thread, moved by one step at a time. */
import type { Tensor } from "../onnx/index.js";
import type { SessionOptions } from "../runtime/ort-session.js";
import type { Feeds } from "../runtime/tensor.js";
import { Adam, type AdamOptions } from "./adam.js";
import type { TrainingBatch } from "./batch.js";
import { GradientSum, globalNorm } from "./gradient-sum.js";
import { GradientRunner, type Losses } from "./gradients.js";
import type { TrainingProgram } from "./program.js";
import { MovingAverage } from "./weight-average.js";

export interface EngineOptions extends Pick<SessionOptions, "device" | "threads" | "spinning"> {
  readonly optimiser?: AdamOptions;
  /** Gradients whose global norm exceeds this are scaled down to it; default: never. */
  readonly clipNorm?: number;
  /** Decay of a running average of the weights; default: none is kept. */
  readonly averageDecay?: number;
}

/** What one step was like. */
export interface StepReport {
  /** Before the update, as means over the step's batches. */
  readonly losses: Losses;
  /** Global norm of the gradients before clipping. */
  readonly gradientNorm: number;
  /** False where loss or gradients were no numbers: then nothing was changed. */
  readonly finite: boolean;
}

/** Everything that must be stored to go on bit for bit. */
export interface EngineState {
  readonly step: number;
  /** Weights by name, moments as `m/NAME` and `v/NAME`, the running average as `average/NAME`. */
  readonly tensors: ReadonlyMap<string, Tensor>;
}

export class TrainingEngine {
  readonly #runner: GradientRunner;
  readonly #weights: ReadonlyMap<string, Tensor>;
  readonly #adam: Adam;
  readonly #average: MovingAverage | undefined;
  readonly #clipNorm: number;

  private constructor(runner: GradientRunner, weights: ReadonlyMap<string, Tensor>, options: EngineOptions) {
    this.#runner = runner;
    this.#weights = weights;
    this.#adam = new Adam(weights, options.optimiser);
    this.#average =
      options.averageDecay === undefined ? undefined : new MovingAverage(weights, options.averageDecay);
    this.#clipNorm = options.clipNorm ?? Number.POSITIVE_INFINITY;
  }

  /** Opens a program. The model's own arrays are not changed. */
  static async open(program: TrainingProgram, options: EngineOptions = {}): Promise<TrainingEngine> {
    const { device, threads, spinning } = options;
    const runner = await GradientRunner.open(program, { device, threads, spinning });
    const weights = new Map(
      runner.weights.map((name) => {
        const { type, dims, data } = program.model.graph.initializers.get(name) as Tensor;
        return [name, { type, dims, data: (data as Float32Array).slice() }];
      }),
    );
    return new TrainingEngine(runner, weights, options);
  }

  /**
   * One step of training on the mean loss of one or more batches.
   * Where the loss or a gradient is NaN or infinite nothing changes, and the report says so.
   */
  async step(batches: readonly TrainingBatch[], rate: number): Promise<StepReport> {
    const sum = new GradientSum();
    const losses: Losses = {};
    const feeds = Object.fromEntries(this.#weights) as Feeds;
    for (const batch of batches)
      for (const [name, loss] of Object.entries(await this.#runner.run(batch, feeds, sum)))
        losses[name] = (losses[name] ?? 0) + loss / batches.length;
    const gradients = sum.gradients();
    const gradientNorm = globalNorm(gradients.values()) / batches.length;
    const finite = Number.isFinite(gradientNorm) && Object.values(losses).every(Number.isFinite);
    if (finite) {
      const clip = gradientNorm > this.#clipNorm ? this.#clipNorm / gradientNorm : 1;
      this.#adam.update(gradients, rate, clip / batches.length);
      this.#average?.update(this.#weights);
    }
    return { losses, gradientNorm, finite };
  }

  /** The losses of a batch; nothing changes. */
  async losses(batch: TrainingBatch): Promise<Losses> {
    return this.#runner.run(batch, Object.fromEntries(this.#weights) as Feeds, new GradientSum());
  }

  /** The trained weights, or their running average where one is kept. The arrays are the engine's own. */
  weights(): ReadonlyMap<string, Tensor> {
    const average = this.#average;
    if (!average) return this.#weights;
    return new Map(
      [...this.#weights].map(([name, tensor]) => [
        name,
        { ...tensor, data: average.values.get(name) as Float32Array },
      ]),
    );
  }

  /** The state as views of the engine's arrays: store it before the next step. */
  state(): EngineState {
    return { step: this.#adam.step, tensors: new Map(this.#tensors()) };
  }

  *#tensors(): Generator<[string, Tensor]> {
    for (const [name, tensor] of this.#weights) {
      const { m, v } = this.#adam.moments.get(name) as { m: Float32Array; v: Float32Array };
      yield [name, tensor];
      yield [`m/${name}`, { ...tensor, data: m }];
      yield [`v/${name}`, { ...tensor, data: v }];
      const average = this.#average?.values.get(name);
      if (average) yield [`average/${name}`, { ...tensor, data: average }];
    }
  }

  /** Names and shapes that {@link restore} expects. */
  layout(): ReadonlyMap<string, readonly number[]> {
    return new Map([...this.#tensors()].map(([name, { dims }]) => [name, dims]));
  }

  /** Takes a state over: the next step is the one that would have followed. */
  restore({ step, tensors }: EngineState): void {
    for (const [name, { data }] of this.#tensors())
      (data as Float32Array).set(tensors.get(name)?.data as Float32Array);
    this.#adam.resume(step);
  }

  release(): Promise<void> {
    return this.#runner.release();
  }
}
