/** Training from first step to last: batches ahead, schedule, evaluation, checkpoints, metrics, interruption. */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ArgumentError, DeviceError, TrainingError } from "../errors.js";
import { packageVersion } from "../files/package.js";
import type { Tensor } from "../onnx/tensor.js";
import { type DeviceChoice, failureReason, type Place } from "../runtime/device.js";
import {
  bestOf,
  type CheckpointRecord,
  changesOf,
  checkpointFolder,
  checkSettings,
  type Evaluated,
  listCheckpoints,
  plainNumbers,
  pruneCheckpoints,
  readCheckpoint,
  type Settings,
  settingsOf,
} from "./checkpoint.js";
import type { EngineOptions } from "./engine.js";
import { type EngineClient, LostDevice, openEngineClient } from "./engine-client.js";
import { appendMetrics, type StepLoss, type StepMetrics, startMetrics, stepMetrics } from "./metrics.js";
import { type Schedule, type StepReport, scheduleFactor } from "./optimiser/optimiser.js";
import type { TrainingBatch, TrainingProgram } from "./program.js";

/** Batches of a run. */
export interface TrainingData {
  /** Of everything that decides the batches: rows, seed, batch size. A run resumes only with an equal one. */
  readonly fingerprint: string;
  /** The batch of a number, counted from 0. It depends on the number alone, so that a run can resume anywhere. */
  batch(index: number): TrainingBatch | Promise<TrainingBatch>;
  /** What is saved for inspection if this batch gives NaN; default: its tensors. */
  describe?(index: number): unknown;
}

/** Scores the weights while they are trained; the best ones are returned. */
export interface Evaluation {
  /** Steps between two evaluations; the first comes before the first step, the last one after the last. */
  readonly every: number;
  /** Evaluated steps in a row that are no better than an earlier one and end the training; default: none do. */
  readonly patience?: number;
  /**
   * Scores weights (by name, in the graph's layout), also several averages of them with the start's, whose share the best one
   * keeps; a larger score is better, and a smaller figure `loss`. The run's signal may reject it.
   */
  run(
    weights: ReadonlyMap<string, Tensor>,
    step: number,
  ): Promise<number | Scored | readonly [Scored, ...Scored[]]>;
}

/** A score, and other figures to record with it. */
export type Scored = Omit<Evaluated, "step">;

/** Options of {@link train}. */
export interface TrainOptions extends Omit<EngineOptions, "device"> {
  /** Default "cpu". Where another device fails, training continues on the CPU, from the last step that is known. */
  readonly device?: DeviceChoice;
  /** Steps to take in all, those of a resumed run included. */
  readonly steps: number;
  /** Adam's rate, before the schedule. */
  readonly learningRate: number;
  /** Default: constant. */
  readonly schedule?: Schedule;
  /** Folder of `checkpoints/` and `metrics.jsonl`. Default: neither is written. */
  readonly folder?: string;
  /** Steps between two checkpoints; default 500. One is always written at the end and on interruption. */
  readonly checkpointEvery?: number;
  /** Checkpoints kept in addition to the best one; default 2. */
  readonly keep?: number;
  /** "continue" resumes at the folder's last checkpoint, if there is one; default "start-over". */
  readonly resume?: "continue" | "start-over";
  /** What else must be equal for a run to resume. */
  readonly settings?: Settings;
  /** Needs a `folder`, which keeps the best checkpoint. */
  readonly evaluation?: Evaluation;
  /** Aborting it finishes the step, writes a checkpoint, and rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Called once with the device in use and the reasons against faster ones. */
  readonly onOpen?: (place: Place) => void;
  /** Called with a line where devices were measured, and where one failed. */
  readonly onNote?: (note: string) => void;
  /** Called after every step. */
  readonly onStep?: (metrics: StepMetrics) => void;
  readonly onEvaluation?: (step: number, score: number, figures?: Scored["figures"], share?: number) => void;
}

