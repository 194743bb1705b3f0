/** Reads a corpus folder, a table of pairs and shards of text, and makes PEARL's batches of them for a model. */
import { createAugmenter } from "../../augmentation/augmenter.js";
import {
  type Corpus,
  readHardNegatives,
  readSynonyms,
  synonymIndex,
  UNKNOWN_TYPE,
} from "../../corpus/corpus-folder.js";
import { contrastiveBatch, type Reader, readPhrases } from "../../pearl/contrastive-batch.js";
import { batchSeed } from "../../random.js";
import type { TrainingData } from "../../training/trainer.js";
import { readPairs } from "../pairs/pairs.js";
import { type ContextSettings, openContexts } from "../pretrain/context-batches.js";
import type { MethodSettings } from "../settings/method-settings.js";
import { type CorpusRowSettings, corpusRows, partFeeds, repeated, synonymSources } from "./corpus-rows.js";
import { negativeGroups } from "./negative-groups.js";
import { neighbourRuns } from "./neighbour-runs.js";

/** What decides the batches of a corpus, as plain data. */
export interface CorpusBatchSettings extends CorpusRowSettings, Pick<MethodSettings, "augmentation"> {
  readonly inputNames: readonly string[];
  /** A table of more pairs, and its rows in a batch. */
  readonly pairs?: { readonly path: string; readonly types?: string; readonly rows: number };
  readonly contexts?: ContextSettings;
  readonly cells?: number;
}

/** What a corpus has for training. */
export interface CorpusFacts {
  readonly phrases: number;
  /** Phrases with a known entity type. */
  readonly typed: number;
  readonly withHardNegatives: number;
  /** Phrases with a known synonym. */
  readonly withSynonyms: number;
  readonly synonymPairs: number;
  /** Rows of the table of more pairs. */
  readonly pairs: number;
  /** Batches until every phrase of the corpus was an anchor once. */
  readonly batchesPerEpoch: number;
  /** Of phrases.tsv and synonyms.tsv. */
  readonly fingerprint: string;
}

export interface DescribedRow {
  readonly text: string;
  readonly positive: string;
  readonly type: string | undefined;
}

export interface CorpusBatches extends TrainingData {
  readonly facts: CorpusFacts;
  describe(index: number): DescribedRow[];
}

/** @throws TableError, MissingDataError, ModelError, ArgumentError */
export async function openCorpusBatches(
  corpus: Corpus,
  settings: CorpusBatchSettings,
  reader: Reader,
): Promise<CorpusBatches> {
  const { folder } = corpus;
  const { types, seed, cells, synonymSides } = settings;
  const pairs = await readSynonyms(folder);
  const synonyms = synonymIndex(pairs);
  const negatives = settings.hardNegatives > 0 ? await readHardNegatives(folder) : new Map();
  const table = await readTable(settings);
  const sources = [...synonymSources(pairs, settings), ...(table?.sources ?? [])];
  const augmenter =
    settings.augmentation === "none" ? undefined : await createAugmenter(settings.augmentation);
  const data = { ...corpus, negatives, sources, augmenter };
  const rowsOf = corpusRows({ ...data, pairTypes: table?.types ?? new Map() }, settings);
  const contexts = settings.contexts && (await openContexts(settings.contexts, seed));
  const inputNames = new Set(settings.inputNames);
  return {
    fingerprint: `${corpus.manifest.fingerprint} ${JSON.stringify(settings)}`,
    facts: {
      phrases: corpus.phrases.length,
      typed: corpus.types.reduce((count, type) => count + (type === UNKNOWN_TYPE ? 0 : 1), 0),
      withHardNegatives: negatives.size,
      withSynonyms: synonyms.size,
      synonymPairs: corpus.manifest.counts.synonymPairs,
      pairs: table?.size ?? 0,
      batchesPerEpoch: Math.max(1, Math.ceil(repeated(corpus, settings).length / (settings.anchors || 1))),
      fingerprint: corpus.manifest.fingerprint,
    },
    async batch(index) {
      const rows = rowsOf(index);
      const spans = await contexts?.(index);
      const paired = rows.flatMap(({ text, positive }) => [text, positive]);
      const texts = [...new Set([...paired, ...(spans?.texts ?? [])])];
      const places = new Map(texts.map((text, place) => [text, place]));
      const read = await readPhrases(texts, reader);
      const place = (text: string) => places.get(text) as number;
      return contrastiveBatch(
        {
          anchors: rows.map(({ text }) => place(text)),
          positives: rows.map(({ positive }) => place(positive)),
          types: rows.map(({ type }) => type),
          groups: negativeGroups(rows, places, read.groups, synonyms),
          further: {
            rows: spans?.texts.map(place),
            feeds: { ...(synonymSides && partFeeds(rows)), ...spans?.feeds },
          },
        },
        read,
        { types: types.length, inputNames, cells, seed: batchSeed(seed, index) },
      );
    },
    describe: (index) =>
      rowsOf(index).map(({ text, positive, type }) => ({ text, positive, type: types[type] })),
  };
}

/** The table of more pairs as a source, and the types of its phrases. */
async function readTable({ pairs, types, augmentPairs, seed }: CorpusBatchSettings) {
  if (!pairs) return undefined;
  const table = await readPairs(pairs.path, { typesPath: pairs.types });
  const source = {
    runs: neighbourRuns(table.pairs, { run: 1, seed }),
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
