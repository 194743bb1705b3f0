/** Time and memory of a training's steps, measured on a few that leave nothing behind. */
import type { TrainingProgram } from "./program.js";
import { type TrainingData, type TrainOptions, train } from "./trainer.js";

export interface MeasuredSteps {
  /** Median time of a step, with the wait for its data. */
  readonly seconds: number;
  /** Fraction of that time spent waiting for data. */
  readonly waiting: number;
  /** Largest memory of the process, in bytes. */
  readonly memory: number;
}

/** Steps before the measurement, and measured steps. */
const [warmUp, measured] = [2, 5];

export async function measureSteps(
  program: TrainingProgram,
  data: TrainingData,
  options: Pick<TrainOptions, "device" | "threads" | "signal" | "learningRate">,
): Promise<MeasuredSteps> {
  const steps: { seconds: number; wait: number; memory: number }[] = [];
  await train(program, data, {
    ...options,
    steps: warmUp + measured,
    onStep: ({ seconds, wait, memory }) => steps.push({ seconds: seconds + wait, wait, memory }),
  });
  const last = steps.slice(warmUp);
  const seconds = median(last.map((step) => step.seconds));
  return {
    seconds,
    waiting: median(last.map((step) => step.wait / step.seconds)),
    memory: Math.max(...steps.map((step) => step.memory)),
  };
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}
