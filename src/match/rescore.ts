/**
 * Scores rows by weights learned before. A few rows are read as a part of the whole table: the rarity of their values and
 * words is that of the table, which is not read again.
 */
import type { NamingVectors } from "./candidates/near-names.js";
import { explainPair, type RowExplanation } from "./column-report.js";
import type { TableColumns } from "./columns/align.js";
import { type Field, isText, type PreparedTables, rowsOf } from "./columns/fields.js";
import { type RowWords, rowWords } from "./columns/row-words.js";
import { eachText, TextNumbers } from "./columns/texts.js";
import { readValues } from "./columns/value-set.js";
import { rarities } from "./columns/vocabulary.js";
import { comparisonSettings, type EvidenceColumn, rowComparison } from "./evidence/pair-evidence.js";
import { scorePairs, type Weights } from "./weights/learn.js";

/** What was learned from a table. */
export interface LearnedRows {
  readonly fields: readonly Pick<Field, "name" | "other" | "kind" | "profile">[];
  /** Index of the field that names the row; -1 without a text column. */
  readonly naming: number;
  readonly evidence: readonly EvidenceColumn[];
  readonly weights: Weights;
}

/** How often values and words occur in the whole table. */
export interface WholeCounts {
  readonly rows: number;
  filled(field: number): number;
  value(field: number, text: string): number;
  fieldWord(field: number, word: string): number;
  rowWord(word: string): number;
}

export interface ReadRows {
  readonly given: TableColumns;
  readonly tables: PreparedTables;
  readonly words: RowWords;
}

export function readRows(given: TableColumns, { fields, naming }: LearnedRows): ReadRows {
  const vocabulary = new TextNumbers();
  const rows = rowsOf(given);
  const order = Uint32Array.from({ length: rows }, (_, row) => row);
  const read = fields.map(({ name, other, kind, profile }): Field => {
    return { name, other, kind, profile, ...readValues(given[name], given[name], kind, vocabulary) };
  });
  const tables: PreparedTables = {
    ...{ isOneTable: true, rows: [rows, rows], naming, alone: [[], []], dropped: [], fields: read },
    ...{ order: [order, order], vocabulary: vocabulary.texts() },
  };
  return { given, tables, words: rowWords(tables) };
}

/** The rows with the counts of the whole table in place of their own. */
export function asPartOf({ given, tables, words }: ReadRows, whole: WholeCounts): ReadRows {
  const names = [...eachText(tables.vocabulary)];
  const rarityOf = (rows: number, count: (word: string) => number): Float32Array =>
    rarities(Uint32Array.from(names, count), rows);
  const fields = tables.fields.map((field, index): Field => {
    const counts = Uint32Array.from(eachText(field.set.texts), (text) => whole.value(index, text));
    const filled = whole.filled(index);
    const rarity = isText(field.kind)
      ? rarityOf(filled, (word) => whole.fieldWord(index, word))
      : field.set.rarity;
    return { ...field, set: { ...field.set, counts, filled, rarity } };
  });
  const rows = Uint32Array.from(names, whole.rowWord);
  return {
    given,
    tables: { ...tables, fields },
    words: { ...words, rows, rarity: rarities(rows, whole.rows) },
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

export function pairScorer({ given, tables, words }: ReadRows, learned: LearnedRows): PairScorer {
  const settings = comparisonSettings(tables, words);
  const { evidence, weights } = learned;
  const scorerWith = (vectors?: NamingVectors): PairScorer => {
    const comparison = rowComparison({ ...settings, vectors });
    const compared = { columns: evidence, comparison, tables };
    return {
      scores: (left, right) => {
        const levels = evidence.map(() => new Int8Array(left.length));
        left.forEach((row, pair) => comparison.compare(row, right[pair], levels, pair));
        return scorePairs(levels, weights, evidence);
      },
      explain: (left, right) =>
        explainPair(compared, weights, { left, right }, { left: given, right: given }),
      withVectors: scorerWith,
    };
  };
  return scorerWith();
}
