/** Fine-tuning an encoder on a table of pairs: model folder in, model folder out. */
import { type ModelFolder, readModelFolder } from "../../architectures/model-folder.js";
import { DEFAULT_MODEL, soleArchitecture } from "../../architectures/registry.js";
import { ArgumentError } from "../../errors.js";
import { formatCount } from "../../files/count-text.js";
import { packageVersion } from "../../files/package.js";
import { locateModel } from "../../hub/locate.js";
import { type ObjectiveSettings, settingsOf as objectiveSettings } from "../../objectives/objective.js";
import { type ObjectiveName, objectiveNamed } from "../../objectives/registry.js";
import { dropoutSeed } from "../../onnx/rewrite/dropout.js";
import { openReader, readPhrases, samplePhrases } from "../../pearl/contrastive-batch.js";
import { pairProgram, prepareForTraining } from "../../pearl/loss/program.js";
import { pearlSchedule, pearlSmall } from "../../pearl/presets.js";
import { createRandom } from "../../random.js";
import { chooseDevice } from "../../runtime/devices/choose-device.js";
import { loadRuntime } from "../../runtime/onnx-runtime.js";
import { type AdamOptions, adamSettings } from "../../training/optimiser/adam.js";
import type { PreparedRun, RunOptions, RunPlan, RunRecord, RunReport } from "../../training/run.js";
import { planRun, resultOf, runMethod } from "../../training/run.js";
import { checkEvaluation, evaluationOn } from "../benchmark-score.js";
import type { CorpusFinetuneOptions } from "../corpus/corpus-finetune.js";
import {
  decayOf,
  type MethodSchedule,
  scheduleOf,
  type UpdateSettings,
} from "../settings/method-settings.js";
import {
  averagedWithBase,
  type BaseModel,
  cardText,
  describeBase,
  phraseModel,
  startOfBase,
} from "../start-model.js";
import { evaluationOf, heldOutChart, heldOutOf, type SplitPairs, splitPairs } from "./held-out.js";
import { createPairData, type PairData } from "./pair-data.js";
import { fingerprintOf, type Pair, type PairSource, readSources, type SourceTable } from "./pairs.js";
import type { Teacher, TeacherRecord } from "./teacher.js";
import { agreementOn, checkTeacher, isImitation, teacherFor } from "./teacher.js";
import type { ChosenObjective, PhraseView, PunctuationSettings } from "./views.js";
import { cutsOf, punctuationSettings, viewNames, withObjective } from "./views.js";

type Shared = "types" | "steps" | "minutes" | "chunkCells" | "evaluationData" | "onDownload";

