/**
 * Pretraining of an encoder on sentences and those around them: QuickThoughts (Logeswaran and Lee, 2018), or the blocks of
 * CURL (Arora et al., 2019) on the same batches.
 */
import type { Featurizer } from "../../architectures/architecture.js";
import { buildPair, chosenEncoders, type Encoding } from "../../architectures/encoder-pair.js";
import type { SpellingEncoder, SpellingStart } from "../../architectures/pretraining.js";
import { spellingEncoder } from "../../architectures/registry.js";
import { readDocuments } from "../../corpus/text/text-sources.js";
import { ArgumentError, MissingDataError } from "../../errors.js";
import { fingerprint } from "../../files/checksums/fingerprint.js";
import { formatCount } from "../../files/count-text.js";
import { packageVersion } from "../../files/package.js";
import { createNet } from "../../nn/net.js";
import { neighbourLoss } from "../../objectives/neighbours.js";
import { objectiveLoss } from "../../objectives/registry.js";
import { batchSeed, createRandom, epochOrders } from "../../random.js";
import { type Feeds, int32 } from "../../runtime/tensor.js";
import { refuseReadingTwice, shownName } from "../../table/read/source.js";
import type { WordUnitOptions } from "../../text/word-units.js";
import type { TrainingProgram } from "../../training/program.js";
import {
  type PreparedRun,
  type RunOptions,
  type RunRecord,
  type RunReport,
  resultOf,
  runMethod,
} from "../../training/run.js";
import type { TrainingData } from "../../training/trainer.js";
import { cardText, unmeasured, writePart } from "../start-model.js";
import type { TextsOptions } from "./numbered-text.js";

/** Everything that decides a training, besides the text. */
interface NeighbourSettings {
  /** Name of the encoder, such as that of a GRU. */
  readonly kind: string;
  /** How words are read; default: as usual for the encoder. */
  readonly units: WordUnitOptions;
  /** Dimensions of the embeddings of a word's units; default: the encoder's. */
  readonly width: number;
  /** Length of an encoder's vectors: a GRU's states, or a linear map behind other encoders; default 256. */
  readonly hidden: number;
  /** Sentences before and after that belong to a sentence; default 1. */
  readonly contextSize: number;
  /** The loss of QuickThoughts with encoders f and g, or that of CURL with f alone; default "neighbours". */
  readonly objective: "neighbours" | "block";
  /** Default "both", as in the paper; with "block" there is only "f". */
  readonly encode: Encoding;
  /** Default 1,000. */
  readonly steps: number;
  /** Consecutive sentences in a batch; default 400, as in the authors' code. */
  readonly batchSize: number;
  /** Default 5e-4, as in the authors' code, falling to a twentieth along half a cosine after 50 steps of rise. */
  readonly learningRate: number;
  readonly seed: number;
}

/** Options of {@link pretrainNeighbours}: the texts and the training's settings. */
export interface NeighbourOptions
  extends RunOptions,
    Omit<Partial<NeighbourSettings>, "seed" | "kind">,
    Pick<NeighbourSettings, "kind">,
    TextsOptions {}

/** What training.json holds: enough to run the training again. */
export interface NeighbourRecord extends RunRecord {
  readonly data: {
    readonly texts: readonly string[];
    readonly sentences: number;
    readonly documents: number;
    readonly fingerprint: string;
  };
  readonly settings: NeighbourSettings;
}

/**
 * Trains an encoder to tell the sentences around a sentence from others, and writes a model folder. The texts are kept in
 * memory.
 * @throws TableError, MissingDataError, ArgumentError, TrainingError
 */
export const pretrainNeighbours = (options: NeighbourOptions): Promise<RunReport<NeighbourRecord>> =>
  runMethod(options, () => prepareRun(options));

async function prepareRun(options: NeighbourOptions): Promise<PreparedRun<NeighbourRecord>> {
  const encoder = await spellingEncoder(options.kind);
  const settings = settingsOf(options, encoder);
  refuseReadingTwice(options.texts);
  const sentences = await readSentences(options);
  const documents = new Set(sentences.documents).size;
  const summary = `${formatCount(sentences.texts.length)} sentences of ${formatCount(documents)} documents`;
  options.onNote?.(summary);
  // characters and the rarity of n-grams are counted over these
  const start = encoder.start(sentences.texts.slice(0, 100_000), { ...settings, outputs: settings.hidden });
  const program = neighbourProgram(start, settings);
  const { steps, learningRate, encode, seed } = settings;
  const inputNames = program.model.graph.inputs.map(({ name }) => name);
  return {
    ...{ program, steps, learningRate, checkpointEvery: 200 },
    data: sentenceBatches(sentences, settings, start.featurizer, inputNames),
    options: () => ({
      clipNorm: 5,
      schedule: { kind: "warm-up-cosine", warmUp: 50, steps, floor: 0.05 },
      settings: { ...settings, text: sentences.fingerprint },
    }),
    what: () => `${encoder.description} (${formatCount(steps)} steps)`,
    record: (result) => ({
      pearl: packageVersion(),
      data: {
        texts: options.texts.map(shownName),
        ...{ sentences: sentences.texts.length, documents, fingerprint: sentences.fingerprint },
      },
      ...{ settings, result: resultOf(result) },
    }),
    card: (name, record) => neighbourCard(name, record, encoder),
    write(folder, trained, texts) {
      const { part, weights } = chosenEncoders(start.part, encode, trained);
      return writePart(folder, part, { seed, weights, texts });
    },
  };
}

