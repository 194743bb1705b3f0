/** What a training begins with: a transformer from a folder or from scratch, a character encoder, a type head. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Assembled, assembleModel, type CharacterPart, typeHead } from "../encoder/assemble.js";
import { type ModelFolder, readModelFolder } from "../encoder/model-folder.js";
import { ArgumentError, ModelError } from "../errors.js";
import { type Model, readModel, type Tensor } from "../onnx/index.js";
import { type CountedPhrases, characterParts } from "./character-parts.js";
import type { MethodSettings } from "./method.js";
import { writeTrainedModel } from "./model-writer.js";
import { prepareForTraining } from "./pair-program.js";
import { writeScratchModel } from "./scratch-model.js";
import { averageWeights } from "./weight-average.js";
import { readWordStart, type WordStart, wordSizes, writeTrainedWords } from "./word-start.js";

export interface StartOptions {
  /** The base's folder; absent: from scratch. */
  readonly base?: ModelFolder;
  readonly settings: MethodSettings;
  readonly types: readonly string[];
  /** Different phrases of the corpus with their counts, read as often as needed. */
  readonly phrases: CountedPhrases;
  readonly seed: number;
  /** Where the start is kept; what stands there from an earlier run of the same settings is used. */
  readonly folder: string;
  /** Tells the corpus from others. */
  readonly fingerprint: string;
}

/** A model before its training. */
export interface StartModel {
  readonly assembled: Assembled;
  /** It as a folder of its own, with everything that reads phrases. */
  readonly folder: ModelFolder;
  /** Writes the model with other weights, and files by name. @throws ModelError, ArgumentError */
  write(
    folder: string,
    weights: ReadonlyMap<string, Tensor>,
    texts?: Readonly<Record<string, string>>,
  ): Promise<void>;
  /** Of a word encoder: what else its training needs. */
  readonly words?: WordStart;
}

/**
 * A base as it is, for further training.
 * @throws ModelError where it cannot be trained; ArgumentError for types that it cannot learn
 */
export async function startOfBase(
  base: ModelFolder,
  { types, seed }: { readonly types: readonly string[]; readonly seed: number },
): Promise<StartModel> {
  if (wordSizes(base)) {
    const words = await readWordStart(base, seed);
    const unknown = types.find((type) => !words.assembled.types.includes(type));
    if (unknown !== undefined)
      throw new ArgumentError(
        `${base.name} has ${words.assembled.types.length} types of its own, and "${unknown}" is none: ` +
          "leave types out, use its names (pearl type --help), or train a transformer",
      );
    return {
      ...{ assembled: words.assembled, words, folder: base },
      write: (target, weights, texts) => writeTrainedWords(target, words, weights, texts),
    };
  }
  const model = readModel(base.graph);
  checkTrainable(model, base);
  const assembled = assembleModel({ base: { folder: base, model }, types, seed });
  return {
    ...{ assembled, folder: base },
    write: (target, weights, texts) => writeTrainedModel(target, { base, assembled, weights, texts }),
  };
}

/** Trained weights, or their average with the base's, the type head left out. @param share of the trained ones */
export function averagedWithBase(
  trained: ReadonlyMap<string, Tensor>,
  base: ModelFolder,
  { words, share = 1 }: Pick<StartModel, "words"> & { readonly share?: number },
): ReadonlyMap<string, Tensor> {
  if (share >= 1) return trained;
  const { initializers } = words
    ? words.assembled.model.graph
    : prepareForTraining(readModel(base.graph)).graph;
  const encoder = new Map([...initializers].filter(([name]) => !name.startsWith(`${typeHead}.`)));
  return averageWeights(trained, encoder, { share });
}

/** @throws ModelError for a base that cannot be trained; ArgumentError where nothing is left to train */
export async function prepareStart(options: StartOptions): Promise<StartModel> {
  const { settings, types, phrases, seed } = options;
  forgetOtherStart(options);
  if (options.base && wordSizes(options.base)) return startOfWords(options.base, options);
  const base = options.base ?? (await scratchBase(options));
  const characters =
    settings.characters === "none" ? undefined : await characterParts(settings.characters, phrases);
  if (base === undefined && characters === undefined)
    throw new ArgumentError("0 layers and no characters leave nothing to train: give at least one of both");
  const model = base && readModel(base.graph);
  if (model && base) checkTrainable(model, base);
  const assembled = assembleModel({
    base: model && base && { folder: base, model },
    ...{ characters, types, seed },
    blocks: settings.blocks === "as-they-come" ? undefined : settings.blocks,
  });
  const folder = join(options.folder, "start");
  const known = await readModelFolder(folder).catch(() => undefined);
  if (known === undefined)
    await writeTrainedModel(folder, {
      ...{ base, assembled, weights: new Map() },
      characters: vocabularyOf(characters),
    });
  const start = known ?? (await readModelFolder(folder));
  return {
    ...{ assembled, folder: start },
    write: (target, weights, texts) => writeTrainedModel(target, { base: start, assembled, weights, texts }),
  };
}

/** A word encoder has all parts already. */
async function startOfWords(base: ModelFolder, { folder, types, seed }: StartOptions): Promise<StartModel> {
  const model = await startOfBase(base, { types, seed });
  const start = join(folder, "start");
  const known = await readModelFolder(start).catch(() => undefined);
  if (known === undefined) await model.write(start, new Map());
  return { ...model, folder: known ?? (await readModelFolder(start)) };
}

/** Clears away what an earlier run with other settings or another corpus began with. */
function forgetOtherStart({ folder, settings, types, seed, fingerprint, base }: StartOptions): void {
  const { shape, characters, blocks } = settings;
  const key = JSON.stringify({ base: base?.path, shape, characters, blocks, types, seed, fingerprint });
  const path = join(folder, "start.json");
  const known = existsSync(path) ? readFileSync(path, "utf8") : undefined;
  if (known === key) return;
  for (const name of ["start", "scratch"]) rmSync(join(folder, name), { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(path, key);
}

async function scratchBase(options: StartOptions): Promise<ModelFolder | undefined> {
  const { settings, phrases, seed } = options;
  const { shape } = settings;
  if (shape.layers === 0) return undefined;
  const folder = join(options.folder, "scratch");
  const known = await readModelFolder(folder).catch(() => undefined);
  return known ?? writeScratchModel(folder, { ...shape, phrases, seed });
}

/** @throws ModelError where a base has nothing that can be trained */
export function checkTrainable({ graph }: Model, { path }: ModelFolder): void {
  for (const { type, data } of graph.initializers.values()) if (type === "float32" && data.length > 1) return;
  throw new ModelError(`${path} has no float32 weights to train: start from a full-precision model`);
}

const vocabularyOf = (part: CharacterPart | undefined): object | undefined =>
  part && "vocabulary" in part ? (part.vocabulary as object | undefined) : undefined;
