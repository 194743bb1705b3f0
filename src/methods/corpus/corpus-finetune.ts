/** PEARL's method from a corpus to a model folder: start model, batches made ahead, training, averaging, card. */
import { basename, join, resolve } from "node:path";
import type { VectorLayout } from "../../architectures/architecture.js";
import { type ModelFolder, readModelFolder } from "../../architectures/model-folder.js";
import { readManifest, streamPhrases } from "../../corpus/corpus-folder.js";
import { ArgumentError, messageOf } from "../../errors.js";
import { fileFingerprint } from "../../files/fingerprint.js";
import { packageVersion } from "../../files/version.js";
import { type LocateOptions, locateModel } from "../../hub/locate.js";
import { readModelCard } from "../../hub/model-card.js";
import { readModel } from "../../onnx/io/file.js";
import { openReader, readPhrases, samplePhrases } from "../../pearl/contrastive-batch.js";
import { prepareForTraining } from "../../pearl/loss/prepare.js";
import { pairProgram } from "../../pearl/loss/program.js";
import { type MethodSettings, scheduleOf } from "../../pearl/method.js";
import { RUN_KEYS } from "../../pearl/neighbour-runs.js";
import { loadRuntime } from "../../runtime/onnx-runtime.js";
import { type MeasuredSteps, measureSteps } from "../../training/measure-steps.js";
import type { TrainingProgram } from "../../training/program.js";
import { type PreparedRun, type RunOptions, runMethod } from "../../training/run.js";
import type { TrainingResult } from "../../training/trainer.js";
import { benchmarkScore } from "../benchmark-score.js";
import { openTexts } from "../pretrain/open-texts.js";
import {
  averagedWithBase,
  checkTrainable,
  hasOwnStart,
  prepareStart,
  type StartModel,
} from "../start-model.js";
import { corpusTypes } from "./corpus-batches.js";
import { type CorpusTrainingRecord, corpusCard } from "./corpus-card.js";
import { type CorpusData, openCorpusData } from "./corpus-data.js";
import { type PrepareCorpusOptions, prepareCorpus } from "./corpus-source.js";
import type { CorpusBatchSettings } from "./data-protocol.js";
import { wordEncoderTerms } from "./word-encoder-terms.js";

export interface CorpusFinetuneOptions extends RunOptions, PrepareCorpusOptions {
  readonly settings: MethodSettings;
  /** Settings of a training from scratch, for where the base cannot be had; absent: that is an error. */
  readonly otherwise?: MethodSettings;
  /** A table of pairs as further positives: columns text, positive, if wanted type. */
  readonly pairs?: string;
  /** Types of phrases of that table. */
  readonly types?: string;
  /** Texts whose spans a word encoder goes on learning from, where the settings say so: those of its pretraining. */
  readonly contextTexts?: readonly string[];
  /** Steps to train; default: the settings' epochs. */
  readonly steps?: number;
  /** Train for so long: a few steps are measured, and as many are taken as fit. */
  readonly minutes?: number;
  /** Folder of benchmark data: the model is scored after each epoch, and the best one is written. */
  readonly evaluationData?: string;
  /** Rows times length of one run at most; default 4,096. */
  readonly chunkCells?: number;
  readonly onDownload?: LocateOptions["onDownload"];
}

export interface CorpusFinetuneReport extends CorpusTrainingRecord {
  readonly output: string;
  readonly resumedAt: number;
}

/** A training that is ready to run. */
export interface PreparedTraining {
  readonly settings: MethodSettings;
  readonly corpus: string;
  readonly start: StartModel;
  /** The pretrained base; absent: from scratch. */
  readonly pretrained: ModelFolder | undefined;
  readonly program: TrainingProgram;
  readonly data: CorpusData;
}

/**
 * Trains. Checkpoints, metrics and the start model lie in `OUTPUT.training` until the model is written.
 * @throws TableError, ModelError, MissingDataError, TrainingError, InterruptedError
 */
export const finetuneOnCorpus = (options: CorpusFinetuneOptions): Promise<CorpusFinetuneReport> =>
  runMethod(options, async (work) => runOf(await prepareTraining(options, work), options));

