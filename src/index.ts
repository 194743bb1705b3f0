/**
 * `pearl-embeddings`: embeds phrases, and joins, groups and searches tables with them.
 *
 *     const encoder = await PhraseEncoder.load();
 *     const [a, b] = await encoder.encode(["NYTimes", "The New York Times"]);
 *
 * Functions with "Table" in their names read a CSV, TSV, JSONL or Parquet file; those beside them take arrays. Errors
 * are {@link PearlError}s, with a class for each kind of trouble. To train a graph of your own with a loss of your own,
 * import `pearl-embeddings/train`.
 */

// Encode phrases and find their types.

export { FINE_TYPES, type FineType } from "./corpus/typing/fine-types.js";
export type { EncoderSource, EncodeTableOptions, EncodeTableReport } from "./encoder/encode-table.js";
export { encodeTable } from "./encoder/encode-table.js";
export {
  type CountedMatrix,
  type Embedding,
  type EmbeddingMatrix,
  type EncodeOptions,
  type LoadOptions,
  PhraseEncoder,
  type TypedMatrix,
  type TypesOptions,
} from "./encoder/phrase-encoder.js";
export type { TypeProbability } from "./encoder/type-probabilities.js";
export type { EntityType, LexicalClass } from "./pearl/phrase-types.js";
export { ENTITY_TYPES, LEXICAL_CLASSES, PHRASE_TYPES } from "./pearl/phrase-types.js";
export { type Device, type DeviceChoice, parseDevice } from "./runtime/device.js";

// Learn kinds of phrases, and tags of spans, from a few examples.

export type { ClassifyOptions, ClassifyTableOptions, KindOfPhrase, Kinds } from "./fewshot/classify/kinds.js";
export { classify, classifyTable, readExamples, readKinds, writeKinds } from "./fewshot/classify/kinds.js";
export {
  type CurvePoint,
  type KindExample,
  type KindMethod,
  type KindsEstimate,
  type KindsTraining,
  type TrainKindsOptions,
  trainKinds,
} from "./fewshot/classify/train.js";

export type { SpanScores, Transitions } from "./fewshot/tag/decode.js";
export type { TaggedFile, TaggedSentence, TagsNeeded } from "./fewshot/tag/sentences.js";
export { readTagged } from "./fewshot/tag/sentences.js";
export type { Tagger, TaggerTraining, TagOptions, TrainTaggerOptions } from "./fewshot/tag/tagger.js";
export { readTagger, tagSentences, trainTagger, writeTagger } from "./fewshot/tag/tagger.js";

// Join two tables.

export type { FeatureEffect, MatchedWords, MissingWord, PhraseExplanation } from "./join/explain.js";
export { explanationLine } from "./join/explain.js";
export { fuzzyJoin } from "./join/fuzzy-join.js";
export { type JoinTablesOptions, type JoinTablesReport, joinTables } from "./join/join-tables.js";
export type { MatchTablesOptions, TableMatches } from "./join/match-tables.js";
export { matchTables } from "./join/match-tables.js";
export type { JoinKind, JoinOptions, JoinResult } from "./join/options.js";
export type { Spill } from "./match/candidates/pair-set.js";
export type { TableColumns } from "./match/columns/align.js";
export type { ColumnOptions, DroppedColumn } from "./match/columns/fields.js";
export type { ColumnKind, ColumnRole } from "./match/columns/profile.js";
export type { KnownPair, MatchRunOptions, MatchStage, RowMatch } from "./match/compare-tables.js";
export type { PrecisionReport, PromiseReport } from "./match/estimates/promise.js";
export type { ComparisonOptions } from "./match/evidence/own-comparison.js";
export type { ColumnExplanation, ColumnReport, RowExplanation } from "./match/explain.js";
export { pairSentence } from "./match/explain.js";
export type { BoundedOptions, MemoryLimit } from "./match/memory/memory-plan.js";
export type { DoubtfulPair } from "./match/review/doubtful.js";
export type { LabelEffect } from "./match/review/label-effect.js";
export type { PairRules, RuleOptions, RulesReport, SourceOptions } from "./match/rules.js";

// Group, search and draw the phrases of one table.

