/** Time and memory of a training's steps, measured on a few that leave nothing behind. */
import { join } from "node:path";
import * as v from "valibot";
import { ArgumentError, TrainingError } from "../errors.js";
import { formatCount } from "../files/count-text.js";
import { readJson } from "../files/json.js";
import { writeWholeJson } from "../files/whole-file.js";
import { isTrained, type TrainingProgram } from "./program.js";
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

const StoredSteps = v.object({ steps: v.number(), minutes: v.optional(v.number()) });

/**
 * The number of steps. A measured one comes with a function that stores it, so that a resumed run has the same schedule.
 * @throws ArgumentError for minutes that are not above 0; TrainingError for a stored number that cannot be read
 */
export async function stepsOf(
  { steps, minutes }: { readonly steps: number; readonly minutes?: number },
  options: Pick<TrainOptions, "resume" | "onNote"> & { measure(): Promise<MeasuredSteps> },
  work: string,
): Promise<{ readonly steps: number; store?(): Promise<void> }> {
  if (minutes === undefined) return { steps };
  if (!(minutes > 0)) throw new ArgumentError(`minutes must be a number above 0, not ${minutes}`);
  const { measure, resume, onNote } = options;
  const path = join(work, "steps.json");
  const trouble = { error: TrainingError, cure: "Start over without --resume." };
  const stored = resume === "continue" ? await readJson(path, StoredSteps, trouble) : undefined;
  if (stored) {
    if (stored.minutes !== undefined && stored.minutes !== minutes)
      onNote?.(
        `the run keeps the ${formatCount(stored.steps)} steps that it began with, for ${stored.minutes} minutes: ` +
          `its learning rate follows them. ${minutes} minutes are for a run that starts over`,
      );
    return { steps: stored.steps };
  }
  const measured = await measure();
  const { seconds } = measured;
  const fitting = stepsIn(minutes, measured);
  onNote?.(`a step takes ${seconds.toFixed(2)} s: ${formatCount(fitting)} steps fit into ${minutes} minutes`);
  return { steps: fitting, store: () => writeWholeJson(path, { steps: fitting, minutes, seconds }) };
}

/** The weights that are trained, as they are at the start. */
export const trainedWeights = ({ model, weights }: TrainingProgram) =>
  new Map([...model.graph.initializers].filter(([name]) => isTrained(model, name, weights)));

/** The number of trained parameters. */
export const parametersOf = (program: TrainingProgram): number =>
  [...trainedWeights(program).values()].reduce((sum, { data }) => sum + data.length, 0);

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}