/** Options of {@link finetune}: the model to start from, the pairs, and the training's settings. */
export interface FinetuneOptions extends RunOptions, Pick<CorpusFinetuneOptions, Shared>, UpdateSettings {
  /** Folder or hub id of the model to start from; its weights are float32. Default pearl-mini. */
  readonly base?: string;
  /**
   * Table of pairs: columns text and positive, optionally negative, type, label and score; or several, each with a weight.
   * Phrases alone (a column text) are enough for a view, and for the objective "distill".
   */
  readonly pairs: string | readonly PairSource[];
  /**
   * Folder or hub id of a larger model, or several, whose cosines are averaged. The objectives "distill" and "margin-mse"
   * imitate it; others take phrases that it finds nearer than the positive as false negatives (GISTEmbed). Default: there
   * is none.
   */
  readonly teacher?: string | readonly string[];
  /**
   * Shorter lengths of the embedding that are trained too, as prefixes, and recorded in config.json (Matryoshka). Default:
   * those that the base records.
   */
  readonly dims?: readonly number[];
  /** The loss; docs/objectives.md says which needs what data. Default "nt-xent", and "distill" with a teacher. */
  readonly objective?: ObjectiveName;
  /** Settings of the objective that differ from its defaults. */
  readonly objectiveSettings?: ObjectiveSettings;
  /** How the second view of a phrase is made; the table may then have phrases alone. Default: no view. */
  readonly view?: PhraseView;
  /** Of the view punctuation. */
  readonly punctuation?: Partial<PunctuationSettings>;
  /**
   * Fraction of the pairs that is held out, or a table of other pairs; of the weights at the start, on the way and at the
   * end, those are written that find the positives of held-out pairs best. 0: none. Default: a tenth of at least 200 pairs,
   * at most 1,000.
   */
  readonly validate?: number | string;
  /** Passes over the pairs (of several tables: as often as their weights say), unless `steps` or `minutes` is given; default 2, and as many as make 100 steps, or 200 with held-out pairs. */
  readonly epochs?: number;
  /** Pairs in a batch at most; default a thirtieth of all, from 32 to 512, and 32 for the view punctuation. */
  readonly batchSize?: number;
  /** Default: that of the architecture, 6e-4 for pearl-mini, 3e-5 for a transformer, 1e-3 for a character encoder. */
  readonly learningRate?: number;
  /** Default PEARL's: × 0.98 every 2,000 steps, without a warm-up. */
  readonly schedule?: MethodSchedule;
  /** The objective's temperature; NT-Xent's default is 0.07. */
  readonly temperature?: number;
  /** Fraction of the transformer's inner values that is dropped in training; default 0, and 0.1 for the view dropout. */
  readonly dropout?: number;
  /** Default: Adam (AdamW with a decay of 0.01 for the view punctuation), with four times the rate for pearl-mini's tables. */
  readonly optimiser?: AdamOptions;
  /** Default: gradients are not clipped. */
  readonly clipNorm?: number;
  /**
   * Weight of the trained model in an average with the base; PEARL's is 0.5. Default: 1 or 0.5, whichever ranks held-out
   * pairs better, and 1 where none are held out.
   */
  readonly averageWithBase?: number;
}

type PlanOptions = Omit<FinetuneOptions, "output">;

/** What training.json holds: enough to run the training again. */
export interface TrainingRecord extends RunRecord {
  /** Name of the ONNX runtime that trained. */
  readonly runtime: string;
  readonly base: BaseModel;
  readonly data: ReturnType<typeof dataRecord>;
  readonly settings: FinetuneSettings;
}

/** The options that decide the weights, defaults filled in. */
type FinetuneSettings = ReturnType<typeof settingsOf> & { readonly teacher?: TeacherRecord };

/** The model folder that {@link finetune} wrote, and the record of its training. */
export type FinetuneReport = RunReport<TrainingRecord>;

/**
 * Fine-tunes a model on pairs. Checkpoints and metrics are in `OUTPUT.training` until the model is written.
 * @throws TableError, ModelError, ArgumentError, TrainingError
 */
export const finetune = (options: FinetuneOptions): Promise<FinetuneReport> =>
  runMethod(options, () => prepareRun(options));

/** What {@link finetune} would do, measured on a few steps; writes nothing. */
export async function planFinetune(options: PlanOptions): Promise<RunPlan> {
  options.signal?.throwIfAborted();
  return planRun(await prepareRun(options), options);
}

/** Tables, types and pairs that are held out. @throws ArgumentError for one type alone */
async function readData(options: PlanOptions, objective: ChosenObjective) {
  const isImitated = isImitation(objective.name);
  const judged = isImitated ? "by teacher" : "by rank";
  const alone = objective.name === "distill" ? "none" : "column";
  const wanted = {
    objective: objective.name,
    positives: options.view === undefined ? alone : "view",
  } as const;
  const tables = await readSources(options.pairs, { ...wanted, typesPath: options.types });
  const all = tables.flatMap(({ pairs }) => pairs);
  const types = [...new Set(all.map(({ type }) => type))].filter((type) => type !== "").sort();
  if (types.length === 1)
    throw new ArgumentError(
      `all types are "${types[0]}": give at least two, or leave types out (--set types=none)`,
    );
  const { validate, evaluationData, seed = 0 } = options;
  if (typeof validate === "string") {
    const split = await heldOutOf(validate, tables, { judged, ...(isImitated && wanted) });
    return { tables, types, judged, split };
  }
  const fraction = evaluationData === undefined ? validate : 0;
  const split = splitPairs(tables, { fraction, random: createRandom(seed), judged });
  return { tables, types, judged, split };
}

