/** `pearl finetune`: PEARL's method on a corpus, or a base trained further on a table of pairs; a model folder out. */
import type { Command } from "commander";
import { UsageError } from "../errors.js";
import type { DeviceChoice } from "../runtime/device.js";
import type { CorpusFinetuneOptions, FinetuneOptions } from "../training/index.js";
import { formatCount, formatDuration } from "./format.js";
import { interruptionSignal } from "./interruption.js";
import {
  addMethodOptions,
  type MethodCommandOptions,
  methodSettings,
  positiveNumber,
} from "./method-options.js";
import { addDeviceOption, addExamples, addQuietOption, positiveInteger, wholeNumber } from "./options.js";
import { type Progress, startProgress } from "./progress.js";

interface FinetuneCommandOptions extends MethodCommandOptions {
  readonly pairs?: string;
  readonly corpus?: string;
  readonly context?: readonly string[];
  readonly output: string;
  readonly batchSize?: number;
  readonly steps?: number;
  readonly minutes?: number;
  readonly plan?: boolean;
  readonly seed?: number;
  readonly device: DeviceChoice;
  readonly threads?: number;
  readonly checkpointEvery?: number;
  readonly resume?: boolean;
  readonly evalData?: string;
  readonly quiet?: boolean;
}

export function registerFinetune(program: Command): void {
  const command = program
    .command("finetune")
    .description(
      "train a model: PEARL's method on a corpus of phrases, or a base on pairs that mean the same",
    )
    .option("--corpus <folder>", "phrases to learn from (pearl corpus build; default: WordNet's)")
    .option("--pairs <file>", "table with the columns text, positive, if wanted negative and type")
    .option("--context <text...>", "texts of a word encoder's pretraining, where the preset learns from them")
    .option("-o, --output <folder>", "folder of the new model", "pearl-model")
    .option("--plan", "say what would be trained, how long and in how much memory; write nothing");
  addMethodOptions(command)
    .option(
      "--batch-size <n>",
      "with --pairs alone: pairs in a batch at most (default: 512)",
      positiveInteger,
    )
    .option("--steps <n>", "steps to train, in place of epochs", positiveInteger)
    .option(
      "--minutes <n>",
      "train for so long: a few steps are measured, as many as fit are taken",
      positiveNumber,
    )
    .option("--seed <n>", "of everything drawn (default: 0)", wholeNumber);
  addDeviceOption(command)
    .option("--threads <n>", "CPU threads (default: all)", positiveInteger)
    .option("--checkpoint-every <n>", "steps between two checkpoints (default: 500)", positiveInteger)
    .option("--resume", "go on from the last checkpoint of an interrupted run")
    .option("--eval-data <folder>", "benchmark data: score after every epoch, keep the best weights");
  addQuietOption(command).action(run);
  addExamples(command, [
    ["pearl finetune", "PEARL from raw text: WordNet's phrases, E5-small, into pearl-model"],
    ["pearl finetune --corpus corpus/ --plan", "what that would take here"],
    ["pearl finetune --corpus corpus/ --preset from-scratch --minutes 30 -o small", "no base, half an hour"],
    [
      "pearl finetune --base intfloat/e5-small-v2 --pairs pairs.csv -o my-model",
      "a hub model, on pairs alone",
    ],
    ["pearl finetune --corpus corpus/ --pairs pairs.csv --no-types -o my-model", "both, without types"],
    ["pearl encode phrases.csv --model my-model", "use it"],
  ]);
}

/** Pairs alone are enough where a base is named and nothing asks for the whole method. */
const isPairsAlone = ({ pairs, base, corpus, preset, plan }: FinetuneCommandOptions): boolean =>
  pairs !== undefined &&
  corpus === undefined &&
  preset === undefined &&
  base !== undefined &&
  base !== "none" &&
  !plan;

/** Options that pairs alone have no use for, by what they are called. */
const ofCorpus = {
  ...{ steps: "--steps", minutes: "--minutes", hidden: "--hidden", layers: "--layers", vocab: "--vocab" },
  ...{ characters: "--characters", characterWidth: "--character-width", hardNegatives: "--hard-negatives" },
  ...{ augment: "--augment", anchors: "--anchors", synonyms: "--synonyms" },
} as const;

/** What would be ignored is refused. */
function checkUse(options: FinetuneCommandOptions): void {
  if (!isPairsAlone(options)) {
    if (options.batchSize === undefined) return;
    throw new UsageError(
      "--batch-size is for --pairs alone; on a corpus --anchors, --hard-negatives and --synonyms make a batch",
    );
  }
  const names = Object.keys(ofCorpus) as (keyof typeof ofCorpus)[];
  const idle = names.find((name) => options[name] !== undefined && options[name] !== false);
  if (idle === undefined) return;
  throw new UsageError(
    `${ofCorpus[idle]} is for training on a corpus: name one with --corpus, or a --preset for WordNet's`,
  );
}