function runOf(
  prepared: PreparedTraining,
  options: CorpusFinetuneOptions,
): PreparedRun<CorpusTrainingRecord> {
  const { settings, pretrained, start, program, data } = prepared;
  const { learningRate, clipNorm, rateFactors, temperature, dropout, typeWeight } = settings;
  const { batchesPerEpoch } = data.facts;
  const { evaluationData } = options;
  const average = { own: start.own, share: settings.averageWithBase };
  return {
    ...{ program, data, learningRate },
    steps: options.steps ?? settings.epochs * batchesPerEpoch,
    minutes: options.steps === undefined ? options.minutes : undefined,
    options: (steps) => ({
      schedule: scheduleOf(settings.schedule, steps),
      clipNorm: clipNorm > 0 ? clipNorm : undefined,
      optimiser: { rateFactors },
      settings: { temperature, dropout, typeWeight },
    }),
    what: (steps) => `${steps.toLocaleString("en-US")} steps`,
    evaluation:
      evaluationData === undefined
        ? undefined
        : { every: batchesPerEpoch, score: (folder) => benchmarkScore(folder, evaluationData) },
    record: (result) => recordOf(prepared, options, result),
    card: corpusCard,
    finish: (weights) => (pretrained ? averagedWithBase(weights, pretrained, average) : weights),
    write: (folder, weights, texts) => start.write(folder, weights, texts),
    close: () => data.close(),
  };
}

/** Corpus, start model, graph and batches; what is long is kept in the folder `work`. */
export async function prepareTraining(
  options: CorpusFinetuneOptions,
  work: string,
): Promise<PreparedTraining> {
  const { seed = 0, onNote } = options;
  const { settings, base } = await chooseBase(options);
  if (settings.meanShares?.meanings && !settings.synonymSides)
    throw new ArgumentError(
      "meanShares.meanings are of pairs that mean the same alone: say in synonymSides which sources are",
    );
  const oddKey = Object.values(settings.runsBy ?? {}).find((key) => !RUN_KEYS.includes(key));
  if (oddKey !== undefined)
    throw new ArgumentError(
      `runsBy: the pairs of a run share ${RUN_KEYS.join(" or ")} words, not "${oddKey}"`,
    );
  // before the corpus, which may take long to build
  if (base && !hasOwnStart(base)) checkTrainable(readModel(base.graph), base);
  const corpus = await prepareCorpus({
    ...options,
    hardNegatives: settings.hardNegatives > 0 ? { encoder: base?.path } : "none",
  });
  const phrases: (readonly [string, number])[] = [];
  for await (const block of streamPhrases(corpus))
    for (const { phrase, count } of block) phrases.push([phrase, count]);
  const types = settings.types === "learned" ? corpusTypes : [];
  const { fingerprint } = await readManifest(corpus);
  const start = await prepareStart({ base, settings, types, phrases, seed, fingerprint, folder: work });
  const { assembled, own } = start;
  // a head of the architecture's own is as wide as all its types
  const labels = own && types.length > 0 ? assembled.types : types;
  const contexts = await contextsOf(start, settings, options, work);
  const program = await programOf(start, settings, { seed, types: labels.length });
  checkRateFactors(settings, program);
  const data = await openCorpusData({
    ...{ corpus, model: start.folder.path, types: labels, seed, cells: options.chunkCells, contexts },
    ...{ anchors: settings.anchors, hardNegatives: settings.hardNegatives, synonyms: settings.synonyms },
    ...{ synonymShares: settings.synonymShares, synonymSides: settings.synonymSides },
    ...{ run: settings.run, runsBy: settings.runsBy },
    ...{ augmentPairs: settings.augmentPairs, augmentation: settings.augmentation },
    pairs:
      options.pairs === undefined
        ? undefined
        : { path: options.pairs, types: options.types, rows: settings.pairRows },
    encoderInputs: inputsOf(assembled.model.graph),
    inputNames: program.model.graph.inputs.map(({ name }) => name),
  });
  tellFacts(data, start, onNote);
  return { settings, corpus, start, pretrained: base, program, data };
}

/** @throws ArgumentError for a factor of a weight that there is none of */
function checkRateFactors(
  { rateFactors = {} }: MethodSettings,
  { model: { graph } }: Pick<TrainingProgram, "model">,
): void {
  const odd = Object.keys(rateFactors).find((name) => !graph.initializers.has(name));
  if (odd !== undefined) {
    const names = [...graph.initializers.keys()].filter((name) => name.endsWith(".weight"));
    throw new ArgumentError(
      `rateFactors: there is no weight "${odd}". Among the weights are ${names.join(", ")}`,
    );
  }
}

/** The encoder with its losses. */
async function programOf(
  { assembled, folder, own }: StartModel,
  settings: MethodSettings,
  { seed, types }: { seed: number; types: number },
): Promise<TrainingProgram> {
  const reader = await openReader(folder, assembled);
  const { parts, width } = assembled;
  const layout: VectorLayout | undefined =
    own?.layout ?? (parts && { parts: { phrase: [0, parts[0]], characters: [parts[0], width] } });
  const { temperature, typeWeight, dropout, prefixLoss, synonymSides } = settings;
  return pairProgram(prepareForTraining(assembled.model), {
    ...{ sample: await readPhrases(samplePhrases, reader), width, types, layout },
    ...{ temperature, typeWeight, dropout, negatives: "none", seed },
    losses: {
      ...settings.partLosses,
      prefix: prefixLoss,
      further: settings.furtherContrast,
    },
    terms: wordEncoderTerms(settings, layout, own?.context),
    rows: synonymSides ? "own" : "all",
  });
}

