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

interface MeasureOptions
  extends Pick<TrainOptions, "device" | "threads" | "signal" | "learningRate" | "onNote"> {
  readonly atMost?: number;
}

/** Steps before the measurement, and measured steps. */
const [warmUp, measured] = [2, 5];

/** @param options.atMost steps to take, for a run that has few itself */
export async function measureSteps(
  program: TrainingProgram,
  data: TrainingData,
  { atMost = warmUp + measured, ...options }: MeasureOptions,
): Promise<MeasuredSteps> {
  const steps: { seconds: number; wait: number; memory: number }[] = [];
  await train(program, data, {
    ...options,
    steps: Math.max(1, Math.min(atMost, warmUp + measured)),
    onStep: ({ seconds, wait, memory }) => steps.push({ seconds: seconds + wait, wait, memory }),
  });
  const last = steps.slice(Math.min(warmUp, steps.length - 1));
  const seconds = median(last.map((step) => step.seconds));
  return {
    seconds,
    waiting: median(last.map((step) => step.wait / step.seconds)),
    memory: Math.max(...steps.map((step) => step.memory)),
  };
}

/** The steps that fit into a time. */
export const stepsIn = (minutes: number, { seconds }: MeasuredSteps): number =>
  Math.max(1, Math.floor((minutes * 60) / seconds));

/** The number of trained parameters. */
export function parametersOf({ model }: TrainingProgram): number {
  const tensors = [...model.graph.initializers.values()];
  const trained = tensors.filter(({ type, data }) => type === "float32" && data.length > 1);
  return trained.reduce((sum, { data }) => sum + data.length, 0);
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}