function settingsOf(options: NeighbourOptions, encoder: SpellingEncoder): NeighbourSettings {
  const { units = encoder.units, width = encoder.width, hidden = 256, contextSize = 1 } = options;
  const { objective = "neighbours", steps = 1000, batchSize = 400, learningRate = 5e-4, seed = 0 } = options;
  const { encode = objective === "block" ? "f" : "both" } = options;
  if (objective === "block" && encode !== "f")
    throw new ArgumentError(
      `the objective block trains one encoder, f, and no model can encode by ${encode}. Leave that out.`,
    );
  for (const [name, value] of Object.entries({ width, hidden, contextSize, steps, batchSize }))
    if (!(Number.isInteger(value) && value > 0))
      throw new ArgumentError(`${name} must be a whole number above 0, not ${value}`);
  if (batchSize <= 2 * contextSize + 1)
    throw new ArgumentError(
      `a batch of ${batchSize} sentences has none outside a window of ${2 * contextSize + 1}: use a larger batch size`,
    );
  const sizes = { kind: encoder.name, units, width, hidden };
  return { ...sizes, contextSize, objective, encode, steps, batchSize, learningRate, seed };
}

/** Sentences whose sizes as inputs are above 1 and differ from each other, to observe shapes with. */
const sample = ["abcdefghi jk lm cdxe", "cdxe", "jk fghijklmn", "opq", "lm rs"];

/** Sentences against those around them, by two encoders; or against the blocks of a batch, by one. */
export function neighbourProgram(
  { part, featurizer, weights }: SpellingStart,
  { objective, contextSize }: Pick<NeighbourSettings, "objective" | "contextSize">,
): TrainingProgram {
  const loss = `${objective}_loss`;
  const net = createNet(weights);
  const { g } = net;
  if (objective === "block") {
    const vectors = part.build(net);
    const rows = (from: number, to: number) => g.add("Slice", [vectors, g.ints(from), g.ints(to)]);
    // the objective compares all rows by their classes: which of them are anchors and which positives has no effect
    const batch = { anchors: rows(0, 1), positives: rows(1, 2 ** 31 - 1), width: part.width };
    const classes = g.input(sentenceInputs.blocks, "int32", ["sentences"]);
    g.output(loss, objectiveLoss(net, { ...batch, classes }, { name: "block" }));
  } else {
    const { f, g: candidates } = buildPair(net, part);
    const places = g.input(sentenceInputs.places, "int32", ["sentences"]);
    g.output(loss, neighbourLoss(net, { sentences: f, candidates, places }, { contextSize }));
  }
  const model = g.model();
  const feeds = sentenceFeeds({ texts: sample, documents: new Int32Array(sample.length) }, featurizer, 1);
  const read = model.graph.inputs.map(({ name }) => [name, feeds[name]]);
  return { model, loss, sample: Object.fromEntries(read) };
}

function neighbourCard(name: string, record: NeighbourRecord, { description }: SpellingEncoder): string {
  const { pearl, data, settings, result } = record;
  const { objective, contextSize, encode, hidden, batchSize, learningRate, seed } = settings;
  const [method, goal] = {
    neighbours: [
      "QuickThoughts (Logeswaran and Lee, 2018)",
      `sentences at most ${contextSize} before or after one are told from the others of the batch`,
    ],
    block: [
      "the blocks of CURL (Arora et al., 2019)",
      `a sentence is nearer to the mean of its run of ${2 * contextSize + 1} than to those of other runs`,
    ],
  }[objective];
  return cardText(name, {
    metadata: { library_name: "pearl", tags: ["pearl", "sentence-embeddings", "onnx"] },
    opening: `An encoder of sentences, pretrained with pearl ${pearl} by ${method}: ${description}.`,
    commands: [`pearl encode sentences.txt --model ${name}`],
    training: [
      `text: ${data.texts.join(", ")}; ${formatCount(data.sentences)} sentences of ${formatCount(data.documents)} documents`,
      `goal: ${goal}`,
      `encoder: ${encode === "both" ? "f and g, concatenated, each" : encode} of ${hidden} dimensions`,
      `${result.steps} steps of ${batchSize} consecutive sentences, Adam at ${learningRate}, seed ${seed}`,
    ],
    limits: `${unmeasured("pearl bench --task sts")} It knows the words and the subjects of its text, and no names outside it.`,
  });
}

