/** A run's metrics as JSON lines, one per step and one per evaluation. */
import { appendFileSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { messageOf, TrainingError } from "../errors.js";
import type { Losses } from "./gradients/gradients.js";

/** What a step lost. */
export interface StepLoss {
  readonly loss: number;
  /** The loss's parts by name. */
  readonly parts: Losses;
}

/** One step. */
export interface StepMetrics extends StepLoss {
  /** Counted from 1. */
  readonly step: number;
  /** Before clipping. */
  readonly gradientNorm: number;
  readonly learningRate: number;
  readonly phrasesPerSecond: number;
  /** Of the whole process, in bytes. */
  readonly memory: number;
  /** Time of the step, once its batch was there. */
  readonly seconds: number;
  /** Time that the step waited for its batch before that. */
  readonly wait: number;
}

/** One evaluation, after `step` steps. */
export interface EvaluationMetrics {
  readonly step: number;
  readonly score: number;
  readonly seconds: number;
}

/** Makes the file hold the lines up to a step: a resumed run repeats what came after its checkpoint. */
export function startMetrics(path: string, step: number): void {
  mkdirSync(dirname(path), { recursive: true });
  const kept =
    step === 0 || !existsSync(path)
      ? []
      : readFileSync(path, "utf8")
          .split("\n")
          .filter((line) => isUpTo(line, step));
  writeFileSync(`${path}.partial`, kept.map((line) => `${line}\n`).join(""));
  renameSync(`${path}.partial`, path);
}

/** A line that a crash cut off counts as later. */
function isUpTo(line: string, step: number): boolean {
  try {
    return JSON.parse(line).step <= step;
  } catch {
    return false;
  }
}

/** @throws TrainingError where the disk is full, say */
export function appendMetrics(path: string, metrics: StepMetrics | EvaluationMetrics): void {
  try {
    appendFileSync(path, `${JSON.stringify(metrics)}\n`);
  } catch (error) {
    throw new TrainingError(
      `${path}: step ${metrics.step} cannot be written down (${messageOf(error)}). Make room and resume.`,
      { cause: error },
    );
  }
}