async function prepareRun(options: PlanOptions): Promise<PreparedRun<TrainingRecord>> {
  await checkEvaluation(options.evaluationData);
  const objective = objectiveOf(options);
  const { tables, types, judged, split } = await readData(options, objective);
  const { heldOut } = split;
  const base = await readModelFolder(await locateModel(options.base, options));
  const trained = tables.map((table, source) => ({ ...table, pairs: split.trained[source] }));
  const inPass = trained.reduce((sum, { pairs, weight }) => sum + weight * pairs.length, 0);
  const counts = { trained: inPass, heldOut: heldOut.length };
  const chosen = settingsOf(base, objective, counts, options);
  const judge = judged === "by teacher" ? heldOut : [];
  const prepared = await prepare(base, { tables: trained, judge }, types, chosen, options);
  const { start, program, data, teacher } = prepared;
  const settings: FinetuneSettings = { ...chosen, ...(teacher && { teacher: teacher.record }) };
  noteData({ tables, data, split }, options, settings);
  const { view, punctuation, dropout, learningRate, clipNorm, chunkCells, optimiser } = settings;
  const described = await describeBase(options.base ?? DEFAULT_MODEL, base);
  const { batchesPerEpoch } = data;
  const steps = options.steps ?? batchesPerEpoch * (settings.epochs ?? 1);
  const evaluation =
    evaluationOn(options.evaluationData, batchesPerEpoch) ??
    evaluationBy(judged === "by teacher" ? teacher : undefined, { tables, split }, settings);
  const factors = [...new Set(Object.values(optimiser.rateFactors ?? {}))];
  return {
    ...{ program, data, learningRate, steps, evaluation },
    minutes: options.steps === undefined ? options.minutes : undefined,
    summary: {
      model: `${base.name}, ${start.assembled.width} dimensions`,
      data: `${tables.map(summaryOf).join("; ")}, ${heldOutText(split)}, up to ${formatCount(settings.batchSize)} in a batch`,
      loss: lossText(settings),
      ...(factors.length > 0 && {
        rates: `${learningRate}, of tables ${factors.join(" or ")} times as large`,
      }),
    },
    options: (steps) => ({
      ...{ schedule: scheduleOf(settings, steps), optimiser, clipNorm },
      settings: {
        ...{ base: described.fingerprint, objective, view, punctuation, dropout, chunkCells },
        ...{ teacher: settings.teacher, dims: settings.dims },
        heldOut: split.fingerprint ?? heldOut.length,
        averageWithBase: settings.averageWithBase,
      },
    }),
    what: () => base.name,
    record: (result) => ({
      ...{ pearl: packageVersion(), runtime: loadRuntime().name, base: described },
      data: dataRecord(tables, types, split),
      ...{ settings, result: resultOf(result, evaluation) },
    }),
    texts: ({ result }) => heldOutChart(result),
    card: (name, record) => fineTuningCard(name, record, base),
    finish: (weights, share = settings.averageWithBase) =>
      averagedWithBase(weights, base, { own: start.own, share }),
    write: start.write,
  };
}

/** Held-out pairs judged by a teacher that is imitated, else by the ranks of their positives. */
function evaluationBy(
  teacher: Teacher | undefined,
  { tables, split }: Omit<ReadData, "data">,
  { objective: { settings }, averageWithBase: share }: FinetuneSettings,
) {
  if (teacher) return agreementOn(split.heldOut, teacher, { share });
  const temperature = Number(settings.temperature ?? 0.07);
  return evaluationOf(split.heldOut, { temperature, share, names: namesOf(tables, split) });
}

/** The names of several sources whose held-out pairs are ranked apart. */
const namesOf = (tables: readonly SourceTable[], { file }: SplitPairs): readonly string[] | undefined =>
  tables.length > 1 && file === undefined ? tables.map(({ name }) => name) : undefined;

