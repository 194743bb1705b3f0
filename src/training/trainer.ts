/** Training from first step to last: batches ahead, schedule, evaluation, checkpoints, metrics, interruption. */

import { createHash } from "node:crypto";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ArgumentError, InterruptedError, TrainingError } from "../errors.js";
import { packageVersion } from "../files/version.js";
import { bytesOf, type Tensor } from "../onnx/tensor.js";
import { startWorker, type WorkerClient } from "../runtime/worker-client.js";
import type { TrainingBatch } from "./batch.js";
import {
  type CheckpointRecord,
  checkSettings,
  listCheckpoints,
  pruneCheckpoints,
  readRecord,
  type Settings,
} from "./checkpoint.js";
import type { EngineOptions, StepReport } from "./engine.js";
import { appendMetrics, type StepLoss, type StepMetrics, startMetrics } from "./metrics.js";
import { adamSettings } from "./optimiser/adam.js";
import { type Schedule, scheduleFactor } from "./optimiser/schedule.js";
import type { TrainingProgram } from "./program.js";
import type { OpenReply, WeightsReply } from "./training-protocol.js";

/** Batches of a run. */
export interface TrainingData {
  /** Of everything that batches are made of: rows, seed, batch size. */
  readonly fingerprint: string;
  /** The batch of a number, counted from 0: a function of the number alone, so that a run can go on anywhere. */
  batch(index: number): TrainingBatch | Promise<TrainingBatch>;
  /** What is saved for inspection where this batch gave NaN; default its tensors. */
  describe?(index: number): unknown;
}

export interface Evaluation {
  /** Steps between two evaluations; the first comes before the first step. */
  readonly every: number;
  /** Judges weights; a larger score is better. */
  run(weights: ReadonlyMap<string, Tensor>, step: number): Promise<number>;
  /** Evaluations without a new best after which training stops; default never. */
  readonly patience?: number;
  /** Steps before which it does not stop; default 0. */
  readonly minimumSteps?: number;
}

export interface TrainOptions extends EngineOptions {
  readonly steps: number;
  readonly learningRate: number;
  /** Default constant. */
  readonly schedule?: Schedule;
  /** Batches whose mean gradient makes one step; default 1. */
  readonly accumulate?: number;
  /** Where `checkpoints/` and `metrics.jsonl` go. Default: neither is written. */
  readonly folder?: string;
  /** Steps between two checkpoints; default 500. One is written at the end and on interruption anyway. */
  readonly checkpointEvery?: number;
  /** Checkpoints kept beside the best one; default 2. */
  readonly keep?: number;
  /** "continue" goes on from the folder's last checkpoint where there is one; default "start-over". */
  readonly resume?: "continue" | "start-over";
  /** What else must be equal for a run to go on. */
  readonly settings?: Settings;
  readonly evaluation?: Evaluation;
  /** Finishes the step, writes a checkpoint, and rejects with InterruptedError. */
  readonly signal?: AbortSignal;
  /** Told once which device is in use, and why faster ones are not. */
  readonly onOpen?: (place: OpenReply) => void;
  /** Told after every step. */
  readonly onStep?: (metrics: StepMetrics) => void;
  readonly onEvaluation?: (step: number, score: number) => void;
}

export interface TrainingResult {
  /** The trained weights; with an evaluation, those of the best one. */
  readonly weights: ReadonlyMap<string, Tensor>;
  /** Steps taken. */
  readonly steps: number;
  /** The step that this run went on from; 0 for a new one. */
  readonly resumedAt: number;
  readonly best?: { readonly step: number; readonly score: number };
  /** Of the last step, taken here or before the run was resumed. */
  readonly last?: StepLoss;
}

/**
 * Trains a program in a thread of its own.
 * @throws TrainingError where the loss becomes NaN, or a checkpoint cannot be written or used; InterruptedError;
 *   ModelError where the program has no gradient
 */
export async function train(
  program: TrainingProgram,
  data: TrainingData,
  options: TrainOptions,
): Promise<TrainingResult> {
  checkOptions(options);
  const { optimiser, clipNorm, averageDecay, device, threads, spinning, updates } = options;
  const worker = startWorker("./training-worker.js", import.meta.url);
  try {
    const engineOptions = { optimiser, clipNorm, averageDecay, device, threads, spinning, updates };
    const place = await worker.call<OpenReply>("open", { program, options: engineOptions });
    options.onOpen?.(place);
    return await new Run(program, data, options, worker).toTheEnd();
  } finally {
    await worker.terminate();
  }
}

function checkOptions({ steps, learningRate, evaluation, folder }: TrainOptions): void {
  if (!(Number.isInteger(steps) && steps >= 0))
    throw new ArgumentError(`steps must be a whole number, not ${steps}`);
  if (!(learningRate > 0 && Number.isFinite(learningRate)))
    throw new ArgumentError(`the learning rate must be a positive number, not ${learningRate}`);
  if (evaluation && folder === undefined)
    throw new ArgumentError("training with an evaluation needs a folder, to keep the best checkpoint in");
}

