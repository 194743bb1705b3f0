/** What a training starts from: a transformer from a folder or from scratch, a character encoder, a type head. */
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { stringify } from "yaml";
import {
  type Assembled,
  type CountedPhrases,
  dimsSection,
  type ModelFolder,
  type ModelPart,
  type PartSettings,
  type TrainingStart,
} from "../architectures/architecture.js";
import { assembleModel } from "../architectures/compose.js";
import { readModelFolder } from "../architectures/model-folder.js";
import {
  architectureWith,
  classNameOf,
  filesOf,
  newPart,
  partNames,
  readPart,
  soleArchitecture,
} from "../architectures/registry.js";
import { typeHead } from "../architectures/type-head.js";
import { countBy } from "../by-key.js";
import { FINE_PHRASE_TYPES } from "../corpus/typing/fine-types.js";
import { ArgumentError, ModelError } from "../errors.js";
import { fileFingerprint } from "../files/checksums/fingerprint.js";
import { writeModelFolder } from "../files/sealed-folder.js";
import { exists, writeWholeJson } from "../files/whole-file.js";
import { checkIsFree, copyPresent } from "../files/whole-folder.js";
import { companionFiles } from "../hub/convert/import-model.js";
import { embeddedModels, locateModel } from "../hub/locate.js";
import { readModelCard } from "../hub/model-card.js";
import { untieInitializers } from "../onnx/graph.js";
import { readModel, writeModel } from "../onnx/io/file.js";
import type { Model } from "../onnx/model.js";
import type { Tensor } from "../onnx/tensor.js";
import { prepareForTraining } from "../pearl/loss/program.js";
import { PHRASE_TYPES } from "../pearl/phrase-types.js";
import { averageWeights } from "../pearl/presets.js";
import { gainText, type PreparedRun, type RunRecord, type RunResult, weightsText } from "../training/run.js";
import { charactersFolder } from "./settings/choices.js";
import type { MethodSettings } from "./settings/method-settings.js";

interface StartOptions {
  /** Absent: from scratch. */
  readonly base?: ModelFolder;
  readonly settings: MethodSettings;
  readonly types: readonly string[];
  /** Distinct phrases of the corpus with their counts. */
  readonly phrases: CountedPhrases;
  readonly seed: number;
  readonly folder: string;
}

export interface StartModel {
  readonly assembled: Assembled;
  /** The same as a folder, with everything that reads phrases. */
  readonly folder: ModelFolder;
  /** The types that are learned: those asked for, or all that an architecture's own type head covers. */
  readonly labels: readonly string[];
  readonly write: PreparedRun<RunRecord>["write"];
  /** What else the training needs of an architecture with its own start. */
  readonly own?: TrainingStart;
}

/** A base as it is. @param options.dims shorter lengths of the embedding that are trained too @throws ModelError if it cannot be trained; ArgumentError for types that it cannot learn */
export async function startOfBase(
  base: ModelFolder,
  { types, seed, dims }: Pick<StartOptions, "types" | "seed"> & { readonly dims?: readonly number[] },
): Promise<StartModel> {
  const architecture = soleArchitecture(base.features);
  if (architecture?.start) {
    const own = await architecture.start(base, {
      seed,
      dims,
      types: PHRASE_TYPES,
      fineTypes: FINE_PHRASE_TYPES,
    });
    const { assembled } = own;
    const unknown = types.find((type) => !assembled.types.includes(type));
    if (unknown !== undefined)
      throw new ArgumentError(
        `"${unknown}" is not one of the ${assembled.types.length} types of ${base.name} (such as ` +
          `${assembled.types[0]}). Use its types, leave types out (--set types=none), or train a transformer (--base).`,
      );
    const labels = types.length > 0 ? assembled.types : types;
    return { assembled, own, labels, folder: base, write: own.write };
  }
  const model = readModel(base.graph);
  checkTrainable(model, base);
  return startOf({ ...assembleModel({ base: { folder: base, model }, types, seed }), dims }, base, types);
}

/** The record of a base: a hub id as it was given, but only the name of a folder (paths mean nothing elsewhere). */
export async function describeBase(given: string, { path, name, graph }: ModelFolder) {
  const { licence } = await readModelCard(path);
  return {
    /** A hub id, or a folder's name. */
    name: (await exists(given)) ? name : given,
    /** Of its graph. */
    fingerprint: await fileFingerprint(graph),
    ...(licence && { licence }),
  };
}