/** What training.json says of the data. */
function dataRecord(tables: readonly SourceTable[], types: readonly string[], { heldOut, file }: SplitPairs) {
  const pairs = tables.flatMap((table) => table.pairs);
  const sum = (of: "empty" | "repeated") => tables.reduce((total, table) => total + table[of], 0);
  const sources = tables.map(({ name, weight, fingerprint, ...table }, at) => ({
    ...{ file: name, weight, fingerprint, pairs: table.pairs.length },
    heldOut: file === undefined ? heldOut.filter(({ source }) => source === at).length : 0,
  }));
  return {
    file: tables.map(({ name }) => name).join(", "),
    ...{ fingerprint: fingerprintOf(tables), pairs: pairs.length },
    ...{ empty: sum("empty"), repeated: sum("repeated"), heldOut: heldOut.length },
    /** The table of the held-out pairs; default: `file`. */
    heldOutOf: file,
    withNegative: pairs.filter(({ negative }) => negative !== "").length,
    withType: pairs.filter(({ type }) => type !== "").length,
    types,
    /** Where there are several tables. */
    ...(tables.length > 1 && { sources }),
  };
}

async function prepare(
  base: ModelFolder,
  { tables, judge }: { readonly tables: readonly SourceTable[]; readonly judge: readonly Pair[] },
  types: readonly string[],
  settings: ReturnType<typeof settingsOf>,
  options: PlanOptions,
) {
  const { device: wanted = "cpu", onNote } = options;
  const { objective, view, seed, dropout, dims } = settings;
  const pairs = tables.flatMap((table) => table.pairs);
  const start = await startOfBase(base, { types, seed, dims });
  const { assembled, own, labels } = start;
  const reader = await openReader(base, assembled, (await chooseDevice(wanted, onNote)).device);
  const negatives = pairs.some(({ negative }) => negative !== "") ? "used" : "none";
  if (negatives === "used" && view === "punctuation")
    throw new ArgumentError(
      "the view punctuation takes the place of hard negatives: leave out the column negative",
    );
  const shape = { width: assembled.width, layout: own?.layout, negatives } as const;
  const scores = pairs.some(({ score }) => score !== undefined) ? "used" : "none";
  const [from, to] = own?.layout.embedding ?? [0, assembled.width];
  checkDims(settings, to - from);
  const teacher = await teacherFor({ ...options, teachers: teachersOf(options) }, settings, {
    ...{ base: base.path, pairs: [...pairs, ...judge] },
    width: to - from,
    scores,
  });
  if (settings.batchSize === 1 && objective.name !== "distill" && negatives === "none" && scores === "none")
    throw new ArgumentError(
      "--batch-size 1 leaves nothing to compare a phrase with, as the other pairs of a batch are the negatives: give at least 2",
    );
  const program = pairProgram(prepareForTraining(assembled.model), {
    ...{ sample: await readPhrases(samplePhrases, reader), types: labels.length, dropout, seed, ...shape },
    // NT-Xent's; other objectives have their own
    temperature: Number(objective.settings.temperature ?? 1),
    terms: withObjective({ ...settings, ...shape, scores, teacher: teacher?.record }),
  });
  const inputNames = program.model.graph.inputs.map(({ name }) => name);
  if (view === "dropout" && !inputNames.includes(dropoutSeed))
    throw new ArgumentError(
      `the view dropout needs a model with a transformer and a dropout above 0: without, both views of a phrase are ` +
        `equal. Use --view cutoff for ${base.name}, or give it dropout: --set dropout=0.1.`,
    );
  const fingerprint = fingerprintOf(tables);
  const given = { ...settings, types: labels, negatives, fingerprint, inputNames, teacher } as const;
  return { start, program, teacher, data: await createPairData(tables, reader, given) };
}

const heldOutText = ({ heldOut, file }: SplitPairs): string =>
  heldOut.length === 0
    ? "none held out"
    : `${formatCount(heldOut.length)} ${file === undefined ? "of them" : `of ${file}`} held out`;

const summaryOf = ({ summary, weight }: SourceTable): string =>
  weight === 1 ? summary : `${summary}, weight ${weight}`;

interface ReadData {
  readonly tables: readonly SourceTable[];
  readonly data: PairData;
  readonly split: SplitPairs;
}

