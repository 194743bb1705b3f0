/**
 * Scores rows by weights learned before. A few rows are read as a part of the whole table: the rarity of their values and
 * words is that of the table, which is not read again.
 */
import type { NamingVectors } from "./candidates/nearest-by-embedding.js";
import type { TableColumns } from "./columns/align.js";
import { type Field, type PreparedTables, rowsOf } from "./columns/fields.js";
import { countWords, rarities } from "./columns/lists.js";
import { isText } from "./columns/profile.js";
import { type CountedWords, rowWords } from "./columns/row-words.js";
import { TextNumbers, textCount } from "./columns/texts.js";
import { readValues } from "./columns/value-set.js";
import { comparisonSettings, type EvidenceColumn, rowComparison } from "./evidence/pair-evidence.js";
import { explainPair, type RowExplanation } from "./explain.js";
import { countGrams, type GramLists, gramLists, weighGrams } from "./spelling/gram-sets.js";
import { scorePairs, type Weights } from "./weights/learn.js";

/** What was learned from a table. */
export interface LearnedRows {
  readonly fields: readonly Pick<Field, "name" | "other" | "kind" | "profile" | "siblings">[];
  /** Index of the field that names the row; -1 without a text column. */
  readonly naming: number;
  readonly evidence: readonly EvidenceColumn[];
  readonly weights: Weights;
}

/** In how many rows each value, word and gram of a column occurs, by number; `filled` is one number. */
export type FieldCounts = Readonly<Record<"filled" | "values" | "words" | "grams", Uint32Array>>;

export interface RowCounts {
  readonly rows: number;
  readonly words: Uint32Array;
  readonly fields: readonly FieldCounts[];
}

export interface ReadRows {
  readonly given: TableColumns;
  readonly tables: PreparedTables;
  readonly words: CountedWords;
  /** Of the values of each field, of texts only. */
  readonly grams: readonly (GramLists | undefined)[];
}

export function readRows(given: TableColumns, { fields, naming }: LearnedRows): ReadRows {
  const vocabulary = new TextNumbers();
  const rows = rowsOf(given);
  const order = Uint32Array.from({ length: rows }, (_, row) => row);
  const read = fields.map(({ name, other, kind, profile, siblings }): Field => {
    // A few rows do not show the order of day and month, so that of the whole table counts.
    const values = readValues(given[name], given[name], kind, vocabulary, [profile.dayFirst]);
    return { name, other, kind, profile, siblings, ...values };
  });
  const tables: PreparedTables = {
    ...{ isOneTable: true, rows: [rows, rows], naming, alone: [[], []], dropped: [], fields: read },
    ...{ order: [order, order], vocabulary: vocabulary.texts() },
  };
  const grams = tables.fields.map(({ kind, set }) => (isText(kind) ? gramLists(set.texts) : undefined));
  return { given, tables, words: rowWords(tables), grams };
}

/** The counts within the rows. */
export function countRows({ tables: { fields, rows, vocabulary }, words, grams }: ReadRows): RowCounts {
  const none = new Uint32Array(0);
  return {
    rows: rows[0],
    words: words.rows.slice(),
    fields: fields.map(({ kind, set }, index) => {
      const ofField = { filled: Uint32Array.of(set.filled), values: set.counts.slice() };
      if (!isText(kind)) return { ...ofField, words: none, grams: none };
      const ofWords = countWords(set.words, textCount(vocabulary), set.counts);
      return { ...ofField, words: ofWords, grams: countGrams(grams[index]!, set.counts) };
    }),
  };
}

/** Scores and explains pairs of rows. */
export interface PairScorer {
  /** Log-odds of each pair. */
  scores(left: Int32Array, right: Int32Array): Float64Array;
  explain(a: number, b: number): RowExplanation;
  /** The same, which also compares embeddings of the naming column. */
  withVectors(vectors: NamingVectors): PairScorer;
}

/** @param whole the counts of the whole table, which stand for those of the rows */
export function pairScorer(
  { given, tables: own, words, grams }: ReadRows,
  whole: RowCounts,
  learned: LearnedRows,
): PairScorer {
  const fields = own.fields.map((field, index): Field => {
    const { filled, values: counts, words: rowsWith } = whole.fields[index];
    const rarity = isText(field.kind) ? rarities(rowsWith, filled[0]) : field.set.rarity;
    return { ...field, set: { ...field.set, counts, filled: filled[0], rarity } };
  });
  const tables = { ...own, fields };
  const settings = comparisonSettings(
    tables,
    { ...words, rarity: rarities(whole.words, whole.rows) },
    undefined,
    grams.map(
      (lists, index) => lists && weighGrams(lists, whole.fields[index].grams, whole.fields[index].filled[0]),
    ),
    fields.map((_, index) =>
      learned.evidence.some(({ field, from, unit }) => field < 0 && from === index && unit !== from),
    ),
  );
  const { evidence, weights } = learned;
  const scorerWith = (vectors?: NamingVectors): PairScorer => {
    const comparison = rowComparison({ ...settings, vectors });
    const compared = { columns: evidence, comparison, tables };
    return {
      scores: (left, right) => scorePairs(comparison.compareAll({ left, right }), weights, evidence),
      explain: (left, right) =>
        explainPair(compared, weights, { left, right }, { left: given, right: given }),
      withVectors: scorerWith,
    };
  };
  return scorerWith();
}
