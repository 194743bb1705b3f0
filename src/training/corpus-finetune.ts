/** PEARL's method from a corpus to a model folder: start model, batches made ahead, training, averaging, card. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { readFile, rm } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { fileFingerprint } from "../corpus/file-fingerprint.js";
import { readManifest, streamPhrases } from "../corpus/index.js";
import { type LocateOptions, locateModel } from "../encoder/locate.js";
import { readModelCard } from "../encoder/model-card.js";
import { type ModelFolder, readModelFolder } from "../encoder/model-folder.js";
import { checkIsFree } from "../encoder/whole-folder.js";
import { ArgumentError, messageOf } from "../errors.js";
import { readModel, type Tensor } from "../onnx/index.js";
import type { DeviceChoice } from "../runtime/device.js";
import { benchmarkScore } from "./benchmark-score.js";
import { openReader, readPhrases, samplePhrases } from "./contrastive-batch.js";
import { corpusTypes } from "./corpus-batches.js";
import { type CorpusTrainingRecord, corpusCard, runtimeVersion } from "./corpus-card.js";
import { type CorpusData, openCorpusData } from "./corpus-data.js";
import { type PrepareCorpusOptions, prepareCorpus } from "./corpus-source.js";
import type { CorpusBatchSettings } from "./data-protocol.js";
import { type MeasuredSteps, measureSteps } from "./measure-steps.js";
import { type MethodSettings, scheduleOf } from "./method.js";
import type { StepMetrics } from "./metrics.js";
import { RUN_KEYS } from "./neighbour-runs.js";
import { pairProgram, prepareForTraining, type VectorLayout } from "./pair-program.js";
import { openTexts } from "./pretrain/open-texts.js";
import type { TrainingProgram } from "./program.js";
import { averagedWithBase, checkTrainable, prepareStart, type StartModel } from "./start-model.js";
import { packageVersion, type TrainingResult, train } from "./trainer.js";
import { wordSizes } from "./word-start.js";

export interface CorpusFinetuneOptions extends PrepareCorpusOptions {
  readonly settings: MethodSettings;
  /** Settings of a training from scratch, for where the base cannot be had; absent: that is an error. */
  readonly otherwise?: MethodSettings;
  /** Folder of the new model; it must not exist. */
  readonly output: string;
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
  /** Default 0. */
  readonly seed?: number;
  /** Default "cpu". */
  readonly device?: DeviceChoice;
  /** CPU threads; default 1. */
  readonly threads?: number;
  readonly resume?: "continue" | "start-over";
  /** Steps between two checkpoints; default 500. */
  readonly checkpointEvery?: number;
  /** Folder of benchmark data: the model is scored after each epoch, and the best one is written. */
  readonly evaluationData?: string;
  /** Rows times length of one run at most; default 4,096. */
  readonly chunkCells?: number;
  readonly onDownload?: LocateOptions["onDownload"];
  readonly onStep?: (metrics: StepMetrics, steps: number) => void;
  readonly onEvaluation?: (step: number, score: number) => void;
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
export async function finetuneOnCorpus(options: CorpusFinetuneOptions): Promise<CorpusFinetuneReport> {
  const output = resolve(options.output);
  await checkIsFree(options.output);
  const work = `${output}.training`;
  if (options.resume !== "continue") await rm(work, { recursive: true, force: true });
  mkdirSync(work, { recursive: true });
  const prepared = await prepareTraining(options, work);
  const { data } = prepared;
  try {
    const steps = await stepsOf(prepared, options, work);
    const result = await runTraining(prepared, options, { steps, work });
    const record = await recordOf(prepared, options, { steps, result });
    const { settings, pretrained, start } = prepared;
    const share = settings.averageWithBase;
    const weights = pretrained
      ? averagedWithBase(result.weights, pretrained, { words: start.words, share })
      : result.weights;
    await start.write(output, weights, {
      "README.md": corpusCard(basename(output), record),
      "training.json": `${JSON.stringify(record, null, 2)}\n`,
      "metrics.jsonl": await readFile(join(work, "metrics.jsonl"), "utf8"),
    });
    await rm(work, { recursive: true, force: true });
    return { ...record, output: options.output, resumedAt: result.resumedAt };
  } finally {
    await data.close();
  }
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
  if (base && !wordSizes(base)) checkTrainable(readModel(base.graph), base);
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
  const { assembled, words } = start;
  // a word encoder's head is as wide as all its types
  const labels = words && types.length > 0 ? assembled.types : types;
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
  { assembled, folder, words }: StartModel,
  settings: MethodSettings,
  { seed, types }: { seed: number; types: number },
): Promise<TrainingProgram> {
  const reader = await openReader(folder, assembled);
  const { parts, width } = assembled;
  const layout: VectorLayout | undefined =
    words?.layout ?? (parts && { parts: { phrase: [0, parts[0]], characters: [parts[0], width] } });
  const { temperature, typeWeight, dropout, prefixLoss, contexts, meanShares, synonymSides } = settings;
  return pairProgram(prepareForTraining(assembled.model), {
    ...{ sample: await readPhrases(samplePhrases, reader), width, types, layout },
    ...{ temperature, typeWeight, dropout, negatives: "none", seed },
    losses: {
      ...settings.partLosses,
      ...{ prefix: prefixLoss, context: words ? contexts?.weight : 0 },
      further: settings.furtherContrast,
      shares: meanShares && {
        ...{ mean: sharesOf(meanShares), weight: meanShares.weight },
        ...(meanShares.meanings && { meanings: sharesOf(meanShares.meanings) }),
      },
    },
    rows: synonymSides ? "own" : "all",
    context: words,
  });
}