function noteData(
  { tables, data, split }: ReadData,
  { onNote }: Pick<FinetuneOptions, "onNote">,
  { batchSize, objective, view }: FinetuneSettings,
): void {
  const { truncated, connected } = data;
  const counted = (what: string, count: number) => count > 0 && onNote?.(`${what}: ${formatCount(count)}`);
  for (const [source, table] of tables.entries()) {
    onNote?.(summaryOf(table));
    counted(`rows left out because ${table.needed} is empty`, table.empty);
    counted("rows left out because an earlier row is the same", table.repeated);
    if (split.file !== undefined)
      counted(
        `pairs left out because ${split.file} has them`,
        table.pairs.length - split.trained[source].length,
      );
    for (const column of table.unread)
      onNote?.(`the objective ${objective.name} does not read the column ${column}`);
    if (table.mapped) onNote?.(`scores from ${table.mapped.join(" to ")} are mapped to 0 to 1`);
    if (table.pairs.length < batchSize)
      onNote?.(`all ${table.pairs.length} pairs make one batch, fewer than the batch size of ${batchSize}`);
  }
  const pairs = tables.flatMap((table) => table.pairs);
  const whole = pairs.filter(({ positive }) => view === "cutoff" && cutsOf(positive).length === 1);
  counted("phrases of one word, which cutoff leaves as they are", whole.length);
  counted("phrases truncated to the length that the model reads", truncated);
  if (connected > 0.2 && pairs.length > batchSize)
    onNote?.(
      `${Math.round(100 * connected)} % of the pairs are connected by phrases that they share, and connected phrases are ` +
        "not negatives of each other. Leave out pairs of phrases with several meanings, which connect unrelated ones.",
    );
}

/** @throws ArgumentError for lengths that the embedding does not have */
function checkDims({ dims = [] }: Pick<FinetuneSettings, "dims">, width: number): void {
  if (dims.every((length) => Number.isInteger(length) && length >= 1 && length <= width)) return;
  throw new ArgumentError(
    `--dims ${dims.join(",")}: the model has ${width} dimensions. Give whole numbers from 1 to ${width}.`,
  );
}

const teachersOf = ({ teacher = [] }: PlanOptions): readonly string[] => [teacher].flat();

/** @throws ArgumentError for an unknown objective, setting, view, or an objective without its teacher */
function objectiveOf(options: PlanOptions): ChosenObjective {
  const { temperature, view } = options;
  const teachers = teachersOf(options);
  const { objective: name = teachers.length === 0 ? "nt-xent" : "distill" } = options;
  if (view !== undefined && !viewNames.includes(view))
    throw new ArgumentError(`there is no view "${view}". Views: ${viewNames.join(", ")}.`);
  const given = { ...(temperature !== undefined && { temperature }), ...options.objectiveSettings };
  const settings = objectiveSettings(name, objectiveNamed(name), given);
  checkTeacher(name, teachers);
  if (view === "mixup" && isImitation(name))
    throw new ArgumentError(
      "the view mixup mixes vectors of two phrases, and the teacher has none of the mixture. Choose another view.",
    );
  return { name, settings };
}

/** Steps at least, where nothing sets their number: the pairs are repeated, and held-out pairs end what is too long. */
const leastSteps = { heldOut: 200, none: 100 };

/** All settings of a training on so many pairs. */
export function settingsOf(
  { pooling, features, dimension, dims: recorded }: ModelFolder,
  objective: ChosenObjective,
  { trained: pairs, heldOut }: Readonly<Record<"trained" | "heldOut", number>>,
  options: PlanOptions,
) {
  const { steps, minutes, view, averageWithBase, chunkCells, warmUp, dims = recorded } = options;
  const { rate, factors } = soleArchitecture(features)?.learning ?? { rate: pearlSmall.learningRate };
  const { learningRate = rate, schedule = pearlSchedule, seed = 0 } = options;
  const isPunctuated = view === "punctuation";
  // EdaCSE's, with its batches of 32
  const { weightDecay = isPunctuated ? 0.01 : undefined } = options;
  const { batchSize = isPunctuated ? 32 : Math.min(512, Math.max(32, Math.floor(pairs / 30))) } = options;
  const least = leastSteps[heldOut > 0 ? "heldOut" : "none"];
  const passes = Math.max(pearlSmall.epochs, Math.ceil(least / Math.ceil(pairs / batchSize)));
  const epochs = steps === undefined && minutes === undefined ? (options.epochs ?? passes) : undefined;
  // the views by dropout have SimCSE's
  const { dropout = view === "dropout" || isPunctuated ? 0.1 : 0 } = options;
  const punctuation = isPunctuated ? punctuationSettings(options.punctuation) : undefined;
  return {
    ...{ epochs, batchSize, learningRate, schedule, warmUp, objective, view, dropout },
    ...(punctuation && { punctuation }),
    ...(dims && { dims: [...new Set(dims)].filter((one) => one !== dimension).sort((a, b) => a - b) }),
    optimiser: adamSettings({ rateFactors: factors, ...decayOf({ weightDecay }), ...options.optimiser }),
    ...{ clipNorm: options.clipNorm || undefined, averageWithBase, pooling, seed, chunkCells },
  };
}

