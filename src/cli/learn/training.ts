/** What the commands that train share: options of a run, progress, and the line at the end. */
import { availableParallelism } from "node:os";
import { createInterface } from "node:readline/promises";
import { PearlError, UsageError } from "../../errors.js";
import { alignColumns } from "../../files/text-table.js";
import type { MethodSettings } from "../../methods/settings/method-settings.js";
import type { StepMetrics } from "../../training/metrics.js";
import { gainText, type RunPlan, type RunResult, weightsText } from "../../training/run.js";
import type { OptionsOf } from "../command.js";
import { counted, formatBytes, formatCount, formatDuration, formatPercent } from "../format.js";
import {
  flagOf,
  fraction,
  fractionBelowOne,
  option,
  positiveInteger,
  positiveNumber,
  resumption,
  shared,
  weights,
  wholeNumber,
} from "../options.js";
import type { Session } from "../session.js";

/** @param every steps between two checkpoints by default */
export const trainingOptions = <Every extends number>(every: Every) =>
  [
    shared.report,
    ...shared.run,
    option("--checkpoint-every <n>", `steps between two checkpoints (default: ${every})`, positiveInteger),
    option("--resume", "continue an interrupted run from its last checkpoint"),
  ] as const;

type TrainingOptions = OptionsOf<ReturnType<typeof trainingOptions>>;

/** Refuses options of which one would be ignored. @throws UsageError */
export function checkLength(options: Partial<Record<"epochs" | "steps" | "minutes", number>>): void {
  const given = (["epochs", "steps", "minutes"] as const).filter((name) => options[name] !== undefined);
  if (given.length > 1)
    throw new UsageError(
      `${given.map(flagOf).join(" and ")} each set the length of a training: give one of them`,
    );
}

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

interface TrainingReport {
  readonly output: string;
  readonly result: RunResult;
  readonly resumedAt: number;
}

/** Prints what was written. @param data what was trained on, such as "20 pairs" */
export async function printTraining(
  report: TrainingReport,
  session: Session,
  ...data: string[]
): Promise<void> {
  const { output, result, resumedAt } = report;
  if (resumedAt > 0) session.say(`${counted(resumedAt, "step")} already done by an earlier run`);
  const loss = result.loss === undefined ? [] : [`loss ${result.loss.toFixed(4)}`];
  const parts = [...data, counted(result.steps, "step"), ...loss, formatDuration(session.seconds())];
  const { steps, loss: lastLoss, best, evaluations } = result;
  if (best && best.step === 0)
    session.say("no step scored better than the start: the model is the one that training began with");
  if (best) session.say(`kept the weights of ${weightsText(best)}: ${gainText(result)}`);
  session.print(`wrote ${output}: ${parts.join(", ")}`);
  await session.record({ output, steps, loss: lastLoss, best, start: evaluations?.[0], resumedAt });
}

/** Seconds that a training may take without being asked for. */
const longest = 600;