/** The trained weights and how the training ended. */
export interface TrainingResult {
  /** The trained weights by name, in the graph's layout; with an evaluation, the best ones. */
  readonly weights: ReadonlyMap<string, Tensor>;
  /** Steps taken. */
  readonly steps: number;
  /** The step that this run resumed at; 0 for a new one. */
  readonly resumedAt: number;
  /** The evaluation of the returned weights. */
  readonly best?: Evaluated;
  readonly evaluations: readonly Evaluated[];
  /** Loss of the last step, taken in this run or before it was resumed. */
  readonly last?: StepLoss;
}

/**
 * Trains a program in a separate thread.
 * @throws ArgumentError for options out of range; ModelError if an operator between weights and loss has no
 * derivative; TrainingError if the loss becomes NaN or a checkpoint cannot be written or used
 */
export async function train(
  program: TrainingProgram,
  data: TrainingData,
  options: TrainOptions,
): Promise<TrainingResult> {
  checkOptions(options);
  options.signal?.throwIfAborted();
  const engine = await openEngineClient(program, options);
  try {
    options.onOpen?.(engine.place());
    return await new Run(program, data, options, engine).toTheEnd();
  } finally {
    await engine.close();
  }
}

function checkOptions({ steps, learningRate, evaluation, folder }: TrainOptions): void {
  if (!(Number.isInteger(steps) && steps >= 0))
    throw new ArgumentError(`steps must be a whole number, not ${steps}`);
  if (!(learningRate > 0 && Number.isFinite(learningRate)))
    throw new ArgumentError(`learningRate must be a positive number, not ${learningRate}`);
  if (evaluation && folder === undefined)
    throw new ArgumentError("training with an evaluation needs a folder, to keep the best checkpoint in");
}

/** State before the first step: every field, so that a resumed run writes them in the same order. */
const start = { step: 0, last: undefined, evaluations: [] };

function limitsOf({ steps, checkpointEvery, evaluation }: TrainOptions): CheckpointRecord["limits"] {
  const { every: evaluationEvery, patience } = evaluation ?? {};
  const given = Object.entries({ steps, checkpointEvery, evaluationEvery, patience });
  return Object.fromEntries(given.filter((entry): entry is [string, number] => Number.isFinite(entry[1])));
}

/** One run: its state, and everything that happens around a step. */
class Run {
  readonly #program: TrainingProgram;
  readonly #data: TrainingData;
  readonly #options: TrainOptions;
  readonly #engine: EngineClient;
  readonly #checkpoints: string | undefined;
  readonly #metrics: string | undefined;
  /** Where the run is, as a checkpoint holds it. */
  readonly #state: CheckpointRecord;
  #savedAt = -1;
  /** The last step and evaluation that were reported: what is repeated is not reported again. */
  readonly #reported = { step: 0, evaluation: -1 };

