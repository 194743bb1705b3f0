/** The corpus room: phrases from text, their types, synonyms and hard negatives, in a folder of plain tables. */
export {
  type BuildCorpusOptions,
  type BuildCorpusReport,
  type BuildStage,
  buildCorpus,
} from "./build-corpus.js";
export { type Chunk, chunkSentence, joinCompounds } from "./chunker.js";
export {
  CORPUS_FILES,
  type Corpus,
  type CorpusContent,
  type CorpusCounts,
  type CorpusManifest,
  type CorpusPhrase,
  type CorpusSource,
  HARD_NEGATIVES_PER_PHRASE,
  type HardNegative,
  readCorpus,
  readHardNegatives,
  readManifest,
  readSynonyms,
  type SynonymPair,
  streamPhrases,
  synonymIndex,
  UNKNOWN_TYPE,
  writeCorpus,
  writeHardNegatives,
} from "./corpus-folder.js";
export { type CorpusSample, sampleCorpus } from "./corpus-sample.js";
export {
  ENTITY_TYPES,
  type EntityType,
  entityTypeOfFine,
  FINE_PHRASE_TYPES,
  FINE_TYPES,
  type FineType,
  LEXICAL_CLASSES,
  type LexicalClass,
  PHRASE_TYPES,
  phraseTypeIndex,
} from "./phrase-types.js";
export { createTagger, type Tagger, type Word } from "./tagger.js";
export { type Gazetteer, readGazetteer } from "./typing/gazetteer.js";
export { entityTypeOf, KNOWN_LABELS } from "./typing/labels.js";
export {
  createPhraseTyper,
  type PhraseTyper,
  TYPE_SOURCES,
  type TypeLabel,
  type TypeSource,
} from "./typing/phrase-typer.js";
