/** PEARL's method from a corpus to a model folder: start model, batches, training, averaging, card. */
import { basename, join } from "node:path";
import type { VectorLayout } from "../../architectures/architecture.js";
import { type ModelFolder, readModelFolder } from "../../architectures/model-folder.js";
import { buildCorpus } from "../../corpus/build-corpus.js";
import { CORPUS_FILES, readCorpus, readManifest } from "../../corpus/corpus-folder.js";
import { mineCorpus } from "../../corpus/mining/mine.js";
import { withEncoder } from "../../encoder/with-encoder.js";
import { ArgumentError, messageOf } from "../../errors.js";
import { formatCount } from "../../files/count-text.js";
import { inTemporaryFolder } from "../../files/object-storage/temporary-folder.js";
import { cachePath, packageVersion } from "../../files/package.js";
import { exists } from "../../files/whole-file.js";
import { type LocateOptions, locateModel } from "../../hub/locate.js";
import { HubError } from "../../hub/request.js";
import { readModel } from "../../onnx/io/file.js";
import { openReader, readPhrases, samplePhrases } from "../../pearl/contrastive-batch.js";
import { type PairProgramOptions, pairProgram, prepareForTraining } from "../../pearl/loss/program.js";
import { PHRASE_TYPES } from "../../pearl/phrase-types.js";
import { chooseDevice } from "../../runtime/devices/choose-device.js";
import { loadRuntime } from "../../runtime/onnx-runtime.js";
import { refuseReadingTwice, shownName } from "../../table/read/source.js";
import type { TrainingProgram } from "../../training/program.js";
import {
  type PreparedRun,
  planRun,
  type RunOptions,
  type RunReport,
  resultOf,
  runMethod,
} from "../../training/run.js";
import type { TrainingResult } from "../../training/trainer.js";
import { checkEvaluation, evaluationOn } from "../benchmark-score.js";
import { readNumberedText } from "../pretrain/numbered-text.js";
import { withAvailableCharacters } from "../settings/choices.js";
import { departures } from "../settings/departures.js";
import { decayOf, type MethodSettings, scheduleOf } from "../settings/method-settings.js";
import { settingsFault } from "../settings/schema.js";
import {
  averagedWithBase,
  cardText,
  checkTrainable,
  describeBase,
  hasOwnStart,
  phraseModel,
  prepareStart,
  type StartModel,
} from "../start-model.js";
import {
  batchKeys,
  type CorpusBatches,
  type CorpusBatchSettings,
  type CorpusFacts,
  openCorpusBatches,
} from "./corpus-batches.js";
import { partTerms, wordEncoderTerms } from "./corpus-terms.js";

/** Options of {@link finetuneOnCorpus}: the method's settings, the corpus, and how long to train. */
export interface CorpusFinetuneOptions extends RunOptions, PrepareCorpusOptions {
  readonly settings: MethodSettings;
  /** Settings of a training from scratch, used if the hub of the base cannot be reached; default: an error. */
  readonly otherwise?: MethodSettings;
  /** A table of pairs as more positives: columns text and positive, optionally type. */
  readonly pairs?: string;
  /** A table of phrase and type, for pairs without a type; "none" leaves out types where pairs are all there is. */
  readonly types?: string;
  /** The texts of a word encoder's pretraining; required if the settings train on spans of text. */
  readonly contextTexts?: readonly string[];
  /** Steps to train; default: as many as the epochs have. */
  readonly steps?: number;
  /** Minutes to train, if `steps` is absent: the time of a step is measured first. */
  readonly minutes?: number;
  /** Folder of benchmark data: the model is scored after each epoch, and the best weights are written. */
  readonly evaluationData?: string;
  /** Rows times length of one run at most, which bounds memory; default 4,096. */
  readonly chunkCells?: number;
  readonly onDownload?: LocateOptions["onDownload"];
}

/** The model folder that {@link finetuneOnCorpus} wrote, and the record of its training. */
export type CorpusFinetuneReport = RunReport<CorpusTrainingRecord>;

type PreparedTraining = Awaited<ReturnType<typeof prepareTraining>>;

/**
 * Trains PEARL's method on a corpus. Checkpoints, metrics and the start model are in `OUTPUT.training` until the
 * model is written.
 * @throws TableError, ModelError, MissingDataError, ArgumentError, TrainingError
 */
