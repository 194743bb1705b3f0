/** Fine-tuning an encoder on a table of pairs: model folder in, model folder out. */

import { readFile, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, join, resolve } from "node:path";
import { fileFingerprint } from "../corpus/file-fingerprint.js";
import { type LocateOptions, locateModel } from "../encoder/locate.js";
import { readModelCard } from "../encoder/model-card.js";
import { type ModelFolder, readModelFolder } from "../encoder/model-folder.js";
import { checkIsFree } from "../encoder/whole-folder.js";
import { ArgumentError } from "../errors.js";
import type { Tensor } from "../onnx/index.js";
import type { DeviceChoice } from "../runtime/device.js";
import { type AdamOptions, adamSettings } from "./adam.js";
import { benchmarkScore } from "./benchmark-score.js";
import { openReader, readPhrases, samplePhrases } from "./contrastive-batch.js";
import { fineTuningCard, type TrainingRecord } from "./fine-tuning-card.js";
import type { StepMetrics } from "./metrics.js";
import { createPairData, type PairData } from "./pair-data.js";
import { pairProgram, prepareForTraining } from "./pair-program.js";
import { type PairTable, readPairs } from "./pairs.js";
import type { TrainingProgram } from "./program.js";
import { pearlSchedule, type Schedule } from "./schedule.js";
import { averagedWithBase, type StartModel, startOfBase } from "./start-model.js";
import { packageVersion, type TrainingResult, train } from "./trainer.js";

export interface FinetuneOptions {
  /** Folder or hub id of the model to start from; its weights are float32. */
  readonly base: string;
  /** Table of pairs: columns text, positive, and if wanted negative and type. */
  readonly pairs: string;
  /** Table of phrase and type, for pairs without a type of their own. */
  readonly types?: string;
  /** Folder of the new model; it must not exist. */
  readonly output: string;
  /** Passes over the pairs; default 2. */
  readonly epochs?: number;
  /** Pairs in a batch at most; default 512. */
  readonly batchSize?: number;
  /** Default 3e-5. */
  readonly learningRate?: number;
  /** Default PEARL's: × 0.98 every 2,000 steps. */
  readonly schedule?: Schedule;
  /** Default 0.07. */
  readonly temperature?: number;
  /** Share of the transformer's inner values that is dropped in training; default 0. */
  readonly dropout?: number;
  readonly optimiser?: AdamOptions;
  /** Default: gradients are not clipped. */
  readonly clipNorm?: number;
  /** Share of the trained weights in an average with the base's; default: none is taken. PEARL's is 0.5. */
  readonly averageWithBase?: number;
  /** Rows times length of one run at most, which bounds memory; default 4,096. */
  readonly chunkCells?: number;
  /** Of the order of batches and the type head's first weights; default 0. */
  readonly seed?: number;
  /** Default "cpu". */
  readonly device?: DeviceChoice;
  /** CPU threads; default 1. */
  readonly threads?: number;
  /** "continue" goes on from the last checkpoint of an interrupted run; default "start-over". */
  readonly resume?: "continue" | "start-over";
  /** Steps between two checkpoints; default 500. */
  readonly checkpointEvery?: number;
  /** Folder of benchmark data: the model is scored on it after each epoch, and the best one is written. */
  readonly evaluationData?: string;
  readonly signal?: AbortSignal;
  readonly onDownload?: LocateOptions["onDownload"];
  /** Told once what was read, a line each. */
  readonly onNote?: (note: string) => void;
  readonly onStep?: (metrics: StepMetrics, steps: number) => void;
  readonly onEvaluation?: (step: number, score: number) => void;
}

export interface FinetuneReport extends TrainingRecord {
  readonly output: string;
  readonly resumedAt: number;
}

/**
 * Fine-tunes. Checkpoints and metrics lie in `OUTPUT.training` until the model is written.
 * @throws TableError, ModelError, TrainingError, InterruptedError
 */
export async function finetune(options: FinetuneOptions): Promise<FinetuneReport> {
  const output = resolve(options.output);
  await checkIsFree(options.output);
  const table = await readPairs(options.pairs, { typesPath: options.types });
  const base = await readModelFolder(await locateModel(options.base, options));
  const types = [...new Set(table.pairs.map(({ type }) => type))].filter((type) => type !== "").sort();
  if (types.length === 1) throw new ArgumentError(`all types are "${types[0]}": give at least two, or none`);
  const { start, program, data } = await prepare(base, table, types, options);
  tellNotes(table, data, options);

  const work = `${output}.training`;
  const settings = settingsOf(base, options);
  const { temperature, dropout } = settings;
  const steps = data.batchesPerEpoch * settings.epochs;
  const baseFingerprint = await fileFingerprint(base.graph);
  const result = await train(program, data, {
    ...{ steps, folder: work, learningRate: settings.learningRate, schedule: settings.schedule },
    ...{ optimiser: options.optimiser, clipNorm: options.clipNorm, checkpointEvery: options.checkpointEvery },
    ...{ device: options.device, threads: options.threads, resume: options.resume, signal: options.signal },
    settings: { base: baseFingerprint, temperature, dropout, chunkCells: options.chunkCells },
    onOpen: ({ device, notes }) => {
      options.onNote?.(`training ${base.name} on ${device}`);
      for (const note of notes) options.onNote?.(`  not ${note}`);
    },
    onStep: (metrics) => options.onStep?.(metrics, steps),
    onEvaluation: options.onEvaluation,
    evaluation:
      options.evaluationData === undefined
        ? undefined
        : evaluationOn(options.evaluationData, { start, data, work }),
  });

  const licence = (await readModelCard(base.path)).licence;
  const record = recordOf({ base, baseFingerprint, licence, table, types, settings, result, options });
  const average = { words: start.words, share: options.averageWithBase };
  await start.write(output, averagedWithBase(result.weights, base, average), {
    "README.md": fineTuningCard(basename(output), record),
    "training.json": `${JSON.stringify(record, null, 2)}\n`,
    "metrics.jsonl": await readFile(join(work, "metrics.jsonl"), "utf8"),
  });
  await rm(work, { recursive: true, force: true });
  return { ...record, output: options.output, resumedAt: result.resumedAt };
}

