/** What the trainer and the thread that makes its batches tell each other. */
import type { AugmentationSettings } from "../corpus/augmentation/index.js";
import type { RunKey } from "./neighbour-runs.js";

/** What two phrases of a pair have in common: their spelling, what they mean, or both, as other forms of a name. */
export type PairSide = "characters" | "phrase" | "both";

/** A share for all sources of synonyms, or by source; 0 where a source is not named. */
export type AugmentedShares = number | Readonly<Record<string, number>>;

/** Everything that decides the batches of a corpus, as plain data. */
export interface CorpusBatchSettings {
  /** Folder of the corpus. */
  readonly corpus: string;
  /** Folder of the model whose tokenizer and features read the phrases. */
  readonly model: string;
  /** Inputs of the encoder's graph, which the features fill. */
  readonly encoderInputs: readonly string[];
  /** Inputs of the training graph. */
  readonly inputNames: readonly string[];
  /** Phrases of the corpus in a batch. */
  readonly anchors: number;
  /** Hard negatives drawn for each of them; they are anchors with twins of their own. */
  readonly hardNegatives: number;
  /** Known synonyms of the corpus in a batch, as pairs. */
  readonly synonyms: number;
  /** How the synonyms are shared out over their sources; default by the number of pairs. A source with 0 is left out. */
  readonly synonymShares?: Readonly<Record<string, number>>;
  /** A table of further pairs, and how many a batch has of them. */
  readonly pairs?: { readonly path: string; readonly types?: string; readonly rows: number };
  /** Synonym pairs that share words and come together. */
  readonly run: number;
  /** Which words they share, by source; default the rarest. */
  readonly runsBy?: Readonly<Record<string, RunKey>>;
  /** Share of the pairs' second phrases that are augmented too. */
  readonly augmentPairs: AugmentedShares;
  /** The matter of each source of synonyms; absent: batches do not tell. */
  readonly synonymSides?: Readonly<Record<string, PairSide>>;
  /** Spans of text in a batch: the folder of its shards, and the words that contexts have numbers for. */
  readonly contexts?: { readonly folder: string; readonly spans: number; readonly vocabulary: number };
  /** Phrase types in the order of the type head; empty: types are not learned. */
  readonly types: readonly string[];
  readonly augmentation: AugmentationSettings | "none";
  readonly seed: number;
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