export const finetuneOnCorpus = (options: CorpusFinetuneOptions): Promise<CorpusFinetuneReport> =>
  runMethod(options, async (work) => runOf(await prepareTraining(options, work), options));

/** The run of a prepared training. */
export function runOf(
  prepared: PreparedTraining,
  options: CorpusFinetuneOptions,
): PreparedRun<CorpusTrainingRecord> {
  const { settings, pretrained, start, program, data } = prepared;
  const { learningRate, clipNorm, rateFactors, temperature, dropout, typeWeight } = settings;
  const { batchesPerEpoch } = data.facts;
  const average = { own: start.own, share: settings.averageWithBase };
  return {
    ...{ program, data, learningRate },
    steps: options.steps ?? settings.epochs * batchesPerEpoch,
    minutes: options.steps === undefined ? options.minutes : undefined,
    options: (steps) => ({
      schedule: scheduleOf(settings, steps),
      clipNorm: clipNorm > 0 ? clipNorm : undefined,
      optimiser: { rateFactors, ...decayOf(settings) },
      // a run that goes on ends with the average that it began with; evaluations score averaged weights too
      settings: { temperature, dropout, typeWeight, averageWithBase: pretrained && settings.averageWithBase },
    }),
    summary: {
      model: `${pretrained?.name ?? "from scratch"}, ${start.assembled.width} dimensions`,
      data: `${formatCount(data.facts.phrases)} phrases`,
    },
    what: (steps) => `${formatCount(steps)} steps`,
    evaluation: evaluationOn(options.evaluationData, batchesPerEpoch),
    record: (result) => recordOf(prepared, options, result),
    card: corpusCard,
    finish: (weights) => (pretrained ? averagedWithBase(weights, pretrained, average) : weights),
    write: start.write,
  };
}

/**
 * Corpus, start model, graph and batches.
 * @param work a folder for the start model
 * @param plan of a training that does not begin: nothing is mined, and a corpus is built in a folder of the plan
 * @returns `pretrained`: absent for a training from scratch
 */
export async function prepareTraining(
  options: CorpusFinetuneOptions,
  work: string,
  plan?: Pick<CorpusRequest, "buildIn">,
) {
  const { seed = 0, onNote } = options;
  refuseReadingTwice([...(options.contextTexts ?? []), options.pairs, options.types]);
  await checkEvaluation(options.evaluationData);
  const { settings: chosen, base } = await chooseBase(options);
  const settings = await withAvailableCharacters(chosen, options);
  checkSettings(settings);
  // before the corpus, which may take long to build
  if (base && !hasOwnStart(base)) checkTrainable(readModel(base.graph), base);
  const isMined = settings.hardNegatives > 0 && plan === undefined;
  const hardNegatives = isMined ? { encoder: base?.path } : "none";
  const corpus = await readCorpus(await prepareCorpus({ ...options, ...plan, hardNegatives }));
  const phrases = corpus.phrases.map((phrase, row) => [phrase, corpus.counts[row]] as const);
  const types = settings.types === "learned" ? PHRASE_TYPES : [];
  const start = await prepareStart({ base, settings, types, phrases, seed, folder: work });
  const { assembled, labels } = start;
  const contexts = await contextsOf(start, settings, options);
  const { device } = await chooseDevice(options.device ?? "cpu", onNote);
  const reader = await openReader(start.folder, assembled, device);
  const sample = await readPhrases(samplePhrases, reader);
  const program = programOf(start, settings, { sample, seed, types: labels.length });
  checkRateFactors(settings, program);
  const own = Object.fromEntries(batchKeys.map((key) => [key, settings[key]]));
  const { pairs: path, types: typesPath } = options;
  const batchSettings = {
    ...{ types: labels, seed, cells: options.chunkCells, contexts },
    ...(own as Pick<MethodSettings, (typeof batchKeys)[number]>),
    pairs: path === undefined ? undefined : { path, types: typesPath, rows: settings.pairRows },
    inputNames: program.model.graph.inputs.map(({ name }) => name),
  };
  const data = await openCorpusBatches(corpus, batchSettings, reader);
  noteFacts(data, start, onNote);
  // The record holds what was read: at the end of the training its files may have changed.
  const described = base && (await describeBase(settings.base, base));
  return { settings, corpus, start, pretrained: base, described, program, data };
}