async function run(options: FinetuneCommandOptions): Promise<void> {
  checkUse(options);
  if (isPairsAlone(options)) return runOnPairs(options);
  if (options.plan) return runPlan(options);
  return runOnCorpus(options);
}

interface Displays {
  readonly say: (text: string) => void;
  readonly download: Progress;
  readonly preparing: Progress;
  readonly training: Progress;
  finish(): void;
}

async function openDisplays({ quiet }: FinetuneCommandOptions): Promise<Displays> {
  const bars = {
    download: await startProgress({ label: "downloading", unit: "bytes", quiet }),
    preparing: await startProgress({ label: "preparing", quiet }),
    training: await startProgress({ label: "training", unit: "items", quiet }),
  };
  const finish = () => {
    for (const bar of Object.values(bars)) bar.finish();
  };
  const say = (text: string): void => {
    if (!quiet) process.stderr.write(`${text}\n`);
  };
  return { ...bars, say, finish };
}

/** What both forms of training share. */
async function commonOptions(options: FinetuneCommandOptions, { say, download, training }: Displays) {
  const { availableParallelism } = await import("node:os");
  return {
    ...{ output: options.output, seed: options.seed, device: options.device },
    threads: options.threads ?? availableParallelism(),
    checkpointEvery: options.checkpointEvery,
    resume: options.resume ? "continue" : "start-over",
    evaluationData: options.evalData,
    signal: interruptionSignal(),
    onDownload: ({ done, total }) => download.update(done, total),
    onNote: say,
    onStep: ({ step }, steps) => training.update(step, steps),
    onEvaluation: (step, score) => say(`after ${formatCount(step)} steps: ${(100 * score).toFixed(1)}`),
  } satisfies Omit<FinetuneOptions, "base" | "pairs">;
}

async function runOnPairs(options: FinetuneCommandOptions): Promise<void> {
  const { finetune } = await import("../training/index.js");
  const displays = await openDisplays(options);
  const started = performance.now();
  try {
    const report = await finetune({
      ...(await commonOptions(options, displays)),
      ...{ base: options.base as string, pairs: options.pairs as string },
      types: typeof options.types === "string" ? options.types : undefined,
      ...{ epochs: options.epochs, batchSize: options.batchSize, learningRate: options.lr },
      ...{ temperature: options.temperature, dropout: options.dropout },
      ...{ clipNorm: options.clip, averageWithBase: options.average },
    });
    const { result, output, data, resumedAt } = report;
    displays.finish();
    tellEnd(`${formatCount(data.pairs)} pairs`, { result, output, resumedAt, started }, displays);
  } finally {
    displays.finish();
  }
}

async function corpusOptions(
  options: FinetuneCommandOptions,
  displays: Displays,
): Promise<CorpusFinetuneOptions> {
  const common = await commonOptions(options, displays);
  return {
    ...common,
    settings: await methodSettings(options),
    otherwise:
      options.base === undefined ? await methodSettings({ ...options, preset: "from-scratch" }) : undefined,
    contextTexts: options.context,
    ...{ corpus: options.corpus, pairs: options.pairs, steps: options.steps, minutes: options.minutes },
    types: typeof options.types === "string" ? options.types : undefined,
    onPreparation: (_, done, total) => displays.preparing.update(done, total),
    onStep: (metrics, steps) => {
      displays.preparing.finish();
      common.onStep(metrics, steps);
    },
  };
}

async function runOnCorpus(options: FinetuneCommandOptions): Promise<void> {
  const { finetuneOnCorpus } = await import("../training/index.js");
  const displays = await openDisplays(options);
  const started = performance.now();
  try {
    const report = await finetuneOnCorpus(await corpusOptions(options, displays));
    displays.finish();
    const { result, output, resumedAt, corpus } = report;
    tellEnd(`${formatCount(corpus.phrases)} phrases`, { result, output, resumedAt, started }, displays);
  } finally {
    displays.finish();
  }
}

interface Ending {
  readonly result: { readonly steps: number; readonly loss?: number };
  readonly output: string;
  readonly resumedAt: number;
  readonly started: number;
}

function tellEnd(data: string, { result, output, resumedAt, started }: Ending, { say }: Displays): void {
  if (resumedAt > 0) say(`${formatCount(resumedAt)} steps were done by an earlier run`);
  const loss = result.loss === undefined ? "" : `, loss ${result.loss.toFixed(4)}`;
  const time = formatDuration((performance.now() - started) / 1000);
  process.stdout.write(`wrote ${output}: ${data}, ${formatCount(result.steps)} steps${loss}, ${time}\n`);
}

async function runPlan(options: FinetuneCommandOptions): Promise<void> {
  const [{ planTraining }, { planText }] = await Promise.all([
    import("../training/index.js"),
    import("./plan-text.js"),
  ]);
  const displays = await openDisplays(options);
  try {
    const plan = await planTraining(await corpusOptions(options, displays));
    displays.finish();
    process.stdout.write(planText(plan));
  } finally {
    displays.finish();
  }
}
