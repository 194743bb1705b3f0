/** A run's metrics as JSON lines, one per step and one per evaluation. */
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import writeFileAtomic from "write-file-atomic";
import { messageOf, TrainingError } from "../errors.js";
import type { CheckpointRecord, Evaluated } from "./checkpoint.js";
import type { Losses } from "./gradients/gradients.js";

export interface StepLoss {
  readonly loss: number;
  /** Terms of the loss by name. */
  readonly parts: Losses;
}

/** What is measured in one step, as metrics.jsonl records it. */
export interface StepMetrics extends StepLoss {
  /** Counted from 1. */
  readonly step: number;
  /** Before clipping. */
  readonly gradientNorm: number;
  readonly learningRate: number;
  readonly phrasesPerSecond: number;
  /** Of the whole process, in bytes. */
  readonly memory: number;
  /** Duration of the step, without the wait for its batch. */
  readonly seconds: number;
  /** Seconds that the step waited for its batch. */
  readonly wait: number;
}

/** The metrics of a step whose engine gave `losses`. @param loss name of the loss among them; the others are its terms */
export function stepMetrics(
  { losses, gradientNorm }: { readonly losses: Losses; readonly gradientNorm: number },
  loss: string,
  taken: Pick<StepMetrics, "step" | "learningRate" | "seconds" | "wait"> & { readonly phrases: number },
): StepMetrics {
  const { step, learningRate, seconds, wait, phrases } = taken;
  const { [loss]: whole, ...parts } = losses;
  return {
    ...{ step, loss: whole, parts, gradientNorm, learningRate },
    phrasesPerSecond: phrases / seconds,
    memory: process.memoryUsage.rss(),
    ...{ seconds, wait },
  };
}

/** Keeps the lines up to a checkpoint: a resumed run repeats the steps and evaluations that came after it. */
export function startMetrics(path: string, reached: Reached): void {
  const lines = existsSync(path) ? readFileSync(path, "utf8").split("\n") : [];
  const kept = lines.filter((line) => isUpTo(line, reached));
  writeFileAtomic.sync(path, kept.map((line) => `${line}\n`).join(""));
}

type Reached = Pick<CheckpointRecord, "step" | "evaluations">;

/** A line that a crash cut off counts as later. */
function isUpTo(line: string, { step: taken, evaluations }: Reached): boolean {
  try {
    const { step, score } = JSON.parse(line);
    return step <= (score === undefined ? taken : (evaluations.at(-1)?.step ?? -1));
  } catch {
    return false;
  }
}

/** @throws TrainingError if the line cannot be written, for example to a full disk */
export function appendMetrics(
  path: string,
  metrics: StepMetrics | (Evaluated & Pick<StepMetrics, "seconds">),
): void {
  try {
    appendFileSync(path, `${JSON.stringify(metrics)}\n`);
  } catch (error) {
    throw new TrainingError(
      `${path}: the metrics of step ${metrics.step} cannot be written (${messageOf(error)}). Make room and resume.`,
      { cause: error },
    );
  }
}
