/** Sentences of texts in their order, and batches of consecutive ones, as QuickThoughts reads them (Logeswaran and Lee, 2018). */
import type { Featurizer } from "../../architectures/architecture.js";
import { readDocuments } from "../../corpus/text/text-sources.js";
import { MissingDataError } from "../../errors.js";
import { fingerprint } from "../../files/checksums/fingerprint.js";
import { batchSeed, createRandom, epochOrders } from "../../random.js";
import { type Feeds, int32 } from "../../runtime/tensor.js";
import type { TrainingData } from "../../training/trainer.js";
import type { NeighbourSettings } from "./neighbours.js";
import type { OpenTextsOptions } from "./text-shards.js";

export interface Sentences {
  readonly texts: readonly string[];
  /** Number of the document of each sentence; sentences of one document follow one another. */
  readonly documents: Int32Array;
  readonly fingerprint: string;
}

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
export async function readSentences({ texts: paths, ...options }: OpenTextsOptions): Promise<Sentences> {
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
  return { texts, documents, fingerprint: fingerprint(texts.join("\n"), new Uint8Array(documents.buffer)) };
}

/** The graph's inputs besides those of the encoder. */
export const sentenceInputs = {
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
