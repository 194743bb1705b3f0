/** Fine-tuning an encoder on a table of pairs: model folder in, model folder out. */

import { basename, resolve } from "node:path";
import { type ModelFolder, readModelFolder } from "../../architectures/model-folder.js";
import { ArgumentError } from "../../errors.js";
import { fileFingerprint } from "../../files/fingerprint.js";
import { packageVersion } from "../../files/version.js";
import { type LocateOptions, locateModel } from "../../hub/locate.js";
import { readModelCard } from "../../hub/model-card.js";
import { openReader, readPhrases, samplePhrases } from "../../pearl/contrastive-batch.js";
import { prepareForTraining } from "../../pearl/loss/prepare.js";
import { pairProgram } from "../../pearl/loss/program.js";
import { loadRuntime } from "../../runtime/onnx-runtime.js";
import { type AdamOptions, adamSettings } from "../../training/optimiser/adam.js";
import { pearlSchedule, type Schedule } from "../../training/optimiser/schedule.js";
import type { TrainingProgram } from "../../training/program.js";
import { type PreparedRun, type RunOptions, runMethod } from "../../training/run.js";
import type { TrainingResult } from "../../training/trainer.js";
import { benchmarkScore } from "../benchmark-score.js";
import { averagedWithBase, type StartModel, startOfBase } from "../start-model.js";
import { fineTuningCard, type TrainingRecord } from "./fine-tuning-card.js";
import { createPairData, type PairData } from "./pair-data.js";
import { type PairTable, readPairs } from "./pairs.js";

export interface FinetuneOptions extends RunOptions {
  /** Folder or hub id of the model to start from; its weights are float32. */
  readonly base: string;
  /** Table of pairs: columns text, positive, and if wanted negative and type. */
  readonly pairs: string;
  /** Table of phrase and type, for pairs without a type of their own. */
  readonly types?: string;
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
  /** Folder of benchmark data: the model is scored on it after each epoch, and the best one is written. */
  readonly evaluationData?: string;
  readonly onDownload?: LocateOptions["onDownload"];
}

export interface FinetuneReport extends TrainingRecord {
  readonly output: string;
  readonly resumedAt: number;
}

/**
 * Fine-tunes. Checkpoints and metrics lie in `OUTPUT.training` until the model is written.
 * @throws TableError, ModelError, TrainingError, InterruptedError
 */
export const finetune = (options: FinetuneOptions): Promise<FinetuneReport> =>
  runMethod(options, () => prepareRun(options));

async function prepareRun(options: FinetuneOptions): Promise<PreparedRun<TrainingRecord>> {
  const table = await readPairs(options.pairs, { typesPath: options.types });
  const base = await readModelFolder(await locateModel(options.base, options));
  const types = [...new Set(table.pairs.map(({ type }) => type))].filter((type) => type !== "").sort();
  if (types.length === 1) throw new ArgumentError(`all types are "${types[0]}": give at least two, or none`);
  const { start, program, data } = await prepare(base, table, types, options);
  noteData(table, data, options);
  const settings = settingsOf(base, options);
  const { temperature, dropout, learningRate, schedule, clipNorm } = settings;
  const { optimiser, chunkCells, evaluationData } = options;
  const baseFingerprint = await fileFingerprint(base.graph);
  const licence = (await readModelCard(base.path)).licence;
  const average = { own: start.own, share: options.averageWithBase };
  return {
    ...{ program, data, learningRate, steps: data.batchesPerEpoch * settings.epochs },
    options: () => ({
      ...{ schedule, optimiser, clipNorm },
      settings: { base: baseFingerprint, temperature, dropout, chunkCells },
    }),
    what: () => base.name,
    evaluation:
      evaluationData === undefined
        ? undefined
        : { every: data.batchesPerEpoch, score: (folder) => benchmarkScore(folder, evaluationData) },
    record: (result) => recordOf({ base, baseFingerprint, licence, table, types, settings, result, options }),
    card: fineTuningCard,
    finish: (weights) => averagedWithBase(weights, base, average),
    write: (folder, weights, texts) => start.write(folder, weights, texts),
  };
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
  const { assembled, own } = start;
  const encoder = prepareForTraining(assembled.model);
  const reader = await openReader(base, assembled);
  // a head of the architecture's own is as wide as all its types
  const labels = own && types.length > 0 ? assembled.types : types;
  const negatives = table.pairs.some(({ negative }) => negative !== "") ? "used" : "none";
  const program = pairProgram(encoder, {
    ...{ sample: await readPhrases(samplePhrases, reader), width: assembled.width, types: labels.length },
    ...{ temperature, negatives, dropout, seed, layout: own?.layout },
  });
  const data = await createPairData(table.pairs, reader, {
    ...{ batchSize, seed, types: labels, negatives, fingerprint: table.fingerprint, cells: chunkCells },
    inputNames: program.model.graph.inputs.map(({ name }) => name),
  });
  return { start, program, data };
}

function noteData(table: PairTable, data: PairData, { onNote, batchSize = 512 }: FinetuneOptions): void {
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
  const pairs = table.pairs;
  return {
    pearl: packageVersion(),
    runtime: loadRuntime().name,
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