/** One run: where it stands, and everything that happens around a step. */
class Run {
  readonly #program: TrainingProgram;
  readonly #data: TrainingData;
  readonly #options: TrainOptions;
  readonly #worker: WorkerClient;
  readonly #checkpoints: string | undefined;
  readonly #metrics: string | undefined;
  readonly #identity: Pick<CheckpointRecord, "version" | "settings">;
  #step = 0;
  #savedAt = -1;
  #best: CheckpointRecord["best"];
  #evaluationsSinceBest = 0;
  #last: StepLoss | undefined;

  constructor(program: TrainingProgram, data: TrainingData, options: TrainOptions, worker: WorkerClient) {
    this.#program = program;
    this.#data = data;
    this.#options = options;
    this.#worker = worker;
    this.#checkpoints = options.folder && join(options.folder, "checkpoints");
    this.#metrics = options.folder && join(options.folder, "metrics.jsonl");
    this.#identity = { version: packageVersion(), settings: settingsOf(program, data, options) };
  }

  async toTheEnd(): Promise<TrainingResult> {
    const { steps, evaluation, signal } = this.#options;
    await this.#start();
    const resumedAt = this.#step;
    if (this.#step === 0 && evaluation) await this.#evaluate(evaluation);
    let next = this.#prepare(this.#step);
    while (this.#step < steps && !this.#hasStalled()) {
      if (signal?.aborted) await this.#interrupt(signal);
      const asked = performance.now();
      const batches = await next;
      const started = performance.now();
      const wait = (started - asked) / 1000;
      const learningRate = this.#rate();
      const running = this.#worker.call<StepReport>("step", { batches, rate: learningRate });
      next = this.#prepare(this.#step + 1);
      const report = await running;
      const seconds = (performance.now() - started) / 1000;
      const last = this.#metricsOf(report, batches, { learningRate, seconds, wait });
      if (!report.finite) await this.#stopAtNonsense(last);
      this.#last = { loss: last.loss, parts: last.parts };
      this.#step++;
      if (this.#metrics) appendMetrics(this.#metrics, last);
      this.#options.onStep?.(last);
      if (evaluation && this.#step % evaluation.every === 0) await this.#evaluate(evaluation);
      if (this.#step % (this.#options.checkpointEvery ?? 500) === 0) await this.#save();
    }
    await this.#save();
    if (this.#best && this.#best.step !== this.#step) await this.#load(this.#best.step);
    const weights = await this.#worker.call<WeightsReply>("weights", undefined);
    return { weights, steps: this.#step, resumedAt, best: this.#best, last: this.#last };
  }

  /** Goes on from the last checkpoint, or clears the way for a new run. */
  async #start(): Promise<void> {
    const { folder, resume } = this.#options;
    if (!folder || !this.#checkpoints || !this.#metrics) return;
    const last = resume === "continue" ? listCheckpoints(this.#checkpoints).at(-1) : undefined;
    if (last) {
      checkSettings(last, readRecord(last), this.#identity);
      const record = await this.#worker.call<CheckpointRecord>("load", { place: last });
      this.#step = record.step;
      this.#savedAt = record.step;
      this.#best = record.best;
      this.#evaluationsSinceBest = record.evaluationsSinceBest;
      this.#last = record.last;
    } else rmSync(this.#checkpoints, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    startMetrics(this.#metrics, this.#step);
  }

  /** The batches of a step; made while the step before runs. */
  #prepare(step: number): Promise<TrainingBatch[]> {
    const { accumulate = 1, steps } = this.#options;
    const indices = step < steps ? Array.from({ length: accumulate }, (_, i) => step * accumulate + i) : [];
    const batches = (async () => Promise.all(indices.map((index) => this.#data.batch(index))))();
    // a failure is met where the batches are awaited, which may be later
    batches.catch(() => {});
    return batches;
  }

  #rate(): number {
    const { learningRate, schedule = { kind: "constant" } } = this.#options;
    return learningRate * scheduleFactor(schedule, this.#step);
  }

  #metricsOf(
    { losses, gradientNorm }: StepReport,
    batches: readonly TrainingBatch[],
    { learningRate, seconds, wait }: Pick<StepMetrics, "learningRate" | "seconds" | "wait">,
  ): StepMetrics {
    const { [this.#program.loss]: loss, ...parts } = losses;
    const phrases = batches.reduce((count, batch) => count + batch.phrases, 0);
    const memory = process.memoryUsage.rss();
    const phrasesPerSecond = phrases / seconds;
    return {
      step: this.#step + 1,
      loss,
      parts,
      gradientNorm,
      learningRate,
      phrasesPerSecond,
      memory,
      seconds,
      wait,
    };
  }

  /** NaN or infinity: the batch is saved, and nothing of the step is kept. */
  async #stopAtNonsense({ step, loss, gradientNorm, learningRate }: StepMetrics): Promise<never> {
    const { folder, accumulate = 1 } = this.#options;
    const indices = Array.from({ length: accumulate }, (_, i) => (step - 1) * accumulate + i);
    const batches = await Promise.all(
      indices.map((index) => this.#data.describe?.(index) ?? this.#data.batch(index)),
    );
    let saved = "";
    if (folder) {
      const path = join(folder, `failed-step-${step}.json`);
      const report = { step, loss: String(loss), gradientNorm: String(gradientNorm), learningRate, batches };
      writeFileSync(path, JSON.stringify(report, plainNumbers));
      saved = ` The batch is saved in ${path}.`;
    }
    const whole = this.#savedAt >= 0 ? ` The checkpoint of step ${this.#savedAt} is whole.` : "";
    throw new TrainingError(
      `step ${step}: the loss is ${loss} and the gradient's norm ${gradientNorm}, at learning rate ${learningRate}. ` +
        `Take a smaller learning rate or clip gradients.${saved}${whole}`,
    );
  }

  async #interrupt(signal: AbortSignal): Promise<never> {
    await this.#save();
    const kept = this.#checkpoints ? "; resume to go on from there" : "";
    throw new InterruptedError(`training was stopped after step ${this.#step}${kept}`, {
      cause: signal.reason,
    });
  }

  async #evaluate(evaluation: Evaluation): Promise<void> {
    const started = performance.now();
    const weights = await this.#worker.call<WeightsReply>("weights", undefined);
    const score = await evaluation.run(weights, this.#step);
    if (Number.isNaN(score)) throw new TrainingError(`step ${this.#step}: the evaluation's score is NaN`);
    const seconds = (performance.now() - started) / 1000;
    if (this.#metrics) appendMetrics(this.#metrics, { step: this.#step, score, seconds });
    this.#options.onEvaluation?.(this.#step, score);
    const improved = this.#best === undefined || score > this.#best.score;
    if (improved) this.#best = { step: this.#step, score };
    this.#evaluationsSinceBest = improved ? 0 : this.#evaluationsSinceBest + 1;
    if (improved) await this.#save();
  }

  #hasStalled(): boolean {
    const { patience = Number.POSITIVE_INFINITY, minimumSteps = 0 } = this.#options.evaluation ?? {};
    return this.#evaluationsSinceBest >= patience && this.#step >= minimumSteps;
  }

  async #save(): Promise<void> {
    if (!this.#checkpoints || this.#savedAt === this.#step) return;
    const record: CheckpointRecord = {
      ...this.#identity,
      step: this.#step,
      best: this.#best,
      evaluationsSinceBest: this.#evaluationsSinceBest,
      last: this.#last,
    };
    await this.#worker.call("save", { folder: this.#checkpoints, record });
    this.#savedAt = this.#step;
    pruneCheckpoints(this.#checkpoints, { keep: this.#options.keep ?? 2, best: this.#best?.step });
  }

  async #load(step: number): Promise<void> {
    const place = listCheckpoints(this.#checkpoints as string).find((found) => found.step === step);
    if (!place)
      throw new TrainingError(`the best checkpoint, of step ${step}, is gone from ${this.#checkpoints}`);
    await this.#worker.call("load", { place });
  }
}

/** Everything that changes the weights a run ends at, but the number of its steps. */
function settingsOf(program: TrainingProgram, data: TrainingData, options: TrainOptions): Settings {
  const { learningRate, schedule = { kind: "constant" }, accumulate = 1, clipNorm, averageDecay } = options;
  const every = options.evaluation?.every;
  return {
    ...options.settings,
    ...{ learningRate, schedule, accumulate, clipNorm, averageDecay, evaluationEvery: every },
    optimiser: adamSettings(options.optimiser),
    data: data.fingerprint,
    model: programFingerprint(program),
  };
}

/** SHA-256 over the graph and its first weights, 16 hexadecimal digits. */
function programFingerprint({ model: { graph }, loss, cut }: TrainingProgram): string {
  const hash = createHash("sha256");
  hash.update(JSON.stringify([graph.nodes, loss, cut], plainNumbers));
  for (const [name, tensor] of graph.initializers) {
    hash.update(JSON.stringify([name, tensor.type, tensor.dims]));
    if (tensor.type !== "string") hash.update(bytesOf(tensor));
  }
  return hash.digest("hex").slice(0, 16);
}

/** For JSON.stringify: bigints and typed arrays as numbers. */
function plainNumbers(_: string, value: unknown): unknown {
  if (typeof value === "bigint") return Number(value);
  return ArrayBuffer.isView(value) ? Array.from(value as Uint8Array) : value;
}
