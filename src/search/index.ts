/** Nearest neighbours: exact search, and indexes that outlive the program. */
export type {
  IndexBackend,
  IndexDescription,
  IndexEntry,
  IndexLayout,
  IndexMetric,
  IndexModel,
  IndexRows,
  IndexSelection,
  SearchHit,
  VectorPrecision,
} from "./index-types.js";
export {
  type AddTableOptions,
  addTable,
  type IndexTableOptions,
  type IndexTableReport,
  indexTable,
  type SearchPhrasesOptions,
  searchPhrases,
} from "./phrase-index.js";
export { type AddOptions, type CreateIndexOptions, type SearchOptions, VectorIndex } from "./vector-index.js";