interface Prepared {
  readonly start: StartModel;
  readonly program: TrainingProgram;
  readonly data: PairData;
}

async function prepare(
  base: ModelFolder,
  table: PairTable,
  types: readonly string[],
  options: FinetuneOptions,
): Promise<Prepared> {
  const { batchSize = 512, seed = 0, temperature = 0.07, dropout = 0, chunkCells } = options;
  if (!(temperature > 0)) throw new ArgumentError(`the temperature must be positive, not ${temperature}`);
  const start = await startOfBase(base, { types, seed });
  const { assembled, words } = start;
  const encoder = prepareForTraining(assembled.model);
  const reader = await openReader(base, assembled);
  // a word encoder's head is as wide as all its types
  const labels = words && types.length > 0 ? assembled.types : types;
  const negatives = table.pairs.some(({ negative }) => negative !== "") ? "used" : "none";
  const program = pairProgram(encoder, {
    ...{ sample: await readPhrases(samplePhrases, reader), width: assembled.width, types: labels.length },
    ...{ temperature, negatives, dropout, seed, layout: words?.layout },
  });
  const data = await createPairData(table.pairs, reader, {
    ...{ batchSize, seed, types: labels, negatives, fingerprint: table.fingerprint, cells: chunkCells },
    inputNames: program.model.graph.inputs.map(({ name }) => name),
  });
  return { start, program, data };
}

function tellNotes(table: PairTable, data: PairData, { onNote, batchSize = 512 }: FinetuneOptions): void {
  onNote?.(table.summary);
  const left = (count: number, why: string) =>
    count > 0 && onNote?.(`${count.toLocaleString("en-US")} rows were left out: ${why}`);
  left(table.empty, "text or positive is empty");
  left(table.repeated, "an earlier row is the same");
  if (data.truncated > 0) onNote?.(`${data.truncated} phrases are longer than the model reads and were cut`);
  if (table.pairs.length < batchSize)
    onNote?.(`all ${table.pairs.length} pairs make one batch, fewer than the batch size of ${batchSize}`);
}

function settingsOf(
  base: ModelFolder,
  options: FinetuneOptions,
): TrainingRecord["settings"] & { schedule: Schedule } {
  const {
    epochs = 2,
    batchSize = 512,
    learningRate = 3e-5,
    schedule = pearlSchedule,
    temperature = 0.07,
    dropout = 0,
  } = options;
  const { clipNorm, averageWithBase, chunkCells, seed = 0 } = options;
  const optimiser = adamSettings(options.optimiser);
  const pooling = base.pooling === "none" ? "none" : base.pooling;
  return {
    ...{ epochs, batchSize, learningRate, schedule, temperature, dropout, optimiser },
    ...{ clipNorm, averageWithBase, pooling, seed, chunkCells },
  };
}

/** Scores a snapshot of the weights on the benchmark's tasks, once an epoch. */
function evaluationOn(
  dataFolder: string,
  { start, data, work }: { start: StartModel; data: PairData; work: string },
) {
  const folder = join(work, "evaluation");
  return {
    every: data.batchesPerEpoch,
    async run(weights: ReadonlyMap<string, Tensor>): Promise<number> {
      await start.write(folder, weights);
      return benchmarkScore(folder, dataFolder).finally(() => rm(folder, { recursive: true, force: true }));
    },
  };
}

interface RecordParts {
  readonly base: ModelFolder;
  readonly baseFingerprint: string;
  readonly licence: string | undefined;
  readonly table: PairTable;
  readonly types: readonly string[];
  readonly settings: TrainingRecord["settings"];
  readonly result: TrainingResult;
  readonly options: FinetuneOptions;
}

function recordOf(parts: RecordParts): TrainingRecord {
  const { base, baseFingerprint, licence, table, types, settings, result, options } = parts;
  const { version } = createRequire(import.meta.url)("onnxruntime-node/package.json") as { version: string };
  const pairs = table.pairs;
  return {
    pearl: packageVersion(),
    runtime: `onnxruntime-node ${version}`,
    base: { name: baseName(options.base, base), fingerprint: baseFingerprint, ...(licence && { licence }) },
    data: {
      file: basename(options.pairs),
      fingerprint: table.fingerprint,
      pairs: pairs.length,
      ...{ empty: table.empty, repeated: table.repeated },
      withNegative: pairs.filter(({ negative }) => negative !== "").length,
      withType: pairs.filter(({ type }) => type !== "").length,
      types,
    },
    settings,
    result: { steps: result.steps, loss: result.last?.loss, best: result.best },
  };
}

/** A hub id as it was given; of a folder only its last part, since paths mean nothing elsewhere. */
const baseName = (given: string, { path, name }: ModelFolder): string =>
  resolve(given) === path ? name : given;
