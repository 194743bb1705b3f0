/** Fuzzy joins: rows of two tables that mean the same, at a promised precision, with reasons. */
export { type ExplainedWord, explanationLine, type PairExplanation, type ViewEffect } from "./explain.js";
export { fuzzyJoin } from "./fuzzy-join.js";
export { type JoinSink, type JoinTablesOptions, type JoinTablesReport, joinTables } from "./join-tables.js";
export { readLabelsFile } from "./labels-file.js";
export type {
  JoinKind,
  JoinMatch,
  JoinOn,
  JoinOptions,
  JoinResult,
  JoinStage,
  JoinTable,
  LabelledPair,
} from "./options.js";
