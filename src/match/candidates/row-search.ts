/** The nearest rows of a range of query rows by terms: what one thread does of the search for candidates. */
import type { SparseRows, TermIndex } from "./grams.js";
import { TermSearch } from "./term-search.js";

export interface SearchSettings {
  readonly queries: SparseRows;
  /** The rows that are found, and their index by term. */
  readonly base: SparseRows;
  readonly index: TermIndex;
  readonly k: number;
  /** Rows of a smaller cosine are left out. */
  readonly least: number;
  /** Postings visited per query. */
  readonly postings: number;
  /** Queries and found rows are the same: a row does not find itself. */
  readonly isOneTable: boolean;
}

/** Query rows and what they found, pair by pair. */
export interface FoundRows {
  readonly queries: Int32Array;
  readonly rows: Int32Array;
}

export function openSearch({ queries, base, index, k, least, postings, isOneTable }: SearchSettings) {
  const search = new TermSearch(index, base);
  return ({ from, to }: { readonly from: number; readonly to: number }): FoundRows => {
    const found = { queries: new Int32Array(k * (to - from)), rows: new Int32Array(k * (to - from)) };
    let count = 0;
    for (let query = from; query < to; query++) {
      const accept = isOneTable ? (row: number): boolean => row !== query : undefined;
      for (const { row, score } of search.find(queries, query, { k, postings, accept })) {
        if (score <= least) continue;
        found.queries[count] = query;
        found.rows[count++] = row;
      }
    }
    return { queries: found.queries.slice(0, count), rows: found.rows.slice(0, count) };
  };
}
