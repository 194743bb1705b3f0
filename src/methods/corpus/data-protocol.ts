/** The messages between the trainer and the thread that makes its batches. */

import type { AugmentationSettings } from "../../pearl/augmentation/settings.js";
import type { BatchSettings, SynonymSettings } from "../../pearl/batches.js";

/** Everything that decides the batches of a corpus, as plain data. */
export interface CorpusBatchSettings extends BatchSettings, SynonymSettings {
  /** Folder of the corpus. */
  readonly corpus: string;
  /** Folder of the model whose tokenizer and features read the phrases. */
  readonly model: string;
  /** Inputs of the encoder's graph, which the features fill. */
  readonly encoderInputs: readonly string[];
  /** Inputs of the training graph. */
  readonly inputNames: readonly string[];
  /** A table of further pairs, and how many a batch has of them. */
  readonly pairs?: { readonly path: string; readonly types?: string; readonly rows: number };
  /** Spans of text in a batch: the folder of its shards, and the words that contexts have numbers for. */
  readonly contexts?: { readonly folder: string; readonly spans: number; readonly vocabulary: number };
  readonly augmentation: AugmentationSettings | "none";
  /** Rows times length of a chunk at most; see chunks.ts. */
  readonly cells?: number;
}

/** What a corpus has for training. */
export interface CorpusFacts {
  readonly phrases: number;
  /** Phrases whose entity type is known. */
  readonly typed: number;
  readonly withHardNegatives: number;
  /** Phrases with a known synonym. */
  readonly withSynonyms: number;
  readonly synonymPairs: number;
  /** Rows of the further table. */
  readonly pairs: number;
  /** Batches until every phrase of the corpus was an anchor once. */
  readonly batchesPerEpoch: number;
  /** Of phrases.tsv and synonyms.tsv. */
  readonly fingerprint: string;
}