/** Shards of the texts, numbered as the encoder numbers its words. */
async function contextsOf(
  { own }: StartModel,
  { contexts }: MethodSettings,
  { contextTexts, onNote }: CorpusFinetuneOptions,
  work: string,
): Promise<CorpusBatchSettings["contexts"]> {
  if (!own || !contexts || contexts.weight <= 0) return undefined;
  if (contextTexts === undefined)
    throw new ArgumentError(
      "these settings learn from text too: name the texts of the pretraining (--context)",
    );
  const shards = await openTexts({ texts: contextTexts, onNote }, join(work, "text"));
  const { contextWords, words } = own;
  const known = (all: readonly string[]) => all.slice(0, contextWords).join("\n");
  if (known(shards.words) !== known(words))
    throw new ArgumentError("the texts are not those of the base's pretraining: name the same ones");
  return { folder: shards.folder, spans: contexts.spans, vocabulary: contextWords };
}

const inputsOf = ({ inputs, initializers }: StartModel["assembled"]["model"]["graph"]): string[] =>
  inputs.map(({ name }) => name).filter((name) => !initializers.has(name));

/** The base where it can be had; else, said loudly, one from scratch. */
async function chooseBase(
  options: CorpusFinetuneOptions,
): Promise<{ settings: MethodSettings; base: ModelFolder | undefined }> {
  const { settings, onNote } = options;
  if (settings.base === "none") return { settings, base: undefined };
  try {
    const base = await readModelFolder(await locateModel(settings.base, options));
    // an architecture with a start of its own has all parts
    return { settings: hasOwnStart(base) ? { ...settings, characters: "none" } : settings, base };
  } catch (error) {
    if (options.otherwise === undefined) throw error;
    onNote?.(
      `!! ${settings.base} cannot be had here (${messageOf(error)}).\n` +
        "!! Training a small transformer FROM SCRATCH instead, with the preset from-scratch: it will know far " +
        "less. Name a folder with --base to start from a model of your own.",
    );
    return { settings: { ...options.otherwise, base: "none" }, base: undefined };
  }
}

function tellFacts(
  { facts }: CorpusData,
  { assembled }: StartModel,
  say: CorpusFinetuneOptions["onNote"],
): void {
  const count = (value: number) => value.toLocaleString("en-US");
  say?.(
    `corpus: ${count(facts.phrases)} phrases, ${count(facts.typed)} with a type, ` +
      `${count(facts.withHardNegatives)} with hard negatives, ${count(facts.synonymPairs)} pairs of synonyms`,
  );
  if (facts.pairs > 0) say?.(`further pairs: ${count(facts.pairs)}`);
  const parts = assembled.parts ? ` (${assembled.parts.join(" + ")})` : "";
  say?.(`model: ${assembled.width} dimensions${parts}, ${assembled.types.length} types`);
}

/** The time of a step and the memory, from a few steps that are thrown away. */
export const measure = (
  { program, data, settings }: PreparedTraining,
  options: CorpusFinetuneOptions,
): Promise<MeasuredSteps> =>
  measureSteps(program, data, {
    ...{ device: options.device, threads: options.threads, signal: options.signal },
    learningRate: settings.learningRate,
  });

async function recordOf(
  { settings, pretrained, data, start, corpus }: PreparedTraining,
  options: CorpusFinetuneOptions,
  result: TrainingResult,
): Promise<CorpusTrainingRecord> {
  const licence = pretrained && (await readModelCard(pretrained.path)).licence;
  // of a folder only its name, since paths mean nothing elsewhere
  const isFolder = pretrained && resolve(settings.base) === pretrained.path;
  const baseName = isFolder ? pretrained.name : settings.base;
  return {
    ...{ pearl: packageVersion(), runtime: loadRuntime().name },
    base: pretrained && {
      name: baseName,
      fingerprint: await fileFingerprint(pretrained.graph),
      ...(licence && { licence }),
    },
    corpus: { ...data.facts, name: basename(corpus) },
    ...(options.pairs !== undefined && {
      pairs: { file: basename(options.pairs), fingerprint: await fileFingerprint(options.pairs) },
    }),
    settings: { ...settings, base: baseName },
    seed: options.seed ?? 0,
    model: { dimension: start.assembled.width, types: start.assembled.types.length },
    result: { steps: result.steps, loss: result.last?.loss, parts: result.last?.parts, best: result.best },
  };
}
