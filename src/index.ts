/** pearl's public API. */

export type {
  Architecture,
  CountedPhrases,
  Feature,
  ModelPart,
  OpenSource,
  PartSettings,
} from "./architectures/architecture.js";
export { concatenate, type FeatureRows, type Featurizer } from "./architectures/feature-rows.js";
export { type ModelFolder, readModelFolder } from "./architectures/model-folder.js";
export { registerArchitecture } from "./architectures/registry.js";
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
export {
  type MineOptions,
  type MiningEncoder,
  type MiningReport,
  mineCorpus,
} from "./corpus/mining/mine.js";
export {
  type EncoderSource,
  type EncodeTableOptions,
  type EncodeTableReport,
  encodeTable,
} from "./encoder/encode-table.js";
export {
  type Embedding,
  type EmbeddingMatrix,
  type EncodeOptions,
  type LoadOptions,
  PhraseEncoder,
  type TypedMatrix,
  type TypesOptions,
} from "./encoder/phrase-encoder.js";
export type { TypeProbability } from "./encoder/type-probabilities.js";
export * from "./errors.js";
export { type Clustering, type ClusterOptions, cluster, type PhraseGroup } from "./group/cluster.js";
export { type DedupeOptions, type Deduplication, type DuplicateRow, dedupe } from "./group/dedupe.js";
export {
  type ExportOptions,
  type ExportReport,
  exportSafetensors,
} from "./hub/convert/export-safetensors.js";
export { type ImportOptions, type ImportReport, importModel } from "./hub/convert/import-model.js";
export { downloadModel } from "./hub/download.js";
export { DEFAULT_MODEL } from "./hub/locate.js";
export { explanationLine } from "./join/explain.js";
export { fuzzyJoin } from "./join/fuzzy-join.js";
export { type JoinTablesOptions, type JoinTablesReport, joinTables } from "./join/join-tables.js";
export { readLabelsFile } from "./join/labels-file.js";
export type {
  JoinKind,
  JoinMatch,
  JoinOn,
  JoinOptions,
  JoinResult,
  JoinTable,
  LabelledPair,
} from "./join/options.js";
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
} from "./methods/corpus/corpus-finetune.js";
export { type FinetuneOptions, type FinetuneReport, finetune } from "./methods/pairs/finetune.js";
export { planTraining, type TrainingPlan } from "./methods/plan.js";
export { type PretrainOptions, type PretrainReport, pretrain } from "./methods/pretrain/pretrain.js";
export { createModel } from "./methods/start-model.js";
export { embedding } from "./nn/layers.js";
export { meanPooling } from "./nn/pooling.js";
export { augmentTable } from "./pearl/augmentation/augment-table.js";
export { type Augmenter, createAugmenter } from "./pearl/augmentation/augmenter.js";
export type { Twin } from "./pearl/augmentation/rule.js";
export type { AugmentationSettings } from "./pearl/augmentation/settings.js";
export { type MethodChoices, type RemovablePart, withChoices, without } from "./pearl/choices.js";
export { editRatio } from "./pearl/hard-negatives/edit-ratio.js";
export type { MethodSettings } from "./pearl/method.js";
export {
  ENTITY_TYPES,
  type EntityType,
  FINE_TYPES,
  type FineType,
  LEXICAL_CLASSES,
  type LexicalClass,
  PHRASE_TYPES,
  phraseTypeIndex,
} from "./pearl/phrase-types.js";
export { presets, readPreset } from "./pearl/presets/index.js";
export { type PlotOptions, type PlotReport, plotTable } from "./plot/plot-table.js";
export { type Device, type DeviceChoice, parseDevice } from "./runtime/index.js";
export type {
  IndexBackend,
  IndexDescription,
  IndexModel,
  IndexRows,
  SearchHit,
} from "./search/index-types.js";
export {
  type AddTableOptions,
  addTable,
  type IndexTableOptions,
  type IndexTableReport,
  indexTable,
  type SearchPhrasesOptions,
  searchPhrases,
} from "./search/phrase-index.js";
export {
  type AddOptions,
  type CreateIndexOptions,
  type SearchOptions,
  VectorIndex,
} from "./search/vector-index.js";
export {
  type EmbeddingFormat,
  EmbeddingWriter,
  Table,
  type TableDescription,
  type TableFormat,
  type TableOptions,
} from "./table/index.js";
export type { TrainingProgram } from "./training/program.js";
export { type TrainingData, type TrainingResult, type TrainOptions, train } from "./training/trainer.js";