export function runPlanText({ summary, parameters, ...plan }: RunPlan): string {
  return alignColumns([
    ["model", `${summary ? `${summary.model}, ` : ""}${counted(parameters, "trainable parameter")}`],
    ...(summary ? [["data", summary.data]] : []),
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

/** All but --base, which an ablation takes several times. */
export const settingOptions = [
  option("--preset <name>", "settings: pearl-small (the default), pearl-base, from-scratch, or a YAML file"),
  option("--hidden <n>", "with --base none: width of the transformer", positiveInteger),
  option("--layers <n>", "with --base none: layers of the transformer; 0 leaves it out", wholeNumber),
  option("--vocab <n>", "with --base none: vocabulary size of the trained tokenizer", positiveInteger),
  option("--characters <kind>", "character encoder: love, bilstm, bag, ngrams, or a pretrained folder"),
  option("--character-width <n>", "dimensions that the character encoder fills", positiveInteger),
  option("--types <file>", "table of phrase and type, for pairs without a type"),
  option("--hard-negatives <n>", "hard negatives for each phrase in a batch", wholeNumber),
  option("--no-types", "leave out phrase types"),
  option("--no-characters", "leave out the character encoder"),
  option("--no-character-pretraining", "begin with an untrained LOVE"),
  option("--no-hard-negatives", "leave out hard negatives"),
  option("--no-character-augmentation", "leave out typing errors"),
  option("--no-token-augmentation", "leave out synonyms and swapped words"),
  option("--no-phrase-augmentation", "leave out paraphrases"),
  option("--no-averaging", "do not average the weights with the base's"),
  option("--augment <kind=weight,...>", "augmentations and their weights: character=.3,synonym=.2", weights),
  option("--anchors <n>", "phrases of the corpus in a batch", positiveInteger),
  option("--synonyms <n>", "synonym pairs of the corpus in a batch", wholeNumber),
  option(
    "--epochs <n>",
    "passes over the data (default: 2; on pairs at least 100 steps, 200 with held-out pairs)",
    positiveInteger,
  ),
  option("--lr <rate>", "learning rate (default: 3e-5; on pairs 6e-4 for pearl-mini)", positiveNumber),
  option("--temperature <t>", "temperature of a contrastive loss (NT-Xent's default: 0.07)", positiveNumber),
  option("--dropout <p>", "dropout of the transformer", fractionBelowOne),
  option("--clip <norm>", "clip gradients to this norm (default: no clipping)", positiveNumber),
  option(
    "--average <weight>",
    "weight of the trained model in the average with the base (on pairs the better of 1 and 0.5)",
    fraction,
  ),
  shared.seed,
] as const;

export const methodOptions = [
  option(
    "--base <model>",
    "model to start from: folder or hub id, or none (default: pearl-mini with --pairs alone, else the preset's)",
  ),
  ...settingOptions,
] as const;

export type MethodOptions = OptionsOf<typeof methodOptions>;

/** @throws UsageError for --types where there are no pairs to type */
export function checkTypes(options: Pick<MethodOptions, "types"> & { readonly pairs?: string }): void {
  if (typesFile(options) !== undefined && options.pairs === undefined)
    throw new UsageError(
      "--types gives types to pairs: add --pairs FILE. Phrases of a corpus get theirs by pearl corpus build --types",
    );
}

/** @throws UsageError for the shape of a transformer from scratch where none of the bases is one */
export function checkShape(options: MethodOptions, bases: readonly string[]): void {
  const odd = (["hidden", "layers", "vocab"] as const).find((name) => options[name] !== undefined);
  if (odd !== undefined && !bases.includes("none"))
    throw new UsageError(
      `${flagOf(odd)} is for a transformer from scratch, and ${bases[0]} has its own: leave it out, or add --base none`,
    );
}

/** The file of `--types`; undefined where none is given and with --no-types. */
export const typesFile = ({ types }: Pick<MethodOptions, "types">): string | undefined =>
  typeof types === "string" ? types : undefined;

/** The preset with the user's changes; `otherwise` replaces it where the base is the preset's and cannot be fetched. */
export async function methodSettings(options: MethodOptions) {
  const settings = await presetWith(options);
  const { presets } = await import("../../methods/settings/method-settings.js");
  const { base, preset } = options;
  // a user's own base or file is not exchanged for other settings
  const isReplaceable = base === undefined && (preset === undefined || Object.hasOwn(presets, preset));
  const otherwise = isReplaceable ? await presetWith({ ...options, preset: "from-scratch" }) : undefined;
  return { settings, otherwise };
}

async function presetWith(options: MethodOptions): Promise<MethodSettings> {
  const { readPreset } = await import("../../methods/settings/method-settings.js");
  const { removableParts, withChoices } = await import("../../methods/settings/choices.js");
  const { base, hidden, layers, preset = base === "none" ? "from-scratch" : undefined } = options;
  const { characters, characterWidth, hardNegatives, anchors, synonyms, epochs, augment } = options;
  return withChoices(await readPreset(preset), {
    ...{ base, hidden, layers, vocabulary: options.vocab, characterWidth },
    ...{ anchors, synonyms, epochs, augment },
    characters: typeof characters === "string" ? characters : undefined,
    hardNegatives: typeof hardNegatives === "number" ? hardNegatives : undefined,
    ...{ learningRate: options.lr, temperature: options.temperature, dropout: options.dropout },
    ...{ clipNorm: options.clip, averageWithBase: options.average },
    // --no-hard-negatives sets hardNegatives to false
    without: removableParts.filter((part) => (options as Record<string, unknown>)[camelCase(part)] === false),
  });
}

const camelCase = (name: string): string => name.replace(/-(.)/g, (_, letter) => letter.toUpperCase());
