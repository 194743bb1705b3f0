/**
 * Candidate pairs of two tables, or of one, from several sources: rare words of the whole row, letters and embedding of
 * the naming column, words of each other text column, and equal codes. Every source is bounded per row.
 */

import { dotRows } from "../../search/vectors.js";
import { type Field, isText, type PreparedTables } from "../columns/fields.js";
import type { RowWords } from "../columns/row-words.js";
import { pauses } from "../pause.js";
import { equalCodes } from "./equal-codes.js";
import { indexTerms, type SparseRows, termRows, termSearch } from "./grams.js";
import { nearestByEmbedding } from "./nearest-by-embedding.js";
import { PairSet, type Pairs } from "./pair-set.js";
import { fieldTerms, type Terms, wordTerms } from "./word-terms.js";

export interface CandidateOptions {
  /** Candidates per row and source. */
  readonly k: number;
  /** The same for columns other than the naming one. */
  readonly kOther: number;
  /** Postings visited per row and source. */
  readonly postings: number;
  /** Pairs that are candidates in any case. */
  readonly known?: readonly { readonly left: number; readonly right: number }[];
  readonly signal?: AbortSignal;
}

/** Embeddings of the values of the naming column, [values, dimension] at unit length. */
export interface NamingVectors {
  readonly data: Float32Array;
  readonly dimension: number;
}

const leastCosine = 0.3;

/** An aborted call rejects with the reason of its signal. */
export async function findCandidates(
  tables: PreparedTables,
  words: RowWords,
  vectors: NamingVectors | undefined,
  { k, kOther, postings, known = [], signal }: CandidateOptions,
): Promise<Pairs> {
  const { fields, naming, rows, isOneTable } = tables;
  const pairs = new PairSet(rows[1]);
  const add: AddPair = isOneTable
    ? (a, b) => (a < b ? pairs.add(a, b) : a > b ? pairs.add(b, a) : undefined)
    : (a, b) => pairs.add(a, b);
  const search = async ({ left, right }: Terms, terms: number, limits: Nearest): Promise<void> => {
    const statistics = { documents: new Uint32Array(terms), buckets: terms, rows: rows[0] };
    const isSame = (query: number, row: number): boolean => isOneTable && query === row;
    const options = { ...limits, postings, isSame, signal };
    await searchRows(right, indexTerms(left, statistics), options, (row, base) => add(base, row));
    if (!isOneTable) await searchRows(left, indexTerms(right, statistics), options, add);
  };
  const vocabulary = tables.vocabulary.words.length;
  await search(wordTerms(words, rows, isOneTable), vocabulary, { k, least: 0 });
  for (const [index, field] of fields.entries()) {
    if (index === naming) {
      const grams = gramTerms(field, isOneTable);
      await search(grams, grams.terms, { k, least: 0 });
    } else if (isText(field.kind))
      await search(fieldTerms(field), vocabulary, { k: kOther, least: leastCosine });
  }
  if (vectors !== undefined) await nearNames(fields[naming], vectors, k, isOneTable, add);
  equalCodes(fields, isOneTable, add);
  for (const { left, right } of known) add(left, right);
  return pairs.finish();
}

type AddPair = (left: number, right: number) => void;

/** The nearest rows of a query, of more than a least cosine. */
interface Nearest {
  readonly k: number;
  readonly least: number;
}

interface SearchOptions extends Nearest {
  readonly postings: number;
  isSame(query: number, row: number): boolean;
  readonly signal?: AbortSignal;
}

async function searchRows(
  queries: SparseRows,
  index: SparseRows,
  { k, least, postings, isSame, signal }: SearchOptions,
  add: (query: number, row: number) => void,
): Promise<void> {
  const size = index.columns.reduce((most, row) => Math.max(most, row), -1) + 1;
  const search = termSearch(index, size);
  const pause = pauses(signal);
  for (let query = 0; query + 1 < queries.starts.length; query++) {
    await pause();
    const accept = (row: number): boolean => !isSame(query, row);
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
  add: AddPair,
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