/** Trained weights, or their average with the base's without the type head. @param share weight of the trained ones */
export function averagedWithBase(
  trained: ReadonlyMap<string, Tensor>,
  base: ModelFolder,
  { own, share = 1 }: Pick<StartModel, "own"> & { readonly share?: number },
): ReadonlyMap<string, Tensor> {
  if (share >= 1) return trained;
  const { initializers } = own ? own.assembled.model.graph : prepareForTraining(readModel(base.graph)).graph;
  const encoder = new Map([...initializers].filter(([name]) => !name.startsWith(`${typeHead}.`)));
  return averageWeights(trained, encoder, { share });
}

/** @throws ModelError for a base that cannot be trained; ArgumentError if nothing is left to train */
export async function prepareStart(options: StartOptions): Promise<StartModel> {
  const { settings, types, phrases, seed } = options;
  const folder = join(options.folder, "start");
  await rm(folder, { recursive: true, force: true });
  if (options.base && hasOwnStart(options.base)) {
    const start = await startOfBase(options.base, { types, seed });
    await start.write(folder, new Map());
    return { ...start, folder: await readModelFolder(folder) };
  }
  const base = options.base ?? (await scratchBase(options));
  const characters = settings.characters === "none" ? undefined : await partOf(settings.characters, phrases);
  if (base === undefined && characters === undefined)
    throw new ArgumentError("there is nothing to train: use at least one layer or a character encoder");
  const model = base && readModel(base.graph);
  if (model) checkTrainable(model, base);
  const assembled = assembleModel({
    base: model && { folder: base, model },
    ...{ characters, types, seed },
    blocks: settings.blocks === "as-they-come" ? undefined : settings.blocks,
  });
  await writeTrainedModel(folder, { base, assembled, weights: new Map() });
  return startOf(assembled, await readModelFolder(folder), types);
}

const startOf = (assembled: Assembled, folder: ModelFolder, labels: readonly string[]): StartModel => ({
  ...{ assembled, labels, folder },
  write: (target, weights, texts) => writeTrainedModel(target, { base: folder, assembled, weights, texts }),
});

/** True for an architecture that brings all parts of a model itself. */
export const hasOwnStart = ({ features }: ModelFolder): boolean =>
  soleArchitecture(features)?.start !== undefined;

async function scratchBase({ settings, phrases, seed, folder: work }: StartOptions) {
  if (settings.shape.layers === 0) return undefined;
  const folder = join(work, "scratch");
  await rm(folder, { recursive: true, force: true });
  await architectureWith("scratch").scratch(folder, { ...settings.shape, phrases, seed });
  return readModelFolder(folder);
}

/** @throws ModelError if a base has int8 weights or none: training would change only their scales */
export function checkTrainable({ graph }: Model, { path }: ModelFolder): void {
  const tables = [...graph.initializers.values()].filter(({ data }) => data.length > 1);
  if (tables.some(({ type }) => type === "float32") && !tables.some(({ type }) => type === "int8")) return;
  throw new ModelError(`${path} has no weights that can be trained. Start from a full-precision model.`);
}

/** @throws ArgumentError for an unknown name; ModelError for a folder without a character encoder */
async function partOf(settings: PartSettings, phrases: CountedPhrases): Promise<ModelPart> {
  const made = await newPart(settings, phrases);
  if (made !== undefined) return made;
  const isEmbedded = (await embeddedModels()).includes(settings.from);
  const from = isEmbedded ? await locateModel(settings.from) : charactersFolder(settings.from);
  if (!(await exists(from)))
    throw new ArgumentError(
      `"${settings.from}" is no character encoder: use ${partNames().join(", ")}, or the folder of a pretrained one`,
    );
  return readPart(await readModelFolder(from), settings);
}

/**
 * Writes a model of one new part, untrained, as a folder that a training can start from.
 * @param settings `from` names a part of an architecture: pearl's own or a registered one
 * @throws ArgumentError for an unknown name, or if the folder exists
 */
export async function createModel(
  folder: string,
  settings: PartSettings,
  { phrases, seed = 0 }: { readonly phrases: readonly string[]; readonly seed?: number },
): Promise<void> {
  await checkIsFree(folder);
  const part = await newPart(
    settings,
    countBy(phrases, (phrase) => phrase),
  );
  if (part === undefined)
    throw new ArgumentError(`no architecture has a part "${settings.from}". Register it first.`);
  await writePart(folder, part, { seed, weights: new Map() });
}

/** Files that belong to a model beside its graph and config.json. */
const companionsOf = ({ features }: ModelFolder): string[] => [
  ...filesOf(features),
  ...["sentencepiece.bpe.model", "spiece.model"],
  ...companionFiles,
];

