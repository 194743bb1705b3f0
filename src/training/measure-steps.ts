/** How long a training will take and how much memory, measured on a few steps that leave nothing behind. */
import type { TrainingProgram } from "./program.js";
import { type TrainingData, type TrainOptions, train } from "./trainer.js";

export interface MeasuredSteps {
  /** Median time of a step, waiting for data included. */
  readonly seconds: number;
  /** Share of that time spent waiting for data. */
  readonly waiting: number;
  readonly phrasesPerSecond: number;
  /** Largest memory of the process, in bytes. */
  readonly memory: number;
}

/** Steps that warm caches and threads up, and steps that are measured. */
const [warmUp, measured] = [2, 5];

/** Takes some steps from the first batch on; the weights are thrown away. */
export async function measureSteps(
  program: TrainingProgram,
  data: TrainingData,
  options: Pick<TrainOptions, "device" | "threads" | "signal" | "learningRate">,
): Promise<MeasuredSteps> {
  const steps: { seconds: number; wait: number; rate: number; memory: number }[] = [];
  await train(program, data, {
    ...options,
    steps: warmUp + measured,
    onStep: ({ seconds, wait, phrasesPerSecond, memory }) =>
      steps.push({ seconds: seconds + wait, wait, rate: phrasesPerSecond, memory }),
  });
  const last = steps.slice(warmUp);
  const seconds = median(last.map((step) => step.seconds));
  return {
    seconds,
    waiting: median(last.map((step) => step.wait / step.seconds)),
    phrasesPerSecond: median(last.map((step) => step.rate)),
    memory: Math.max(...steps.map((step) => step.memory)),
  };
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}