/** @throws ArgumentError for settings that are wrong or contradict each other */
function checkSettings(settings: MethodSettings): void {
  const fault = settingsFault(settings);
  if (fault !== undefined) throw new ArgumentError(fault);
  if (settings.meanShares?.meanings && !settings.synonymSides)
    throw new ArgumentError(
      "meanShares.meanings needs synonymSides, which names the sources of pairs that share only their meaning",
    );
}

/** @throws ArgumentError for a factor without a weight of its name */
function checkRateFactors({ rateFactors = {} }: MethodSettings, { model: { graph } }: TrainingProgram): void {
  const odd = Object.keys(rateFactors).find((name) => !graph.initializers.has(name));
  if (odd === undefined) return;
  const names = [...graph.initializers.keys()].filter((name) => name.endsWith(".weight"));
  throw new ArgumentError(
    `rateFactors: there is no weight "${odd}". Among the weights are ${names.join(", ")}`,
  );
}

function programOf(
  { assembled, own }: StartModel,
  settings: MethodSettings,
  given: Pick<PairProgramOptions, "sample" | "seed" | "types">,
): TrainingProgram {
  const { parts, width } = assembled;
  const layout: VectorLayout | undefined =
    own?.layout ?? (parts && { parts: { phrase: [0, parts[0]], characters: [parts[0], width] } });
  const { temperature, typeWeight, dropout } = settings;
  return pairProgram(prepareForTraining(assembled.model), {
    ...{ ...given, width, layout, temperature, typeWeight, dropout, negatives: "none" },
    terms: ([contrast, ...types]) => [
      ...[contrast, ...partTerms(settings, layout), ...types],
      ...wordEncoderTerms(settings, layout, own?.context),
    ],
  });
}

/** The texts, numbered as the encoder numbers its words. */
async function contextsOf(
  { own }: StartModel,
  { contexts }: MethodSettings,
  { contextTexts, onNote, signal }: CorpusFinetuneOptions,
): Promise<CorpusBatchSettings["contexts"]> {
  if (!own || !contexts || contexts.weight <= 0) {
    if (contextTexts !== undefined)
      onNote?.(
        "the texts (--context) have no effect: they are for a base made by pearl pretrain, and settings with contexts (--preset FILE)",
      );
    return undefined;
  }
  if (contextTexts === undefined)
    throw new ArgumentError(
      "these settings train on text too: name the texts of the base's pretraining (--context)",
    );
  const text = await readNumberedText({ texts: contextTexts, onNote, signal });
  const { contextWords, words } = own;
  const known = (all: readonly string[]) => all.slice(0, contextWords).join("\n");
  if (known(text.words) !== known(words))
    throw new ArgumentError("the texts are not those of the base's pretraining: name the same texts");
  return { text, spans: contexts.spans, vocabulary: contextWords };
}

/** The base; if the hub cannot be reached and `otherwise` is given, a start from scratch, with a warning. */
async function chooseBase(
  options: CorpusFinetuneOptions,
): Promise<{ settings: MethodSettings; base: ModelFolder | undefined }> {
  const { settings, onNote } = options;
  if (settings.base === "none") return { settings, base: undefined };
  try {
    const base = await readModelFolder(await locateModel(settings.base, options));
    // an architecture with its own start has a character encoder already
    return { settings: hasOwnStart(base) ? { ...settings, characters: "none" } : settings, base };
  } catch (error) {
    if (options.otherwise === undefined || !isOutOfReach(error as Error)) throw error;
    onNote?.(
      `!! ${settings.base} is not available (${messageOf(error)}).\n` +
        "!! Training a small transformer FROM SCRATCH instead, with the preset from-scratch: it will know far " +
        "less. Name a folder with --base to start from a model of your own.",
    );
    return { settings: { ...options.otherwise, base: "none" }, base: undefined };
  }
}

/** True where the hub gave no answer, or none but that it is in trouble; not for a wrong, damaged or stopped download. */
const isOutOfReach = ({ cause }: Error): boolean =>
  cause instanceof HubError && (cause.facts.status ?? 500) >= 500;