/** Sentences of texts in their order, and batches of consecutive ones, as QuickThoughts reads them (Logeswaran and Lee, 2018). */
type Sentences = Awaited<ReturnType<typeof readSentences>>;

/** Between sentences: after a mark that ends one, but not after an initial or a title, and before a letter that is not small. */
const BETWEEN =
  /(?<=(?<!(?:^|[\s.("“])(?:\p{Lu}|Mrs?|Ms|Dr|St|Prof))[.!?]["'”’)\]]*)\s+(?=["'“‘([]*[\p{Lu}\p{Lo}\p{N}])|(?<=[。！？।])\s*/u;

export const splitSentences = (text: string): string[] =>
  text.split(BETWEEN).flatMap((part) => (/[\p{L}\p{N}]/u.test(part) ? [part.trim()] : []));

/**
 * Reads texts into memory. A line of plain text is one sentence or several, a blank line ends a document; so does a row of
 * a table.
 * @throws TableError; MissingDataError where no document has two sentences
 */
export async function readSentences({ texts: paths, ...options }: TextsOptions) {
  const texts: string[] = [];
  const numbers: number[] = [];
  let document = 0;
  for (const path of paths) {
    document++;
    for await (const piece of readDocuments(path, options)) {
      if (piece === "") document++;
      for (const sentence of splitSentences(piece)) numbers[texts.push(sentence) - 1] = document;
    }
  }
  if (!numbers.some((number, i) => number === numbers[i - 1]))
    throw new MissingDataError(
      "the text has no two sentences that follow one another. Give sentences in their order, with blank lines between " +
        "documents only, or name the column of whole texts (--column).",
    );
  const documents = Int32Array.from(numbers);
  return {
    texts,
    /** Number of the document of each sentence; sentences of one document follow one another. */
    documents,
    fingerprint: fingerprint(texts.join("\n"), new Uint8Array(documents.buffer)),
  };
}

/** The graph's inputs besides those of the encoder. */
const sentenceInputs = {
  /** int32 [sentences]: places in the text; documents are further apart than the context. */
  places: "sentence_places",
  /** int32 [sentences]: runs of consecutive sentences in a document, as long as a window, have a number each. */
  blocks: "sentence_blocks",
} as const;

/** @param contextSize sentences before and after that belong to a sentence */
export function sentenceFeeds(
  { texts, documents }: Pick<Sentences, "texts" | "documents">,
  featurizer: Featurizer,
  contextSize: number,
): Feeds {
  const places = new Int32Array(texts.length);
  const blocks = new Int32Array(texts.length);
  let length = 1;
  for (let i = 1; i < texts.length; i++) {
    const isNew = documents[i] !== documents[i - 1];
    places[i] = places[i - 1] + 1 + (isNew ? contextSize : 0);
    length = isNew || length === 2 * contextSize + 1 ? 1 : length + 1;
    blocks[i] = blocks[i - 1] + (length === 1 ? 1 : 0);
  }
  const feeds: Feeds = {};
  featurizer.fill(featurizer.read(texts).rows, Int32Array.from(texts.keys()), 1, feeds);
  feeds[sentenceInputs.places] = int32(places);
  feeds[sentenceInputs.blocks] = int32(blocks);
  return feeds;
}

/**
 * Batches of consecutive sentences, which begin elsewhere in each epoch, in random order. The text's beginning follows its
 * end, as another document, so that an epoch has every sentence, and none of them more often than others in the long run.
 */
export function sentenceBatches(
  { texts, documents, fingerprint }: Sentences,
  { contextSize, batchSize, seed }: Pick<NeighbourSettings, "contextSize" | "batchSize" | "seed">,
  featurizer: Featurizer,
  inputNames: readonly string[],
): TrainingData {
  const size = Math.min(batchSize, texts.length);
  const inEpoch = Math.ceil(texts.length / size);
  const orderOf = epochOrders(inEpoch, seed);
  return {
    fingerprint: `${fingerprint} seed ${seed} batch ${batchSize} context ${contextSize}`,
    batch(index) {
      const epoch = Math.floor(index / inEpoch);
      const shift = Math.floor(createRandom(batchSeed(seed, epoch))() * texts.length);
      const start = (orderOf(epoch)[index % inEpoch] * size + shift) % texts.length;
      const rows = Int32Array.from({ length: size }, (_, i) => (start + i) % texts.length);
      const own = {
        texts: Array.from(rows, (row) => texts[row]),
        documents: rows.map((row) => (row < start ? ~documents[row] : documents[row])),
      };
      const feeds = sentenceFeeds(own, featurizer, contextSize);
      return { feeds: Object.fromEntries(inputNames.map((name) => [name, feeds[name]])), phrases: size };
    },
  };
}
