/** pearl's public API. */
export {
  type AugmentationSettings,
  type Augmenter,
  augmentTable,
  createAugmenter,
  type Twin,
} from "./corpus/augmentation/index.js";
export {
  type BuildCorpusOptions,
  type BuildCorpusReport,
  buildCorpus,
  type Corpus,
  type CorpusManifest,
  type CorpusPhrase,
  ENTITY_TYPES,
  type EntityType,
  type HardNegative,
  LEXICAL_CLASSES,
  type LexicalClass,
  PHRASE_TYPES,
  phraseTypeIndex,
  readCorpus,
  readHardNegatives,
  readSynonyms,
  type SynonymPair,
  streamPhrases,
  synonymIndex,
  UNKNOWN_TYPE,
  writeCorpus,
} from "./corpus/index.js";
export {
  editRatio,
  type MineOptions,
  type MiningEncoder,
  type MiningReport,
  mineCorpus,
} from "./corpus/mining/index.js";
export {
  type EncoderSource,
  type EncodeTableOptions,
  type EncodeTableReport,
  encodeTable,
} from "./encoder/encode-table.js";
export {
  DEFAULT_MODEL,
  downloadModel,
  type Embedding,
  type EmbeddingMatrix,
  type EncodeOptions,
  type ExportOptions,
  type ExportReport,
  exportSafetensors,
  type ImportOptions,
  type ImportReport,
  importModel,
  type LoadOptions,
  type ModelFolder,
  PhraseEncoder,
  readModelFolder,
} from "./encoder/index.js";
export * from "./errors.js";
export { type Clustering, type ClusterOptions, cluster, type PhraseGroup } from "./join/cluster.js";
export { type DedupeOptions, type Deduplication, type DuplicateRow, dedupe } from "./join/dedupe.js";
export { type Device, type DeviceChoice, parseDevice } from "./runtime/index.js";
export {
  type AddOptions,
  type AddTableOptions,
  addTable,
  type CreateIndexOptions,
  type IndexBackend,
  type IndexDescription,
  type IndexModel,
  type IndexRows,
  type IndexTableOptions,
  type IndexTableReport,
  indexTable,
  type SearchHit,
  type SearchOptions,
  type SearchPhrasesOptions,
  searchPhrases,
  VectorIndex,
} from "./search/index.js";
export {
  type EmbeddingFormat,
  EmbeddingWriter,
  Table,
  type TableDescription,
  type TableFormat,
  type TableOptions,
} from "./table/index.js";
export {
  type FinetuneOptions,
  type FinetuneReport,
  finetune,
  type PretrainCharactersOptions,
  type PretrainCharactersReport,
  pretrainCharacters,
  type TrainingData,
  type TrainingProgram,
  type TrainingResult,
  type TrainOptions,
  train,
} from "./training/index.js";