/** The loss in words, for the card. */
function lossText({ objective: { name, settings }, view, teacher, dims = [] }: FinetuneSettings): string {
  const use = isImitation(name) ? "teacher" : "false negatives masked by";
  const seen =
    (view === undefined ? "" : `, second view by ${view}`) +
    (teacher === undefined ? "" : `, ${use} ${teacher.name} (${teacher.dimension} dimensions)`) +
    (dims.length === 0 ? "" : `, mean over the first ${dims.join(", ")} and all dimensions`);
  if (name === "nt-xent")
    return `NT-Xent in both directions at temperature ${settings.temperature}, equal and connected phrases masked${seen}`;
  const list = Object.entries(settings).map(([setting, value]) => `${setting} ${value}`);
  return `${name}${list.length > 0 ? ` (${list.join(", ")})` : ""}${seen}`;
}

/** README.md of the model. @param base the model that the training started from */
export function fineTuningCard(
  name: string,
  record: TrainingRecord,
  { features, pooling, oddModule }: ModelFolder,
): string {
  const { base, data, settings, result, pearl } = record;
  const { dims = [] } = settings;
  // the other library pools in these ways alone, and adds no module
  const isPlain = oddModule === undefined && ["mean", "cls"].includes(pooling);
  const library = isPlain ? soleArchitecture(features)?.library : undefined;
  const share = result.best?.share ?? settings.averageWithBase ?? 1;
  return cardText(name, {
    ...phraseModel("these pairs", library ?? "pearl", record),
    opening: `Phrase embeddings, fine-tuned from ${base.name} with pearl ${pearl}.`,
    commands: ["", ...dims.slice(0, 1).map((length) => ` --dims ${length}`)].map(
      (cut) => `pearl encode phrases.csv --model ${name}${cut}`,
    ),
    use: library
      ? `Or with ${library}: \`pipeline("feature-extraction", "${name}", { dtype: "fp32" })\`, pooling
"${settings.pooling}", normalised.`
      : `Or in Node, with pearl-embeddings: \`await PhraseEncoder.load("./${name}")\`.`,
    training: [
      `data: ${data.file}, ${formatCount(data.pairs)} pairs of phrases (fingerprint ${data.fingerprint}); ${formatCount(data.withNegative)} with a hard negative, ${formatCount(data.withType)} with one of ${data.types.length} types; ${formatCount(data.heldOut)} ${data.heldOutOf === undefined ? "" : `of ${data.heldOutOf} `}held out`,
      data.sources !== undefined &&
        `sources: ${data.sources.map(({ file, pairs, weight }) => `${file} (${formatCount(pairs)} pairs, weight ${weight})`).join(", ")}, mixed in every batch`,
      `left out: ${formatCount(data.empty)} rows with an empty cell, ${formatCount(data.repeated)} repeated rows`,
      `loss: ${lossText(settings)}${data.types.length > 0 ? ", and cross-entropy of the phrase types" : ""}`,
      `${settings.epochs === undefined ? "" : `${settings.epochs} epochs in `}batches of ${settings.batchSize} pairs, ${result.steps} steps, learning rate ${settings.learningRate}, seed ${settings.seed}`,
      result.evaluations?.[0].figures !== undefined && "held-out pairs by step: [training.svg](training.svg)",
      share < 1 && `averaged with the base's weights: ${share} of the trained ones`,
    ],
  });
}
