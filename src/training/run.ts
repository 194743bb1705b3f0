/** A training from options to a model folder, for every method: prepare, train, record, card, write. */
import { mkdtemp, readdir, readFile, rm, rmdir, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { looseObject, number } from "valibot";
import { LockedError, ModelError, messageOf, TrainingError } from "../errors.js";
import { readJson } from "../files/json.js";
import { acquireLock } from "../files/lock.js";
import { objectName } from "../files/object-storage/client.js";
import { isObjectAddress } from "../files/place.js";
import { exists, isSystemError, makeFolder } from "../files/whole-file.js";
import { checkIsFree, removePartialFolders } from "../files/whole-folder.js";
import type { Tensor } from "../onnx/tensor.js";
import { changesOf, checkpointFolder, type Evaluated, listCheckpoints, type Settings } from "./checkpoint.js";
import {
  type MeasuredSteps,
  measureSteps,
  parametersOf,
  stepsIn,
  stepsOf,
  trainedWeights,
} from "./measure-steps.js";
import type { StepMetrics } from "./metrics.js";
import type { TrainingProgram } from "./program.js";
import { type Scored, type TrainingData, type TrainingResult, type TrainOptions, train } from "./trainer.js";

/** Options that every method has. */
export interface RunOptions extends Pick<TrainOptions, "device" | "threads" | "resume" | "signal"> {
  /** Folder of the new model; it must not exist. */
  readonly output: string;
  /** Seed of first weights and of the order of batches; default 0. */
  readonly seed?: number;
  /** How the user continues an interrupted run, as its note says it. Default "--resume". */
  readonly continuedBy?: string;
  /** Steps between two checkpoints; the default is the method's. */
  readonly checkpointEvery?: number;
  /** Called before the first step of a new run, whose time is measured on a few; a rejection ends the run. */
  readonly onPlan?: (plan: RunPlan) => void | Promise<void>;
  /** Called with notes about what was read, one line each. */
  readonly onNote?: (note: string) => void;
  /** Called after every step, with the number of steps of the whole run. */
  readonly onStep?: (metrics: StepMetrics, steps: number) => void;
  /** Called after every evaluation, with what was measured, such as "mean benchmark score". */
  readonly onEvaluation?: (
    step: number,
    score: number,
    measure: string,
    figures?: Scored["figures"],
    /** Weight of the trained weights in an average with the start's, where averages are compared. */
    share?: number,
  ) => void;
  /** Evaluated steps in a row that are no better than an earlier one and end the training; the default is the method's. */
  readonly patience?: number;
}

/** What a run is going to do. */
export interface RunPlan {
  /** What is trained and on what, where the method says it. */
  readonly summary?: PreparedRun<RunRecord>["summary"];
  /** Number of trained parameters. */
  readonly parameters: number;
  readonly steps: number;
  readonly learningRate: number;
  readonly step: MeasuredSteps;
  /** Evaluations, unless patience ends the run earlier, and the time of one: that of the start is measured. */
  readonly evaluations?: { readonly count: number; readonly seconds: number; readonly patience?: number };
  /** Estimated time of all steps and evaluations. */
  readonly seconds: number;
}

/** What the record (training.json) of every method holds. */
export interface RunRecord {
  /** Version of pearl. */
  readonly pearl: string;
  /** What decides the weights, besides the data. */
  readonly settings: object;
  readonly result: RunResult;
}

/** The record of a run that had ended before. */
const endedRun = looseObject({ result: looseObject({ steps: number() }), settings: looseObject({}) });

/** Settings by name, those within others too; what has a name stands for itself: `objective` is "nt-xent". */
const plainSettings = (settings: object): Settings =>
  Object.fromEntries(
    Object.entries(settings).flatMap(([key, value]) =>
      typeof value === "object" && value !== null && !Array.isArray(value)
        ? [[key, value.name], ...Object.entries(plainSettings(value))]
        : [[key, value]],
    ),
  );

/** Options that differ from the settings of a run that has ended. */
function changesSince(settings: Settings, options: object): string[] {
  const before = plainSettings(settings);
  const given = Object.entries(plainSettings(options));
  const after = given.filter(([key, value]) => before[key] !== undefined && value !== undefined);
  return changesOf(before, { ...before, ...Object.fromEntries(after) });
}

/** The end of a run. */
export interface RunResult {
  readonly steps: number;
  /** Loss of the last step. */
  readonly loss?: number;
  /** The evaluation of the weights that were kept, the best one. */
  readonly best?: Evaluated & { readonly measure?: string };
  /** All evaluations, that of the start first. */
  readonly evaluations?: readonly Evaluated[];
}

/** The end of a run as records hold it. @param evaluation what its scores are */
export const resultOf = (
  { steps, last, best, evaluations }: TrainingResult,
  evaluation?: { readonly measure?: string },
): RunResult => ({
  ...{ steps, loss: last?.loss },
  best: best && { ...best, measure: evaluation?.measure },
  ...(best && { evaluations }),
});

/** Where weights are an average: ", averaged with the start's (share 0.5)". */
export const averageText = (share = 1): string =>
  share < 1 ? `, averaged with the start's (share ${share})` : "";

/** Which weights: "step 57, averaged with the start's (share 0.5)". */
export const weightsText = ({ step, share }: Pick<Evaluated, "step" | "share">): string =>
  `step ${step}${averageText(share)}`;

/** What the kept weights scored, and how that differs from the start: "hit@1 0.6800 (+0.0200 since the start)". */
export function gainText({ best, evaluations: [start] = [] }: RunResult): string {
  if (!best) return "";
  const figuresOf = ({ score, figures }: Evaluated) => figures ?? { [best.measure ?? "score"]: score };
  const figures = Object.entries(figuresOf(best)).map(([name, value], place) => {
    const change = start ? value - figuresOf(start)[name] : 0;
    const since = `${change < 0 ? "" : "+"}${change.toFixed(4)}${place === 0 ? " since the start" : ""}`;
    return `${name} ${value.toFixed(4)}${best.step > 0 ? ` (${since})` : ""}`;
  });
  return figures.join(", ");
}

/** What a run returns: its record, the model's folder, and the step that it was resumed at (0 for a new run). */
export type RunReport<Record extends RunRecord> = Record & {
  readonly output: string;
  readonly resumedAt: number;
};

/** A method's training, ready to start. */
export interface PreparedRun<Record extends RunRecord> {
  readonly program: TrainingProgram;
  readonly data: TrainingData;
  /** Steps to train, unless `minutes` decides. */
  readonly steps: number;
  /** Minutes to train: the time of a step is measured first. */
  readonly minutes?: number;
  /** Adam's rate, before the schedule. */
  readonly learningRate: number;
  /** More options of a training of `steps` steps; `settings` must be equal for a run to resume. */
  options(steps: number): Pick<TrainOptions, "schedule" | "optimiser" | "clipNorm" | "settings">;
  /** Default of RunOptions.checkpointEvery; default 500. */
  readonly checkpointEvery?: number;
  /** What is trained, from what, and on how much data, such as "pearl-mini, 600 dimensions" and "20 pairs". */
  readonly summary?: {
    readonly model: string;
    readonly data: string;
    readonly loss?: string;
    readonly rates?: string;
  };
  /** What is trained, for the note "training WHAT on DEVICE". */
  what(steps: number): string;
  /** Scores a model folder; a larger score is better, and the best weights are kept. */
  readonly evaluation?: {
    /** Steps between two evaluations, or a tenth of all. */
    readonly every: number | "tenth";
    /** What the score is; default "score". */
    readonly measure?: string;
    /** Default of RunOptions.patience. */
    readonly patience?: number;
    /** Weights of the trained model in averages that `finish` makes: each is scored. Default: what `finish` makes alone. */
    readonly shares?: readonly [number, ...number[]];
    score(folder: string, signal?: AbortSignal): Promise<number | Scored>;
  };
  /** What training.json holds. */
  record(result: TrainingResult): Record | Promise<Record>;
  /** README.md of the model. */
  card(name: string, record: Record): string;
  /** More files of the model folder, by name. */
  texts?(record: Record): Readonly<globalThis.Record<string, string>>;
  /** Writes the model folder and `texts`, more files by name; a snapshot that is only scored has none. */
  write(
    folder: string,
    weights: ReadonlyMap<string, Tensor>,
    texts?: Readonly<globalThis.Record<string, string>>,
  ): Promise<void>;
  /** The weights that are scored and written, for one of the evaluation's shares; default: the trained ones. */
  finish?(weights: ReadonlyMap<string, Tensor>, share?: number): ReadonlyMap<string, Tensor>;
  /** Releases what `prepare` opened, such as threads. */
  close?(): Promise<void>;
}

/**
 * Runs a method. Everything unfinished is in `OUTPUT.training` (in the working folder where the output is in object storage):
 * it is removed when the model is written and when the run ends before there is anything to resume from. What an earlier
 * run left there stays until the first step of one that starts over.
 * @param prepare reads what the method learns from; it gets the folder `OUTPUT.training`
 * @throws ArgumentError if the output exists; LockedError while another process trains it; TrainingError; errors of the
 * method
 */
export async function runMethod<Record extends RunRecord>(
  options: RunOptions,
  prepare: (work: string) => Promise<PreparedRun<Record>>,
): Promise<RunReport<Record>> {
  options.signal?.throwIfAborted();
  const { output, continuedBy = "--resume" } = options;
  const work = `${resolve(isObjectAddress(output) ? objectName(output) : output)}.training`;
  if (options.resume === "continue") {
    const trouble = { error: TrainingError, cure: "Name another folder for the output." };
    const record = await readJson(join(output, "training.json"), endedRun, trouble);
    if (record !== undefined) {
      await removeLeftover(work);
      const changed = changesSince(record.settings, options);
      options.onNote?.(
        `${output} is finished: there is nothing to resume` +
          (changed.length > 0
            ? `, and options count in a new run alone (${changed.join(", ")}). Name another folder for the output.`
            : ""),
      );
      return { ...(record as object as Record), output, resumedAt: record.result.steps };
    }
  }
  await checkIsFree(output);
  const lastCheckpoint = () => listCheckpoints(join(work, checkpointFolder)).at(-1);
  const release = await openWorkFolder(work);
  try {
    await removePartialFolders(output);
    const earlier = options.resume === "continue" ? undefined : lastCheckpoint();
    if (earlier)
      options.onNote?.(
        `${output} is trained from the start: the checkpoint of step ${earlier.step} is removed when training begins ` +
          "(--resume continues from it)",
      );
    return await runIn(work, options, prepare);
  } catch (error) {
    if (!(await isWorthKeeping(work))) await removeOwn(work, "everything");
    const last = lastCheckpoint();
    if (options.signal?.aborted && last)
      options.onNote?.(`training was stopped after step ${last.step}; ${continuedBy} continues from there`);
    throw error;
  } finally {
    await release();
  }
}

async function runIn<Record extends RunRecord>(
  work: string,
  options: RunOptions,
  prepare: (work: string) => Promise<PreparedRun<Record>>,
): Promise<RunReport<Record>> {
  const prepared = await prepare(work);
  try {
    const result = await trainPrepared(prepared, options, work);
    const record = await prepared.record(result);
    const output = isObjectAddress(options.output) ? options.output : resolve(options.output);
    await prepared.write(output, prepared.finish?.(result.weights, result.best?.share) ?? result.weights, {
      ...prepared.texts?.(record),
      "README.md": prepared.card(basename(output), record),
      "training.json": `${JSON.stringify(record, null, 2)}\n`,
      "metrics.jsonl": await readFile(join(work, "metrics.jsonl"), "utf8"),
    });
    await removeOwn(work, "everything");
    return { ...record, output: options.output, resumedAt: result.resumedAt };
  } finally {
    await prepared.close?.();
  }
}

async function trainPrepared<Record extends RunRecord>(
  prepared: PreparedRun<Record>,
  options: RunOptions,
  work: string,
): Promise<TrainingResult> {
  const { program, data, learningRate, evaluation } = prepared;
  const { device, threads, resume, signal, onNote, onStep, onEvaluation } = options;
  const measure = measurement(prepared, options, work);
  const { steps, store } = await stepsOf(prepared, { ...options, measure }, work);
  const isNew = resume !== "continue" || listCheckpoints(join(work, checkpointFolder)).length === 0;
  if (options.onPlan && isNew) await options.onPlan(planOf(prepared, options, steps, await measure(steps)));
  if (resume !== "continue") {
    // What an earlier run has trained is removed once this one can take a step.
    if (listCheckpoints(join(work, checkpointFolder)).length > 0) await measure(1);
    await removeOwn(work, "training");
  }
  await store?.();
  return train(program, data, {
    ...prepared.options(steps),
    ...{ steps, learningRate, folder: work, device, threads, resume, signal, onNote },
    onEvaluation: (step, score, figures, share) =>
      onEvaluation?.(step, score, evaluation?.measure ?? "score", figures, share),
    checkpointEvery: options.checkpointEvery ?? prepared.checkpointEvery,
    onOpen: ({ device, notes }) => {
      onNote?.(`training ${prepared.what(steps)} on ${device}`);
      for (const note of notes) onNote?.(`  not ${note}`);
    },
    onStep: (metrics) => onStep?.(metrics, steps),
    evaluation: evaluation && {
      every: everyOf(evaluation, steps),
      patience: options.patience ?? evaluation.patience,
      async run(weights, step) {
        if (step === 0)
          return (
            (await measure.done())?.evaluation?.score ?? scoreSnapshot(prepared, weights, { work, signal })
          );
        const found: Scored[] = [];
        for (const share of evaluation.shares ?? [undefined]) {
          const scored = await scoreSnapshot(prepared, weights, { work, signal, share });
          const { score, figures } = typeof scored === "number" ? { score: scored } : scored;
          // in the order of a checkpoint's record: a resumed run writes the same bytes
          found.push({ score, share, figures });
        }
        return found as [Scored, ...Scored[]];
      },
    },
  });
}

type Evaluation = NonNullable<PreparedRun<RunRecord>["evaluation"]>;

const everyOf = ({ every }: Evaluation, steps: number): number =>
  every === "tenth" ? Math.max(1, Math.round(steps / 10)) : every;

/** Scores weights, or an average of them with the start's, as a model folder, which lies in `work` for as long. */
async function scoreSnapshot(
  { write, finish, evaluation }: Trainable,
  weights: ReadonlyMap<string, Tensor>,
  { work, signal, share }: { readonly work: string; readonly signal?: AbortSignal; readonly share?: number },
): Promise<number | Scored> {
  const snapshot = join(work, "evaluation");
  // a run that was killed while it scored has left its snapshot
  await rm(snapshot, { recursive: true, force: true });
  await removePartialFolders(snapshot);
  await write(snapshot, finish?.(weights, share) ?? weights);
  const removed = () => rm(snapshot, { recursive: true, force: true });
  return (evaluation as Evaluation).score(snapshot, signal).finally(removed);
}

/** Time of a step, and of an evaluation where there are any; the start's score is kept. */
interface Measured extends MeasuredSteps {
  readonly evaluation?: { readonly seconds: number; readonly score: number | Scored };
}

interface Measure {
  (atMost?: number): Promise<Measured>;
  /** What was measured, if anything was. */
  done(): Promise<Measured> | undefined;
}

/** Measures a run's steps and the evaluation of its start when they are first needed. */
function measurement(prepared: Trainable, options: Measurable, work: string): Measure {
  const { program, data, learningRate, evaluation } = prepared;
  const { device, threads, signal, onNote } = options;
  let measured: Promise<Measured> | undefined;
  const measureAll = async (atMost?: number): Promise<Measured> => {
    const step = await measureSteps(program, data, { device, threads, signal, onNote, learningRate, atMost });
    if (evaluation === undefined) return step;
    const started = performance.now();
    const score = await scoreSnapshot(prepared, trainedWeights(program), { work, signal });
    return { ...step, evaluation: { seconds: (performance.now() - started) / 1000, score } };
  };
  const measure = (atMost?: number) => {
    measured ??= measureAll(atMost);
    return measured;
  };
  return Object.assign(measure, { done: () => measured });
}

type Trainable = Pick<
  PreparedRun<RunRecord>,
  | "program"
  | "data"
  | "learningRate"
  | "steps"
  | "minutes"
  | "summary"
  | "evaluation"
  | "write"
  | "finish"
  | "close"
>;
type Measurable = Pick<RunOptions, "device" | "threads" | "signal" | "onNote" | "patience">;

function planOf(
  { program, learningRate, summary, evaluation }: Trainable,
  options: Measurable,
  steps: number,
  { evaluation: measured, ...step }: Measured,
): RunPlan {
  const evaluations =
    evaluation && measured
      ? {
          count: 1 + Math.ceil(steps / everyOf(evaluation, steps)),
          // the start is scored once, later steps with each share
          seconds: measured.seconds * (evaluation.shares?.length ?? 1),
          patience: options.patience ?? evaluation.patience,
        }
      : undefined;
  const { count, seconds } = evaluations ?? { count: 0, seconds: 0 };
  return {
    ...{ summary, parameters: parametersOf(program), steps, learningRate, step, evaluations },
    seconds: steps * step.seconds + count * seconds,
  };
}

/** Plans a run without starting it. */
export async function planRun(prepared: Trainable, options: Measurable): Promise<RunPlan> {
  const { steps, minutes, close } = prepared;
  const work = await mkdtemp(join(tmpdir(), "pearl-plan-"));
  try {
    const measured = await measurement(prepared, options, work)(minutes === undefined ? steps : undefined);
    return planOf(prepared, options, minutes === undefined ? steps : stepsIn(minutes, measured), measured);
  } finally {
    await rm(work, { recursive: true, force: true });
    await close?.();
  }
}

// The folder of what is unfinished in a run: one run at a time, and only files of pearl's own are removed from it.

/** What a training writes. */
const ofTraining = [checkpointFolder, "metrics.jsonl", "steps.json", "evaluation", "failed-step-N.json"];
/** What methods prepare; earlier versions also wrote "text". */
const ofMethods = ["start", "scratch", "text"];

/** True for a name of the list, and for what a killed process left under a temporary one. */
function isOf(names: readonly string[], entry: string): boolean {
  const whole = entry.replace(/\.(?:[0-9a-f]{12}\.partial|(?<=\.jsonl?\.)\d+)$/, "");
  return names.includes(whole.replace(/^failed-step-\d+/, "failed-step-N"));
}

/**
 * Makes or takes over a folder.
 * @returns lets another process use the folder; removes it where it is empty
 * @throws LockedError while another process of this machine trains in it
 */
async function openWorkFolder(path: string) {
  await makeFolder(path).catch((cause: unknown) => {
    throw isSystemError(cause)
      ? new ModelError(`${path} cannot be made: ${messageOf(cause)}. Name another folder for the output.`, {
          cause,
        })
      : cause;
  });
  // A run that was killed on another machine resumes here.
  const lock = await acquireLock(path, "are gone");
  return async (): Promise<void> => {
    await lock.release();
    // fails, as it should, where anything is left
    await rmdir(path).catch(() => {});
  };
}

const entriesOf = (folder: string): Promise<string[]> => readdir(folder).catch(() => []);

/** Removes an earlier training's files, or also what methods prepare. Files that pearl does not write stay. */
async function removeOwn(work: string, what: "training" | "everything"): Promise<void> {
  const names = what === "training" ? ofTraining : [...ofTraining, ...ofMethods];
  for (const entry of await entriesOf(work))
    if (isOf(names, entry)) await rm(join(work, entry), { recursive: true, force: true });
}

/** Removes what a run that was killed after it had written its model left, unless another process uses the folder. */
async function removeLeftover(work: string): Promise<void> {
  if (!(await exists(work))) return;
  const release = await openWorkFolder(work).catch((error: unknown) => {
    if (!(error instanceof LockedError)) throw error;
  });
  if (release === undefined) return;
  await removeOwn(work, "everything").finally(release);
}

/** True if a run left steps to resume from, or a failed one to look at. */
async function isWorthKeeping(work: string): Promise<boolean> {
  const names = await entriesOf(work);
  const metrics = await stat(join(work, "metrics.jsonl")).catch(() => undefined);
  const isKept = (name: string) => name === checkpointFolder || name.startsWith("failed-step-");
  return names.some(isKept) || (metrics?.size ?? 0) > 0;
}