function noteFacts({ facts }: CorpusBatches, { assembled }: StartModel, onNote: RunOptions["onNote"]): void {
  onNote?.(`corpus: ${factsText(facts)}`);
  if (facts.pairs > 0) onNote?.(`more pairs: ${formatCount(facts.pairs)}`);
  const parts = assembled.parts ? ` (${assembled.parts.join(" + ")})` : "";
  onNote?.(`model: ${assembled.width} dimensions${parts}, ${assembled.types.length} types`);
}

/** What training.json holds: enough to run the training again. */
type CorpusTrainingRecord = ReturnType<typeof recordOf>;

function recordOf(
  { settings, described: base, data, start, corpus }: PreparedTraining,
  { pairs, seed = 0, evaluationData }: CorpusFinetuneOptions,
  result: TrainingResult,
) {
  const { facts, pairsFingerprint } = data;
  const own: MethodSettings = { ...settings, base: base?.name ?? settings.base };
  return {
    pearl: packageVersion(),
    /** Name of the ONNX runtime that trained. */
    runtime: loadRuntime().name,
    /** Undefined for a model from scratch. */
    base,
    corpus: { ...facts, name: basename(corpus.folder) },
    /** A table of more pairs. */
    ...(pairs !== undefined &&
      pairsFingerprint !== undefined && {
        pairs: { file: shownName(pairs), fingerprint: pairsFingerprint },
      }),
    settings: own,
    seed,
    model: { dimension: start.assembled.width, types: start.assembled.types.length },
    /** `parts`: the terms of the last loss by name. */
    result: { ...resultOf(result, evaluationOn(evaluationData, 1)), parts: result.last?.parts },
  };
}

function corpusCard(name: string, record: CorpusTrainingRecord): string {
  const { base, corpus, pairs, settings, seed, result, pearl, model } = record;
  const { characters, averageWithBase } = settings;
  const encoder =
    characters === "none" ? "none" : `${characters.from}, ${characters.width ?? "its own"} dimensions`;
  const start = base ? base.name : "scratch";
  const averaged = base !== undefined && averageWithBase < 1;
  return cardText(name, {
    ...phraseModel("this corpus", "pearl", record),
    opening: `Phrase embeddings of ${model.dimension} dimensions, trained with pearl ${pearl} from ${start}.`,
    commands: [
      `pearl encode phrases.csv --model ${name}`,
      ...(model.types > 0 ? [`pearl type "The New York Times" --model ${name}`] : []),
    ],
    training: [
      `method: PEARL (Chen, Varoquaux and Suchanek, 2024): NT-Xent at temperature ${settings.temperature} between phrases and their twins${settings.types === "learned" ? `, cross-entropy of ${model.types} phrase types` : ""}`,
      `corpus: ${corpus.name} (fingerprint ${corpus.fingerprint}), ${factsText(corpus)}`,
      `batch: ${settings.anchors} phrases with ${settings.hardNegatives} hard negatives each, ${settings.synonyms} pairs of synonyms${pairs ? `, ${settings.pairRows} pairs of ${pairs.file}` : ""}`,
      `transformer: ${base ? base.name : transformerFromScratch(settings)}; character encoder: ${encoder}`,
      `${formatCount(result.steps)} steps, learning rate ${settings.learningRate}, dropout ${settings.dropout}, seed ${seed}`,
      averaged && `averaged with the base's weights: ${averageWithBase} of the trained ones`,
    ],
  });
}

/** What a corpus has, for notes and cards. */
const factsText = ({ phrases, typed, withHardNegatives, synonymPairs }: CorpusFacts): string =>
  `${formatCount(phrases)} phrases, ${formatCount(typed)} with a type, ${formatCount(withHardNegatives)} with hard negatives, ${formatCount(synonymPairs)} pairs of synonyms`;

function transformerFromScratch({ shape }: MethodSettings): string {
  const { hidden = 256, layers = 2, vocabulary = 16_000 } = shape;
  if (layers === 0) return "none";
  return `from scratch, ${layers} layers of ${hidden}, ${formatCount(vocabulary)} pieces`;
}

