/** pearl's public API. */

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
} from "./architectures/architecture.js";
export { type ModelFolder, readModelFolder } from "./architectures/model-folder.js";
export { registerArchitecture } from "./architectures/registry.js";
export { type BuildCorpusOptions, type BuildCorpusReport, buildCorpus } from "./corpus/build-corpus.js";
export type {
  Corpus,
  CorpusManifest,
  CorpusPhrase,
  HardNegative,
  SynonymPair,
} from "./corpus/corpus-folder.js";
export {
  readCorpus,
  readHardNegatives,
  readSynonyms,
  streamPhrases,
  synonymIndex,
  UNKNOWN_TYPE,
  writeCorpus,
} from "./corpus/corpus-folder.js";
export type { MineOptions, MiningEncoder, MiningReport } from "./corpus/mining/mine.js";
export { mineCorpus } from "./corpus/mining/mine.js";
export type { EncoderSource, EncodeTableOptions, EncodeTableReport } from "./encoder/encode-table.js";
export { encodeTable } from "./encoder/encode-table.js";
export type {
  Embedding,
  EmbeddingMatrix,
  EncodeOptions,
  LoadOptions,
  TypedMatrix,
  TypesOptions,
} from "./encoder/phrase-encoder.js";
export { PhraseEncoder } from "./encoder/phrase-encoder.js";
export type { TypeProbability } from "./encoder/type-probabilities.js";
export * from "./errors.js";
export { type Clustering, type ClusterOptions, cluster, type PhraseGroup } from "./group/cluster.js";
export { type DedupeOptions, type Deduplication, type DuplicateRow, dedupe } from "./group/dedupe.js";
export type { ExportOptions, ExportReport } from "./hub/convert/export-safetensors.js";
export { exportSafetensors } from "./hub/convert/export-safetensors.js";
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
export type {
  PretrainCharactersOptions,
  PretrainCharactersReport,
} from "./methods/characters/pretrain-characters.js";
export { pretrainCharacters } from "./methods/characters/pretrain-characters.js";
export type { CorpusFinetuneOptions, CorpusFinetuneReport } from "./methods/corpus/corpus-finetune.js";
export { finetuneOnCorpus } from "./methods/corpus/corpus-finetune.js";
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
export type { EntityType, FineType, LexicalClass } from "./pearl/phrase-types.js";
export {
  ENTITY_TYPES,
  FINE_TYPES,
  LEXICAL_CLASSES,
  PHRASE_TYPES,
  phraseTypeIndex,
} from "./pearl/phrase-types.js";
export { presets, readPreset } from "./pearl/presets/index.js";
export { type PlotOptions, type PlotReport, plotTable } from "./plot/plot-table.js";
export { type Device, type DeviceChoice, parseDevice } from "./runtime/device.js";
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
export type { EmbeddingFormat, TableFormat } from "./table/format.js";
export { Table, type TableDescription, type TableOptions } from "./table/table.js";
export { EmbeddingWriter } from "./table/write/embedding-writer.js";
export type { TrainingProgram } from "./training/program.js";
export { type TrainingData, type TrainingResult, type TrainOptions, train } from "./training/trainer.js";
