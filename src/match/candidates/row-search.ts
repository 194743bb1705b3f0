/** The nearest rows of a range of query rows by terms: what one thread does of the search for candidates. */
import type { Range } from "../../files/shards/shard.js";
import { remembering } from "../once.js";
import type { SparseRows, TermIndex } from "./grams.js";
import { TermSearch, type TermSearchOptions } from "./term-search.js";

/** The terms of rows, of which those of one value are equal. */
export interface RowTerms extends SparseRows {
  /** The value of each row; undefined where most rows have terms of their own. */
  readonly values?: Int32Array;
}

export interface SearchSettings extends Omit<TermSearchOptions, "accept"> {
  readonly queries: RowTerms;
  /** The rows that are found, and their index by term. */
  readonly base: SparseRows;
  readonly index: TermIndex;
  /** Rows of a smaller cosine are left out. */
  readonly least: number;
  /** Queries and found rows are the same: a row does not find itself. */
  readonly isOneTable: boolean;
}

/** Query rows and what they found, pair by pair. */
export interface FoundRows {
  readonly queries: Int32Array;
  readonly rows: Int32Array;
}

export function openSearch({ queries, base, index, k, least, isOneTable, ...limits }: SearchSettings) {
  const search = new TermSearch(index, base);
  // A row finds itself too, and is then passed over.
  const most = isOneTable ? k + 1 : k;
  const find = (query: number): Uint32Array => {
    const found = search.find(queries, query, { ...limits, k: most }).filter(({ score }) => score > least);
    return Uint32Array.from(found, ({ row }) => row);
  };
  const { values } = queries;
  let asked = 0;
  // Any query of a value finds the same rows: a common value takes long to search for.
  const ofValue = remembering(() => find(asked), 2 ** 14);
  const rowsFor = (query: number): Uint32Array => {
    if (values === undefined || values[query] < 0) return find(query);
    asked = query;
    return ofValue(values[query]);
  };
  return ({ from, to }: Range): FoundRows => {
    const found = { queries: new Int32Array(k * (to - from)), rows: new Int32Array(k * (to - from)) };
    let count = 0;
    for (let query = from; query < to; query++) {
      let open = k;
      for (const row of rowsFor(query)) {
        if (open === 0) break;
        if (isOneTable && row === query) continue;
        open--;
        found.queries[count] = query;
        found.rows[count++] = row;
      }
    }
    return { queries: found.queries.slice(0, count), rows: found.rows.slice(0, count) };
  };
}