interface TrainedModel {
  /** Its tokenizer, configuration and licence are copied; absent: the model has no transformer. */
  readonly base?: ModelFolder;
  /** The graph with its first weights. */
  readonly assembled: Assembled;
  /** By name of the initializer, in its layout; other initializers keep their values. */
  readonly weights: ReadonlyMap<string, Tensor>;
  readonly texts?: Readonly<Record<string, string>>;
}

/** Writes a model of one part. @param options.seed of weights that are missing */
export function writePart(
  folder: string,
  part: ModelPart,
  { seed, ...model }: Omit<TrainedModel, "assembled"> & { readonly seed: number },
): Promise<void> {
  const assembled = assembleModel({ characters: part, types: [], seed });
  return writeTrainedModel(folder, { assembled, ...model });
}

/** @throws ModelError if the folder cannot be written, ArgumentError if it exists */
export function writeTrainedModel(
  folder: string,
  { base, assembled, weights, texts = {} }: TrainedModel,
): Promise<void> {
  const { width: dimension, features, types, section, files, dims } = assembled;
  // the name is that of the folder, and prefixes that were not trained no longer hold
  const {
    name: _,
    matryoshka_dimensions: __,
    ...config
  } = base?.config ?? {
    model_type: "pearl",
    architectures: [classNameOf(features)],
  };
  const pearl = { format: 1, dimension, features, ...(types.length > 0 && { types }), ...section };
  return writeModelFolder(folder, async (temporary) => {
    await mkdir(join(temporary, "onnx"), { recursive: true });
    if (base) await copyPresent(companionsOf(base), base.path, temporary);
    writeModel(withWeights(assembled.model, weights), join(temporary, "onnx", "model.onnx"));
    await writeWholeJson(join(temporary, "config.json"), {
      ...config,
      ...dimsSection(dims, dimension),
      pearl,
    });
    for (const [name, text] of Object.entries({ ...files, ...texts }))
      await writeFile(join(temporary, name), text);
  });
}

/** A graph with other values in its initializers. Equal ones that the exporter merged are split: now they differ. */
export function withWeights(model: Model, weights: ReadonlyMap<string, Tensor>): Model {
  const apart = untieInitializers(model);
  const { initializers } = apart.graph;
  for (const [name, { dims, data }] of weights) {
    const value = initializers.get(name);
    if (!value) continue;
    if (String(value.dims) !== String(dims))
      throw new ModelError(`weight ${name} is [${dims}] after training, but [${value.dims}] in the graph`);
    initializers.set(name, { ...value, data });
  }
  return apart;
}

/** The model that a training started from. */
export type BaseModel = Awaited<ReturnType<typeof describeBase>>;

interface CardParts {
  readonly metadata: object;
  readonly opening: string;
  readonly commands: readonly string[];
  readonly use?: string;
  /** Facts about the training; false ones are left out. */
  readonly training: readonly (string | false)[];
  readonly limits: string;
}

export function cardText(name: string, parts: CardParts): string {
  const { metadata, opening, commands, use, training, limits } = parts;
  return `---
${stringify(metadata).trimEnd()}
---

# ${name}

${opening}

## Use

${commands.map((line) => `    ${line}`).join("\n")}
${use === undefined ? "" : `\n${use}\n`}
## Training

${training
  .filter((fact) => fact !== false)
  .map((fact) => `- ${fact}`)
  .join("\n")}

training.json holds every setting.

## Quality and limits

${limits}
`;
}

/** Metadata and limits of a model of phrases. @param taught what it was trained on, such as "these pairs" */
export function phraseModel(
  taught: string,
  library: string,
  { base, result }: { readonly base?: BaseModel; readonly result: RunResult },
): Pick<CardParts, "metadata" | "limits"> {
  const { best } = result;
  const quality = best
    ? `The weights are those of ${weightsText(best)}, which scored best while training: ${gainText(result)}.`
    : unmeasured("pearl bench");
  const licence = base?.licence
    ? `The licence is the base's (${base.licence}).`
    : base
      ? "The base states no licence; its terms apply here too."
      : "You choose the licence; mind the corpus's.";
  return {
    metadata: {
      ...(base?.licence && { license: base.licence }),
      ...(base && { base_model: base.name }),
      pipeline_tag: "feature-extraction",
      library_name: library,
      tags: ["pearl", "phrase-embeddings", "onnx"],
    },
    limits:
      `${quality} The model knows what ${base ? "its base and " : ""}${taught} taught it; expect lower quality on ` +
      `phrases of other fields or languages. ${licence}`,
  };
}

/** The sentence of a model without scores. @param command measures it */
export const unmeasured = (command: string): string =>
  `No score was measured while training: \`${command}\` measures the model.`;
