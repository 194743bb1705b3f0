/**
 * Candidate pairs of two tables, or of one, from several sources: rare words of the whole row, letters and embedding of
 * the naming column, words of each other text column, and equal codes. Every source is bounded per row.
 */

import { dotRows } from "../../search/vectors.js";
import { type Field, isText, type PreparedTables } from "../columns/fields.js";
import type { RowWords } from "../columns/row-words.js";
import { equalCodes } from "./equal-codes.js";
import { indexTerms, type SparseRows, termRows, termSearch } from "./grams.js";
import { nearestByEmbedding } from "./nearest-by-embedding.js";
import { PairSet, type Pairs } from "./pair-set.js";
import { fieldTerms, wordTerms } from "./word-terms.js";

export interface CandidateLimits {
  /** Candidates per row and source. */
  readonly k: number;
  /** The same for columns other than the naming one. */
  readonly kOther: number;
  /** Postings visited per row and source. */
  readonly postings: number;
}

/** Embeddings of the values of the naming column, [values, dimension] at unit length. */
export interface NamingVectors {
  readonly data: Float32Array;
  readonly dimension: number;
}

const leastCosine = 0.3;

export async function findCandidates(
  tables: PreparedTables,
  words: RowWords,
  vectors: NamingVectors | undefined,
  limits: CandidateLimits,
  known: readonly { readonly left: number; readonly right: number }[] = [],
): Promise<Pairs> {
  const { fields, naming, rows, isOneTable } = tables;
  const pairs = new PairSet(rows[1]);
  const add = isOneTable
    ? (a: number, b: number): void => (a < b ? pairs.add(a, b) : a > b ? pairs.add(b, a) : undefined)
    : (a: number, b: number): void => pairs.add(a, b);
  const search = (left: SparseRows, right: SparseRows, terms: number, k: number, least: number): void => {
    const documents = new Uint32Array(terms);
    const statistics = { documents, buckets: terms, rows: rows[0] };
    const options = { k, postings: limits.postings, least };
    searchRows(right, indexTerms(left, statistics), rows[0], options, isOneTable, (row, base) =>
      add(base, row),
    );
    if (isOneTable) return;
    searchRows(left, indexTerms(right, statistics), rows[1], options, isOneTable, add);
  };
  const vocabulary = tables.vocabulary.words.length;
  const ofRows = wordTerms(words, rows, isOneTable);
  search(ofRows.left, ofRows.right, vocabulary, limits.k, 0);
  fields.forEach((field, index) => {
    if (index === naming) {
      const grams = gramTerms(field, isOneTable);
      search(grams.left, grams.right, grams.terms, limits.k, 0);
    } else if (isText(field.kind)) {
      const terms = fieldTerms(field);
      search(terms.left, terms.right, vocabulary, limits.kOther, leastCosine);
    }
  });
  if (vectors !== undefined) await nearNames(fields[naming], vectors, limits.k, isOneTable, add);
  equalCodes(fields, isOneTable, add);
  for (const { left, right } of known) add(left, right);
  return pairs.finish();
}

function searchRows(
  queries: SparseRows,
  index: SparseRows,
  size: number,
  { k, postings, least }: { readonly k: number; readonly postings: number; readonly least: number },
  isOneTable: boolean,
  add: (query: number, row: number) => void,
): void {
  const search = termSearch(index, size);
  for (let query = 0; query + 1 < queries.starts.length; query++) {
    const accept = isOneTable ? (row: number): boolean => row !== query : undefined;
    for (const { row, score } of search(queries, query, { k, postings, accept }))
      if (score > least) add(query, row);
  }
}

/** Letters, words and initials of the naming column. */
function gramTerms({ set, left, right }: Field, isOneTable: boolean) {
  const textsOf = (values: Int32Array): string[] =>
    Array.from(values, (value) => (value < 0 ? "" : set.texts[value]));
  const found = termRows(textsOf(left), isOneTable ? [] : textsOf(right));
  return {
    left: found.left,
    right: isOneTable ? found.left : found.right,
    terms: found.statistics.documents.length,
  };
}

/** Rows whose naming values have near embeddings; of equal values, `k` rows at most. */
async function nearNames(
  { set, left, right }: Field,
  { data, dimension }: NamingVectors,
  k: number,
  isOneTable: boolean,
  add: (left: number, right: number) => void,
): Promise<void> {
  const [leftRows, rightRows] = [rowsByValue(left, set.texts.length), rowsByValue(right, set.texts.length)];
  const search = async (
    from: number[][],
    to: number[][],
    take: (a: number, b: number) => void,
  ): Promise<void> => {
    const base = [...to.keys()].filter((value) => to[value].length > 0);
    const asked = [...from.keys()].filter((value) => from[value].length > 0);
    const vectorsOf = (values: readonly number[]): Float32Array => {
      const gathered = new Float32Array(values.length * dimension);
      values.forEach((value, place) => {
        gathered.set(data.subarray(value * dimension, (value + 1) * dimension), place * dimension);
      });
      return gathered;
    };
    const texts = base.map((value) => set.texts[value]);
    const columns = {
      dimension,
      base: { texts, vectors: vectorsOf(base) },
      queries: { vectors: vectorsOf(asked) },
    };
    const places = Uint32Array.from(asked.keys());
    const near = await nearestByEmbedding(columns, places, { k: k + (isOneTable ? 1 : 0) });
    asked.forEach((value, place) => {
      let left = k;
      for (let at = place * near.k; at < (place + 1) * near.k && near.rows[at] >= 0 && left > 0; at++) {
        const other = base[near.rows[at]];
        if (dotRows(data, value, data, other, dimension) <= leastCosine) continue;
        const partners = to[other];
        const count = Math.min(left, partners.length);
        // Rows with equal values get different partners, so that every row with the value is met.
        from[value].forEach((row, first) => {
          for (let step = 0; step < count; step++) take(row, partners[(first + step) % partners.length]);
        });
        left -= count;
      }
    });
  };
  await search(leftRows, rightRows, add);
  if (!isOneTable) await search(rightRows, leftRows, (row, base) => add(base, row));
}

function rowsByValue(values: Int32Array, count: number): number[][] {
  const rows: number[][] = Array.from({ length: count }, () => []);
  values.forEach((value, row) => {
    if (value >= 0) rows[value].push(row);
  });
  return rows;
}