  constructor(program: TrainingProgram, data: TrainingData, options: TrainOptions, engine: EngineClient) {
    this.#program = program;
    this.#data = data;
    this.#engine = engine;
    this.#options = options;
    this.#checkpoints = options.folder && join(options.folder, checkpointFolder);
    this.#metrics = options.folder && join(options.folder, "metrics.jsonl");
    this.#state = {
      version: packageVersion(),
      settings: settingsOf(program, data, options),
      limits: limitsOf(options),
      ...start,
    };
  }

  async toTheEnd(): Promise<TrainingResult> {
    await this.#start();
    const resumedAt = this.#state.step;
    this.#reported.step = resumedAt;
    for (;;)
      try {
        return { ...(await this.#takeSteps()), resumedAt };
      } catch (error) {
        if (!(error instanceof LostDevice)) throw error;
        await this.#fallBack(error, resumedAt);
      }
  }

  async #takeSteps(): Promise<Omit<TrainingResult, "resumedAt">> {
    const { steps, evaluation, signal, checkpointEvery = 500 } = this.#options;
    const { learningRate, schedule = { kind: "constant" } } = this.#options;
    let next = this.#batch(this.#state.step);
    for (;;) {
      const { step } = this.#state;
      const isDue = evaluation && (step % evaluation.every === 0 || step === steps);
      if (isDue && step > (this.#state.evaluations.at(-1)?.step ?? -1)) await this.#evaluate(evaluation);
      const isLast = step === steps || this.#isStale();
      if (isLast || (step > 0 && step % checkpointEvery === 0)) await this.#save();
      if (isLast) break;
      if (signal?.aborted) await this.#interrupt(signal);
      const asked = performance.now();
      const batch = (await next) as TrainingBatch;
      const started = performance.now();
      const rate = learningRate * scheduleFactor(schedule, step);
      const running = this.#engine.call<StepReport>("step", { batch, rate });
      next = this.#batch(step + 1);
      const report = await running;
      const seconds = (performance.now() - started) / 1000;
      const wait = (started - asked) / 1000;
      const taken = { step: step + 1, learningRate: rate, seconds, wait, phrases: batch.phrases };
      const metrics = stepMetrics(report, this.#program.loss, taken);
      if (!report.finite) await this.#stopAtNaN(metrics);
      this.#state.last = { loss: metrics.loss, parts: metrics.parts };
      this.#state.step++;
      if (this.#metrics) appendMetrics(this.#metrics, metrics);
      if (metrics.step <= this.#reported.step) continue;
      this.#reported.step = metrics.step;
      this.#options.onStep?.(metrics);
    }
    const { step, last, evaluations } = this.#state;
    const best = bestOf(evaluations);
    if (best && best.step !== step) await this.#loadBest(best.step);
    return {
      weights: await this.#engine.call<TrainingResult["weights"]>("weights"),
      steps: step,
      ...{ best, last, evaluations },
    };
  }

  /** True where evaluations have not been better for as long as their patience lasts. */
  #isStale(): boolean {
    const { steps, evaluation: { patience = Infinity } = {}, onNote } = this.#options;
    const { step, evaluations } = this.#state;
    const best = bestOf(evaluations);
    const later = evaluations.filter((own) => best && own.step > best.step).map((own) => own.step);
    if (!best || new Set(later).size < patience) return false;
    if (step < steps)
      onNote?.(
        `training ends after ${step} of ${steps} steps: no evaluation was better than that of step ${best.step} (patience ${patience})`,
      );
    return true;
  }

  /**
   * Continues on the CPU: with the weights and moments of the last step if the device still gives them, else with
   * those of the last checkpoint or the first ones. Batches depend on their number alone, so steps can be repeated.
   * @throws DeviceError where a device that the caller named cannot be used at all
   */
  async #fallBack({ device, cause }: LostDevice, first: number): Promise<void> {
    const { step } = this.#state;
    if (this.#options.device !== "auto" && step === first && cause instanceof DeviceError) throw cause;
    if (!(await this.#engine.moveToCpu(step))) await this.#rewind();
    const failure = `${device} failed after step ${step} (${failureReason(cause)})`;
    this.#options.onNote?.(`${failure}: training continues on the CPU after step ${this.#state.step}`);
  }

  /** Resumes at the last checkpoint, or removes those of an earlier run. */
  async #start(): Promise<void> {
    const { folder, resume } = this.#options;
    if (!folder || !this.#checkpoints) return;
    if (resume !== "continue") rmSync(this.#checkpoints, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    await this.#rewind();
  }

  /** Goes back to the last checkpoint, or to the start, where the engine already is. */
  async #rewind(): Promise<void> {
    const last = this.#checkpoints && listCheckpoints(this.#checkpoints).at(-1);
    if (last) {
      const checkpoint = await readCheckpoint(last);
      checkSettings(checkpoint, { ...this.#state, steps: this.#options.steps });
      await this.#engine.call("load", checkpoint);
      const { limits = {} } = this.#state;
      const changed = changesOf(checkpoint.record.limits ?? limits, limits);
      if (changed.length > 0)
        this.#options.onNote?.(
          `options that changed since the run began count as they are now: ${changed.join(", ")}`,
        );
      Object.assign(this.#state, checkpoint.record, { limits });
    } else Object.assign(this.#state, start);
    this.#savedAt = last ? this.#state.step : -1;
    if (this.#metrics) startMetrics(this.#metrics, this.#state);
  }

  /** The batch of a step, made while the step before runs; undefined after the last step. */
  #batch(step: number): Promise<TrainingBatch | undefined> {
    const batch = (async () => (step < this.#options.steps ? this.#data.batch(step) : undefined))();
    // a failure is reported where the batch is awaited, which may be later
    batch.catch(() => {});
    return batch;
  }

  /** Saves the batch of a step without finite numbers. The engine has kept nothing of the step. */
  async #stopAtNaN(metrics: StepMetrics): Promise<never> {
    const { step, loss, gradientNorm, learningRate } = metrics;
    const { folder } = this.#options;
    const saved = folder
      ? ` The batch is saved in ${await saveFailedStep(folder, metrics, this.#data)}.`
      : "";
    const whole = this.#savedAt >= 0 ? ` The checkpoint of step ${this.#savedAt} is intact.` : "";
    throw new TrainingError(
      `step ${step}: the loss is ${loss} and the gradient norm ${gradientNorm}, at learning rate ` +
        `${learningRate}. Use a smaller learning rate or clip gradients.${saved}${whole}`,
    );
  }

  async #interrupt({ reason }: AbortSignal): Promise<never> {
    await this.#save();
    throw reason;
  }

  async #evaluate(evaluation: Evaluation): Promise<void> {
    const started = performance.now();
    const { signal } = this.#options;
    const { step, evaluations } = this.#state;
    // a caller in JavaScript may return a plain number
    const running = Promise.resolve(evaluation.run(await this.#engine.call("weights"), step));
    const found = await running.catch(async (error: unknown) => {
      if (signal?.aborted) await this.#interrupt(signal);
      throw error;
    });
    const one = typeof found === "number" ? { score: found } : found;
    const all: readonly Scored[] = "score" in one ? [one] : one;
    if (all.some(({ score }) => Number.isNaN(score)))
      throw new TrainingError(`step ${step}: the evaluation's score is NaN`);
    const seconds = (performance.now() - started) / 1000 / all.length;
    for (const scored of all) {
      if (this.#metrics) appendMetrics(this.#metrics, { step, ...scored, seconds });
      if (step > this.#reported.evaluation)
        this.#options.onEvaluation?.(step, scored.score, scored.figures, scored.share);
    }
    this.#reported.evaluation = Math.max(step, this.#reported.evaluation);
    this.#state.evaluations = [...evaluations, ...all.map((scored) => ({ step, ...scored }))];
    if (bestOf(this.#state.evaluations)?.step === step) await this.#save();
  }

  async #save(): Promise<void> {
    if (!this.#checkpoints || this.#savedAt === this.#state.step) return;
    await this.#engine.call("save", { folder: this.#checkpoints, record: this.#state });
    this.#savedAt = this.#state.step;
    pruneCheckpoints(this.#checkpoints, {
      keep: this.#options.keep ?? 2,
      best: bestOf(this.#state.evaluations)?.step,
    });
  }

  async #loadBest(step: number): Promise<void> {
    const place = listCheckpoints(this.#checkpoints as string).find((found) => found.step === step);
    if (!place)
      throw new TrainingError(`${this.#checkpoints}: the best checkpoint, of step ${step}, is missing`);
    await this.#engine.call("load", await readCheckpoint(place));
  }
}

/** Writes a step without finite numbers for a person to look at, as `failed-step-STEP.json`. @returns its path */
async function saveFailedStep(
  folder: string,
  { step, loss, gradientNorm, learningRate }: StepMetrics,
  data: TrainingData,
): Promise<string> {
  const batch = await (data.describe?.(step - 1) ?? data.batch(step - 1));
  const path = join(folder, `failed-step-${step}.json`);
  const report = { step, loss: String(loss), gradientNorm: String(gradientNorm), learningRate, batch };
  writeFileSync(path, JSON.stringify(report, plainNumbers));
  return path;
}