/** The corpus of a training: the user's, or one that is built from WordNet and cached; mined for hard negatives. */
interface PrepareCorpusOptions extends Pick<RunOptions, "onNote" | "threads" | "signal"> {
  /** Folder of a corpus; default: one that is built from WordNet and cached. */
  readonly corpus?: string;
  /** Called during long work before the training: building, mining. */
  readonly onPreparation?: (what: string, done: number, total?: number) => void;
}

interface CorpusRequest extends PrepareCorpusOptions {
  /** Missing hard negatives are mined with this encoder, a folder or hub id; "none": they are not needed. */
  readonly hardNegatives: "none" | { readonly encoder: string | undefined };
  /** Where WordNet's corpus is built if the cache has none; default: in the cache. */
  readonly buildIn?: string;
}

/** The cache of WordNet's corpus. */
const defaultCorpusFolder = (): string => cachePath("corpus-wordnet");

/**
 * Finds, builds and mines as needed.
 * @returns the folder of the corpus
 * @throws MissingDataError if the named folder is no corpus; TableError
 */
async function prepareCorpus(request: CorpusRequest): Promise<string> {
  const { corpus, hardNegatives, onNote } = request;
  const folder = corpus ?? (await wordnetCorpus(request));
  await readManifest(folder);
  if (hardNegatives === "none" || (await exists(join(folder, CORPUS_FILES.hardNegatives)))) return folder;
  onNote?.(`${folder} has no hard negatives yet: mining them as pearl mine does`);
  const { threads, signal, onPreparation } = request;
  const { negatives, path } = await withEncoder(
    undefined,
    { source: hardNegatives.encoder, threads, signal },
    (encoder) =>
      mineCorpus(folder, {
        ...{ encoder, threads, signal, onNote },
        onProgress: ({ step, done, total }) => onPreparation?.(step, done, total),
      }),
  );
  onNote?.(`${formatCount(negatives)} hard negatives, in ${path}`);
  return folder;
}

async function wordnetCorpus(request: CorpusRequest): Promise<string> {
  const { onNote, onPreparation, threads, signal, buildIn } = request;
  const cached = defaultCorpusFolder();
  if (await exists(join(cached, CORPUS_FILES.manifest))) {
    onNote?.(`no corpus was named: using WordNet's, from ${cached}`);
    return cached;
  }
  const output = buildIn ?? cached;
  onNote?.(`no corpus was named: building one from WordNet, in ${output}`);
  await buildCorpus({
    ...{ output, wordnet: "included", threads, signal, onNote },
    onProgress: (stage, done, total) => onPreparation?.(stage, done, total),
  });
  return output;
}

/** What a training on a corpus would do: its settings, sizes and steps, without training. */
export type TrainingPlan = Awaited<ReturnType<typeof planTraining>>;

/**
 * Prepares a training in a temporary folder, takes a few steps, and leaves nothing behind.
 * @throws the errors of a training before its first step
 */
export async function planTraining(options: CorpusFinetuneOptions) {
  options.signal?.throwIfAborted();
  return inTemporaryFolder(async (work) => {
    const before: string[] = [];
    const buildIn = join(work, "corpus");
    const prepared = await prepareTraining(options, work, { buildIn });
    const { settings, corpus } = prepared;
    if (corpus.folder === buildIn) before.push(`a corpus is built from WordNet, in ${defaultCorpusFolder()}`);
    if (settings.hardNegatives > 0 && !(await exists(join(corpus.folder, CORPUS_FILES.hardNegatives))))
      before.push("hard negatives are mined; neither the times nor the measured batches include this");
    const { start, data, pretrained } = prepared;
    const rows = data.describe(0);
    return {
      ...(await planRun(runOf(prepared, options), options)),
      settings,
      /** The paper's settings beside these. */
      paper: departures(settings),
      /** The transformer: a pretrained one's name, or "from scratch". */
      base: pretrained?.name ?? "from scratch",
      corpus: data.facts,
      dimension: start.assembled.width,
      /** Number of phrase types that are learned. */
      types: start.assembled.types.length,
      /** Pairs of phrases in the first batch. */
      pairsPerBatch: rows.length,
      /** Fraction of them with two equal phrases. */
      unchanged: rows.filter(({ text, positive }) => text === positive).length / rows.length,
      /** Work that comes first, such as mining. */
      before,
    };
  });
}
