/** Reads a corpus folder, a table of pairs and shards of text, and makes PEARL's batches of them for a model. */
import { readModelFolder } from "../../architectures/model-folder.js";
import { costliest, openFeaturizers } from "../../architectures/registry.js";
import {
  readCorpus,
  readHardNegatives,
  readSynonyms,
  synonymIndex,
  UNKNOWN_TYPE,
} from "../../corpus/corpus-folder.js";
import { createAugmenter } from "../../pearl/augmentation/augmenter.js";
import { BatchSampler, negativeGroups, sidesOf, synonymSources } from "../../pearl/batches.js";
import { contrastiveBatch, type Reader, readPhrases } from "../../pearl/contrastive-batch.js";
import { NeighbourRuns } from "../../pearl/neighbour-runs.js";
import { PHRASE_TYPES } from "../../pearl/phrase-types.js";
import { batchSeed } from "../../random.js";
import type { TrainingBatch } from "../../training/batch.js";
import { readPairs } from "../pairs/pairs.js";
import { type ContextSource, openContexts } from "../pretrain/context-source.js";
import type { CorpusBatchSettings, CorpusFacts } from "./data-protocol.js";

/** The labels of a corpus's types, in the order of the type head that an encoder without one gets. */
export const corpusTypes: readonly string[] = PHRASE_TYPES;

interface Parts {
  readonly facts: CorpusFacts;
  readonly sampler: BatchSampler;
  readonly reader: Reader;
  readonly synonyms: ReadonlyMap<string, readonly string[]>;
  readonly spans: ContextSource | undefined;
}

export class CorpusBatches {
  readonly facts: CorpusFacts;
  readonly #settings: CorpusBatchSettings;
  readonly #parts: Parts;
  readonly #inputNames: ReadonlySet<string>;

  private constructor(settings: CorpusBatchSettings, parts: Parts) {
    this.#settings = settings;
    this.#parts = parts;
    this.#inputNames = new Set(settings.inputNames);
    this.facts = parts.facts;
  }

  /** @throws TableError, MissingDataError, ModelError, ArgumentError */
  static async open(settings: CorpusBatchSettings): Promise<CorpusBatches> {
    return new CorpusBatches(settings, await readParts(settings));
  }

  async batch(index: number): Promise<TrainingBatch> {
    const { sampler, reader, synonyms } = this.#parts;
    const { types, seed, cells, synonymSides } = this.#settings;
    const rows = sampler.rows(index);
    const spans = await this.#parts.spans?.batch(index);
    const paired = rows.flatMap(({ text, positive }) => [text, positive]);
    const texts = [...new Set([...paired, ...(spans?.texts ?? [])])];
    const places = new Map(texts.map((text, place) => [text, place]));
    const read = await readPhrases(texts, reader);
    const place = (text: string) => places.get(text) as number;
    return contrastiveBatch(
      {
        anchors: rows.map(({ text }) => place(text)),
        positives: rows.map(({ positive }) => place(positive)),
        negatives: [],
        types: rows.map(({ type }) => type),
        groups: negativeGroups(rows, places, read.groups, synonyms),
        ...(synonymSides && sidesOf(rows)),
        ...(spans && { spans: { rows: spans.texts.map(place), feeds: spans.feeds } }),
      },
      read,
      {
        ...{ negatives: "none", types: types.length, inputNames: this.#inputNames, cells },
        seed: batchSeed(seed, index),
      },
    );
  }

  /** The phrases of a batch, for the user. */
  describe(index: number): { text: string; positive: string; type: string | undefined }[] {
    return this.#parts.sampler.rows(index).map(({ text, positive, type }) => ({
      ...{ text, positive, type: this.#settings.types[type] },
    }));
  }
}

async function readParts(settings: CorpusBatchSettings): Promise<Parts> {
  const { corpus: folder, augmentation, seed, contexts } = settings;
  const corpus = await readCorpus(folder);
  const pairs = await readSynonyms(folder);
  const synonyms = synonymIndex(pairs);
  const negatives = settings.hardNegatives > 0 ? await readHardNegatives(folder) : new Map();
  const table = await readTable(settings);
  const sources = [...synonymSources(pairs, settings), ...(table?.sources ?? [])];
  const augmenter = augmentation === "none" ? undefined : await createAugmenter(augmentation);
  const { phrases, classes } = corpus;
  const { fingerprint, counts } = corpus.manifest;
  const data = { phrases, classes, types: corpus.types, negatives, sources, augmenter };
  return {
    sampler: new BatchSampler({ ...data, pairTypes: table?.types ?? new Map() }, settings),
    synonyms,
    spans: contexts && (await openContexts(contexts, seed)),
    reader: await openModelReader(settings),
    facts: {
      phrases: phrases.length,
      typed: corpus.types.reduce((count, type) => count + (type === UNKNOWN_TYPE ? 0 : 1), 0),
      withHardNegatives: negatives.size,
      withSynonyms: synonyms.size,
      synonymPairs: counts.synonymPairs,
      pairs: table?.size ?? 0,
      batchesPerEpoch: Math.max(1, Math.ceil(phrases.length / Math.max(1, settings.anchors))),
      fingerprint,
    },
  };
}

async function openModelReader({ model, encoderInputs }: CorpusBatchSettings): Promise<Reader> {
  const folder = await readModelFolder(model);
  const featurizers = await openFeaturizers(folder, encoderInputs);
  return { featurizers, primary: costliest(folder.features) };
}

/** The table of further pairs as a source, and the types of its phrases. */
async function readTable({ pairs, types, augmentPairs, seed }: CorpusBatchSettings) {
  if (!pairs) return undefined;
  const table = await readPairs(pairs.path, { typesPath: pairs.types });
  const source = {
    runs: new NeighbourRuns(table.pairs, { run: 1, seed }),
    runsPerBatch: pairs.rows,
    augmented: typeof augmentPairs === "number" ? augmentPairs : 0,
    side: undefined,
  };
  const typeOf = new Map<string, number>();
  for (const { text, positive, type } of table.pairs) {
    const index = types.indexOf(type);
    if (index >= 0) typeOf.set(text, index).set(positive, index);
  }
  return { size: table.pairs.length, sources: [source], types: typeOf };
}