export { type Clustering, type ClusterOptions, cluster } from "./group/cluster.js";
export { type DedupeOptions, type Deduplication, dedupe } from "./group/dedupe.js";
export { type GroupRowsOptions, groupRows, type RowGroups } from "./group/group-rows.js";
export type { DuplicateGroup, DuplicateRow } from "./group/kept-rows.js";
export type { PhraseGroup, PhraseGroups } from "./group/one-column/distinct-phrases.js";
export type { SurvivorRule, SurvivorRules } from "./group/survivor-rules.js";
export type { DedupeOutputs, DedupeTableOptions, DedupeTableReport } from "./group/tables/dedupe-table.js";
export { dedupeTable } from "./group/tables/dedupe-table.js";
export {
  exportEntities,
  type GoldenEntities,
  type GoldenEntityOptions,
  goldenEntities,
} from "./link/export.js";
export type { EntityEvent, EntityHistory, StoredRow, UndoneRun } from "./link/history.js";
export { entityHistory, undoLink } from "./link/history.js";
export { type LinkOptions, type LinkReport, linkTable } from "./link/link-table.js";
export { type PlotOptions, type PlotReport, plotTable } from "./plot/plot-table.js";
export type {
  IndexBackend,
  IndexDescription,
  IndexModel,
  IndexRows,
  SearchHit,
  SearchSettings,
} from "./search/index-types.js";
export type { AddTableOptions, IndexTableOptions, IndexTableReport } from "./search/phrase-index.js";
export { addTable, indexTable, rebuildIndex } from "./search/phrase-index.js";
export { type SearchPhrasesOptions, searchPhrases } from "./search/phrase-search.js";
export type { AddOptions, CreateIndexOptions, SearchOptions } from "./search/vector-index.js";
export { VectorIndex } from "./search/vector-index.js";

// Read tables, write embeddings, catch errors.

export * from "./errors.js";
export type { EmbeddingFormat, TableFormat } from "./table/format.js";
export { type ReadingProgress, Table, type TableDescription, type TableOptions } from "./table/table.js";
export { EmbeddingWriter } from "./table/write/embedding-writer.js";

// Download models and convert them.

export { type ModelFolder, readModelFolder } from "./architectures/model-folder.js";
export { DEFAULT_MODEL } from "./architectures/registry.js";
export type { ExportOptions, ExportReport } from "./hub/convert/export-safetensors.js";
export { exportSafetensors } from "./hub/convert/export-safetensors.js";
export { type ImportOptions, type ImportReport, importModel } from "./hub/convert/import-model.js";
export { downloadModel } from "./hub/download.js";

// Collect phrases for a training: a corpus, its hard negatives, augmented phrases.

export { augmentTable } from "./augmentation/augment-table.js";
export { type Augmenter, createAugmenter } from "./augmentation/augmenter.js";
export type { Twin } from "./augmentation/rule.js";
export type { AugmentationSettings } from "./augmentation/settings.js";
export { type BuildCorpusOptions, type BuildCorpusReport, buildCorpus } from "./corpus/build-corpus.js";
export {
  type Corpus,
  type CorpusManifest,
  type CorpusPhrase,
  type HardNegative,
  readCorpus,
  readHardNegatives,
  readSynonyms,
  type SynonymPair,
  streamPhrases,
  synonymIndex,
  UNKNOWN_TYPE,
  writeCorpus,
} from "./corpus/corpus-folder.js";
export { type MineOptions, type MiningEncoder, type MiningReport, mineCorpus } from "./corpus/mining/mine.js";
export { editRatio } from "./pearl/hard-negatives/edit-ratio.js";

// Train: fine-tune on pairs or a corpus, pretrain on text or words.

export { type AblateOptions, type AblationReport, ablate } from "./methods/ablate.js";
export {
  type PretrainCharactersOptions,
  type PretrainCharactersReport,
  pretrainCharacters,
} from "./methods/characters/pretrain-characters.js";
export {
  type CorpusFinetuneOptions,
  type CorpusFinetuneReport,
  finetuneOnCorpus,
  planTraining,
  type TrainingPlan,
} from "./methods/corpus/corpus-finetune.js";
export type { FinetuneOptions, FinetuneReport } from "./methods/pairs/finetune.js";
export { finetune, planFinetune } from "./methods/pairs/finetune.js";
export { type MinePairsOptions, minePairs, type PairMiningReport } from "./methods/pairs/mine-pairs.js";
export type { PairSource } from "./methods/pairs/pairs.js";
export type { PhraseView, PunctuationSettings } from "./methods/pairs/views.js";
export { type PretrainOptions, type PretrainReport, pretrain } from "./methods/pretrain/pretrain.js";
export { type RemovablePart, without } from "./methods/settings/choices.js";
export type { MethodSettings } from "./methods/settings/method-settings.js";
export { presets, readPreset } from "./methods/settings/method-settings.js";
export type { ObjectiveSettings } from "./objectives/objective.js";
export type { ObjectiveName } from "./objectives/registry.js";
export type { TrainingProgram } from "./training/program.js";
export type { RunPlan } from "./training/run.js";
export { type TrainingData, type TrainingResult, type TrainOptions, train } from "./training/trainer.js";

// Add an architecture of your own, as examples/own-architecture.mjs does.

export {
  type Architecture,
  type CountedPhrases,
  concatenate,
  type Feature,
  type FeatureRows,
  type Featurizer,
  type ModelPart,
  type OpenSource,
  type PartSettings,
  type ReadRows,
} from "./architectures/architecture.js";
export { registerArchitecture } from "./architectures/registry.js";
export { createModel } from "./methods/start-model.js";
export { embedding } from "./nn/layers.js";
export { meanPooling } from "./nn/pooling.js";