const sharesOf = ({ characters, meaning, types }: { characters: number; meaning: number; types: number }) => [
  ...[characters, meaning, types],
];

/** Shards of the texts, numbered as the encoder's words are. */
async function contextsOf(
  { words }: StartModel,
  { contexts }: MethodSettings,
  { contextTexts, onNote }: CorpusFinetuneOptions,
  work: string,
): Promise<CorpusBatchSettings["contexts"]> {
  if (!words || !contexts || contexts.weight <= 0) return undefined;
  if (contextTexts === undefined)
    throw new ArgumentError(
      "these settings learn from text too: name the texts of the pretraining (--context)",
    );
  const shards = await openTexts({ texts: contextTexts, onNote }, join(work, "text"));
  const { vocabulary, contextWords = vocabulary } = words.sizes;
  const known = (all: readonly string[]) => all.slice(0, contextWords).join("\n");
  if (known(shards.words) !== known(words.words))
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
    // a word encoder reads characters itself
    return { settings: wordSizes(base) ? { ...settings, characters: "none" } : settings, base };
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

/** How many steps are taken; a measured number is kept, so that a resumed run has the same schedule. */
async function stepsOf(
  prepared: PreparedTraining,
  options: CorpusFinetuneOptions,
  work: string,
): Promise<number> {
  const { steps, minutes, onNote } = options;
  const { settings, data } = prepared;
  if (steps !== undefined) return steps;
  const all = settings.epochs * data.facts.batchesPerEpoch;
  if (minutes === undefined) return all;
  if (!(minutes > 0)) throw new ArgumentError(`minutes must be a number above 0, not ${minutes}`);
  const path = join(work, "steps.json");
  if (existsSync(path)) return (JSON.parse(readFileSync(path, "utf8")) as { steps: number }).steps;
  const { seconds } = await measure(prepared, options);
  const fitting = Math.max(1, Math.floor((minutes * 60) / seconds));
  onNote?.(
    `a step takes ${seconds.toFixed(2)} s: ${fitting.toLocaleString("en-US")} steps fit into ${minutes} minutes`,
  );
  writeFileSync(path, JSON.stringify({ steps: fitting, seconds }));
  return fitting;
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

function runTraining(
  prepared: PreparedTraining,
  options: CorpusFinetuneOptions,
  { steps, work }: { steps: number; work: string },
): Promise<TrainingResult> {
  const { settings, program, data, start } = prepared;
  const { evaluationData } = options;
  const evaluation = join(work, "evaluation");
  return train(program, data, {
    ...{ steps, folder: work, learningRate: settings.learningRate },
    schedule: scheduleOf(settings.schedule, steps),
    clipNorm: settings.clipNorm > 0 ? settings.clipNorm : undefined,
    optimiser: { rateFactors: settings.rateFactors },
    ...{ checkpointEvery: options.checkpointEvery, device: options.device, threads: options.threads },
    ...{ resume: options.resume, signal: options.signal },
    settings: {
      temperature: settings.temperature,
      dropout: settings.dropout,
      typeWeight: settings.typeWeight,
    },
    onOpen: ({ device, notes }) => {
      options.onNote?.(`training ${steps.toLocaleString("en-US")} steps on ${device}`);
      for (const note of notes) options.onNote?.(`  not ${note}`);
    },
    onStep: (metrics) => options.onStep?.(metrics, steps),
    onEvaluation: options.onEvaluation,
    evaluation:
      evaluationData === undefined
        ? undefined
        : {
            every: Math.min(steps, data.facts.batchesPerEpoch),
            async run(weights: ReadonlyMap<string, Tensor>) {
              await start.write(evaluation, weights);
              return benchmarkScore(evaluation, evaluationData).finally(() =>
                rm(evaluation, { recursive: true, force: true }),
              );
            },
          },
  });
}

async function recordOf(
  { settings, pretrained, data, start, corpus }: PreparedTraining,
  options: CorpusFinetuneOptions,
  { steps, result }: { steps: number; result: TrainingResult },
): Promise<CorpusTrainingRecord> {
  const licence = pretrained && (await readModelCard(pretrained.path)).licence;
  // of a folder only its name, since paths mean nothing elsewhere
  const isFolder = pretrained && resolve(settings.base) === pretrained.path;
  const baseName = isFolder ? pretrained.name : settings.base;
  return {
    ...{ pearl: packageVersion(), runtime: runtimeVersion() },
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
    result: { steps, loss: result.last?.loss, parts: result.last?.parts, best: result.best },
  };
}
