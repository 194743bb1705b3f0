/** What commands that train from scratch share: options of a run, progress, and the line at the end. */
import type { Command } from "commander";
import type { StepMetrics } from "../training/metrics.js";
import { formatCount, formatDuration } from "./format.js";
import { interruptionSignal } from "./interruption.js";
import { addDeviceOption, addQuietOption, positiveInteger } from "./options.js";
import { startProgress } from "./progress.js";

/** The options that {@link runTraining} reads. */
export interface TrainingRunOptions {
  readonly threads?: number;
  readonly checkpointEvery?: number;
  readonly resume?: boolean;
  readonly quiet?: boolean;
}

/** @param every steps between two checkpoints, where nothing is said */
export function addTrainingRunOptions(command: Command, every: number): Command {
  addDeviceOption(command)
    .option("--threads <n>", "CPU threads (default: all)", positiveInteger)
    .option("--checkpoint-every <n>", `steps between two checkpoints (default: ${every})`, positiveInteger)
    .option("--resume", "go on from the last checkpoint of an interrupted run");
  return addQuietOption(command);
}

/** How a training is run and followed. */
export interface TrainingRun {
  readonly threads: number;
  readonly checkpointEvery?: number;
  readonly resume: "continue" | "start-over";
  readonly signal: AbortSignal;
  readonly onNote: (note: string) => void;
  readonly onStep: (metrics: StepMetrics, steps: number) => void;
}

interface TrainingReport {
  readonly output: string;
  readonly result: { readonly steps: number; readonly loss?: number };
  readonly resumedAt: number;
}

/** Trains, and says on standard output what was written. @param read what was read, told before the steps */
export async function runTraining<Report extends TrainingReport>(
  options: TrainingRunOptions,
  training: (run: TrainingRun) => Promise<Report>,
  read: (report: Report) => readonly string[] = () => [],
): Promise<void> {
  const { availableParallelism } = await import("node:os");
  const { quiet } = options;
  const progress = await startProgress({ label: "training", unit: "items", quiet });
  const started = performance.now();
  const say = (text: string): void => {
    if (!quiet) process.stderr.write(`${text}\n`);
  };
  try {
    const report = await training({
      threads: options.threads ?? availableParallelism(),
      checkpointEvery: options.checkpointEvery,
      resume: options.resume ? "continue" : "start-over",
      signal: interruptionSignal(),
      onNote: say,
      onStep: ({ step }, steps) => progress.update(step, steps),
    });
    progress.finish();
    const { output, result, resumedAt } = report;
    if (resumedAt > 0) say(`${formatCount(resumedAt)} steps were done by an earlier run`);
    const loss = result.loss === undefined ? [] : [`loss ${result.loss.toFixed(4)}`];
    const time = formatDuration((performance.now() - started) / 1000);
    const parts = [...read(report), `${formatCount(result.steps)} steps`, ...loss, time];
    process.stdout.write(`wrote ${output}: ${parts.join(", ")}\n`);
  } finally {
    progress.finish();
  }
}
