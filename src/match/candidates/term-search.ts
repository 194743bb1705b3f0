/**
 * The rows most similar to a query by weighted terms. Terms are followed from the rarest. Once the remaining ones cannot
 * lift another row among the best, they are only looked up in the rows that are still in the race (MaxScore, Turtle and
 * Flood 1995); results are the same as without this.
 */

import type { Range } from "../../files/shards/shard.js";
import { remembering } from "../once.js";
import type { SparseRows, TermIndex } from "./grams.js";

export interface TermSearchOptions {
  readonly k: number;
  /** Maximum postings visited; those of the rarest term are always visited. */
  readonly postings: number;
  /** A query finds nothing if each of its terms has more postings than this. Default: every query is followed. */
  readonly mostOfRarest?: number;
  /** Whether a row may be returned. Default: every row. */
  readonly accept?: (row: number) => boolean;
}

/** A row that was found, with its score. */
export interface ScoredRow {
  readonly row: number;
  readonly score: number;
}

/** Sums are rounded to 32 bits: closer scores are not told apart. */
const rounding = 1e-5;
/** Steps along postings that take as long as a look at the terms of a row. */
const lookUp = 40;

/** The terms of a query that are followed, the rarest first. */
interface Followed {
  readonly queries: SparseRows;
  /** Their places among the queries' terms. */
  readonly places: readonly number[];
  /** By step: what its term and the later ones can add to a row, and their postings; 0 after the last. */
  readonly bounds: Float64Array;
  readonly postings: Float64Array;
  /** By step: how many rows had a sum before it. */
  readonly known: Uint32Array;
}

/**
 * Finds the k of the indexed rows most similar to a row of a table, best first; of equal ones the earlier comes first.
 * At most `postings` entries are visited: common terms carry little information, and the bound keeps the work per query
 * independent of the table's size.
 */
export class TermSearch {
  readonly #index: TermIndex;
  readonly #rows: SparseRows;
  readonly #found: RowSums;
  readonly #rest = new RestOfQuery();
  #racing = new Uint32Array(64);

  /** @param rows the indexed rows */
  constructor(index: TermIndex, rows: SparseRows) {
    this.#index = index;
    this.#rows = rows;
    this.#found = new RowSums(rows.starts.length - 1);
  }

  find(queries: SparseRows, query: number, { k, accept, ...limits }: TermSearchOptions): ScoredRow[] {
    const followed = this.#followed(queries, this.#placesOf(queries, query, limits));
    const { places, bounds, postings, known } = followed;
    const { starts, columns: rows, weights: values } = this.#index;
    const best = new BestRows(k, accept);
    const found = this.#found;
    found.start(postings[0]);
    for (let step = 0; step < places.length; step++) {
      const term = queries.columns[places[step]];
      // Only where a look at the rows so far takes less than the term's postings, and may end the search.
      const mayEnd = bounds[0] - bounds[step] > bounds[step] && found.count <= this.#length(term);
      if (mayEnd && this.#finish(followed, step, best)) return best.rows();
      known[step] = found.count;
      found.add(rows, queries.weights[places[step]], { values, from: starts[term], to: starts[term + 1] });
    }
    this.#fill(best, followed, places.length);
    return best.rows();
  }

  #followed(queries: SparseRows, places: readonly number[]): Followed {
    const [bounds, postings] = [0, 1].map(() => new Float64Array(places.length + 1));
    for (let step = places.length - 1; step >= 0; step--) {
      const term = queries.columns[places[step]];
      bounds[step] = bounds[step + 1] + queries.weights[places[step]] * this.#index.largest[term];
      postings[step] = postings[step + 1] + this.#length(term);
    }
    return { queries, places, bounds, postings, known: new Uint32Array(places.length) };
  }

  /** Starts again with the rows found before a step. */
  #fill(best: BestRows, { bounds, known }: Followed, step: number): void {
    best.clear();
    const { count } = this.#found;
    for (let from = 0; from < step; from++) {
      // Rows that came with a term have no more than that and the later ones could give.
      if (best.least() > bounds[from] - bounds[step] + rounding) break;
      best.add(this.#found, this.#found.slots, known[from], from + 1 < step ? known[from + 1] : count);
    }
  }

  #length(term: number): number {
    return this.#index.starts[term + 1] - this.#index.starts[term];
  }

  /** The places of a query's terms to follow, the rarest first; that one in any case, or none if it is too common. */
  #placesOf(
    { starts, columns }: SparseRows,
    query: number,
    { postings, mostOfRarest = Infinity }: Pick<TermSearchOptions, "postings" | "mostOfRarest">,
  ): number[] {
    const places: number[] = [];
    for (let place = starts[query]; place < starts[query + 1]; place++)
      if (this.#length(columns[place]) > 0) places.push(place);
    places.sort((a, b) => this.#length(columns[a]) - this.#length(columns[b]));
    if (places.length > 0 && this.#length(columns[places[0]]) > mostOfRarest) return [];
    let [visited, used] = [0, 0];
    while (used < places.length) {
      visited += this.#length(columns[places[used]]);
      if (visited > postings && used > 0) break;
      used++;
    }
    return places.slice(0, used);
  }

  /**
   * Adds the terms from a step on to the rows that may still be among the best, if that is less work than to follow them.
   * @returns whether that has been done
   */
  #finish(followed: Followed, step: number, best: BestRows): boolean {
    const { queries, places, bounds, postings } = followed;
    this.#fill(best, followed, step);
    const needed = best.least() - bounds[step] - rounding;
    if (needed <= 0) return false;
    const racing = this.#rowsFrom(needed, postings[step] / lookUp);
    if (racing === undefined) return false;
    this.#rest.begin(queries, places, step);
    for (const slot of racing) this.#rest.addTo(this.#found.sums, slot, this.#rows, this.#found.rowAt(slot));
    best.clear();
    best.add(this.#found, racing, 0, racing.length);
    return true;
  }

  /** The slots of rows that have a sum of so much; undefined if these are as many as a limit, or more. */
  #rowsFrom(needed: number, limit: number): Uint32Array | undefined {
    const { sums, slots, count } = this.#found;
    if (this.#racing.length < limit) this.#racing = new Uint32Array(2 * limit);
    const racing = this.#racing;
    let length = 0;
    for (let place = 0; place < count; place++) {
      if (sums[slots[place]] < needed) continue;
      if (length + 1 >= limit) return undefined;
      racing[length++] = slots[place];
    }
    return racing.subarray(0, length);
  }
}

/** The k best rows of those offered: the greatest scores, of equal ones the earlier row. */
export class BestRows {
  readonly #rows: Uint32Array;
  readonly #scores: Float32Array;
  readonly #accept: ((row: number) => boolean) | undefined;
  #count = 0;

  constructor(k: number, accept?: (row: number) => boolean) {
    this.#rows = new Uint32Array(k);
    this.#scores = new Float32Array(k);
    this.#accept = accept;
  }

  clear(): void {
    this.#count = 0;
  }

  /** Offers the rows of some slots. @param to exclusive */
  add(found: RowSums, slots: Uint32Array, from: number, to: number): void {
    const k = this.#rows.length;
    const { sums } = found;
    let least = this.least();
    for (let at = from; at < to; at++) {
      const score = sums[slots[at]];
      // Most rows; the others are looked at closely.
      if (score < least) continue;
      const row = found.rowAt(slots[at]);
      if (this.#count === k && !this.#isBetter(row, score, k - 1)) continue;
      if (this.#accept !== undefined && !this.#accept(row)) continue;
      let place = this.#count === k ? k - 1 : this.#count++;
      while (place > 0 && this.#isBetter(row, score, place - 1)) {
        this.#rows[place] = this.#rows[place - 1];
        this.#scores[place] = this.#scores[place - 1];
        place--;
      }
      this.#rows[place] = row;
      this.#scores[place] = score;
      least = this.least();
    }
  }

  #isBetter(row: number, score: number, place: number): boolean {
    return score > this.#scores[place] || (score === this.#scores[place] && row < this.#rows[place]);
  }

  /** The score of the last of k rows; -Infinity if there are fewer. */
  least(): number {
    const k = this.#rows.length;
    return this.#count === k ? this.#scores[k - 1] : -Infinity;
  }

  rows(): ScoredRow[] {
    return Array.from({ length: this.#count }, (_, place) => {
      return { row: this.#rows[place], score: this.#scores[place] };
    });
  }
}

/** The terms of a query that are looked up in rows. */
class RestOfQuery {
  #terms: number[] = [];
  #weights: number[] = [];
  /** What each term adds to a row. */
  #gains = new Float64Array(64);
  /** The last five bits of each term: most terms of rows are passed over by them. */
  #bits = 0;

  begin({ columns, weights }: SparseRows, places: readonly number[], step: number): void {
    const rest = places.slice(step);
    this.#terms = rest.map((place) => columns[place]);
    this.#weights = rest.map((place) => weights[place]);
    this.#bits = this.#terms.reduce((bits, term) => bits | (1 << term), 0);
    if (this.#gains.length < rest.length) this.#gains = new Float64Array(2 * rest.length);
  }

  /** Adds the terms to the sum of a row, in their order: sums of 32 bits depend on it. */
  addTo(sums: Float32Array, slot: number, { starts, columns, weights }: SparseRows, row: number): void {
    const [terms, gains, bits] = [this.#terms, this.#gains, this.#bits];
    for (let at = 0; at < terms.length; at++) gains[at] = 0;
    for (let place = starts[row]; place < starts[row + 1]; place++) {
      if ((bits & (1 << columns[place])) === 0) continue;
      const term = columns[place];
      let at = terms.length - 1;
      while (at >= 0 && terms[at] !== term) at--;
      if (at >= 0) gains[at] = this.#weights[at] * weights[place];
    }
    for (let at = 0; at < terms.length; at++) sums[slot] += gains[at];
  }
}

/** 2³² divided by the golden ratio: evenly spaced rows get slots far apart (Knuth, The Art of Computer Programming 3, 6.4). */
const golden = 0x9e3779b1;
/** The sums of more rows are too far apart for a processor's caches. */
const mostDense = 2_000_000;

interface AddOptions {
  /** For each row, what the weight is multiplied with. */
  readonly values?: Float32Array;
  readonly from: number;
  /** Exclusive. */
  readonly to: number;
}

/**
 * An array of all rows of a table, in which each row is its own slot; for a large table a hash table, whose size grows with the
 * rows that have a sum. A slot keeps its row until the next start.
 */
export class RowSums {
  readonly #isDense: boolean;
  /** Of each slot its row, counted from 1, and 0 where it is free; unused where rows are slots. */
  #keys = new Uint32Array(0);
  #bits = 0;
  /** By slot; 0 where no row has one. */
  sums: Float32Array;
  /** Slots of rows with a sum, as they came. */
  slots: Uint32Array;
  count = 0;

  /** @param rows of the table */
  constructor(rows = Infinity) {
    this.#isDense = rows <= mostDense;
    this.sums = new Float32Array(this.#isDense ? rows : 0);
    this.slots = new Uint32Array(this.sums.length + 1);
  }

  /** Starts again without any sum. @param most rows that may get one, at most */
  start(most: number): void {
    const { sums, slots, count } = this;
    for (let place = 0; place < count; place++) sums[slots[place]] = 0;
    if (!this.#isDense) for (let place = 0; place < count; place++) this.#keys[slots[place]] = 0;
    this.count = 0;
    if (this.#isDense) return;
    this.#bits = 33 - Math.clz32(most);
    if (this.sums.length >= 2 ** this.#bits) return;
    this.#keys = new Uint32Array(2 ** this.#bits);
    this.sums = new Float32Array(2 ** this.#bits);
    this.slots = new Uint32Array(2 ** this.#bits);
  }

  rowAt(slot: number): number {
    return this.#isDense ? slot : this.#keys[slot] - 1;
  }

  /** Adds a weight above 0 to rows, or to the part of them that the options name. */
  add(rows: Uint32Array, weight: number, options: AddOptions = { from: 0, to: rows.length }): void {
    if (this.#isDense) this.#addDense(rows, weight, options);
    else this.#addHashed(rows, weight, options);
  }

  #addDense(rows: Uint32Array, weight: number, { values, from, to }: AddOptions): void {
    const { sums, slots } = this;
    let count = this.count;
    for (let place = from; place < to; place++) {
      const row = rows[place];
      const before = sums[row];
      // Without a branch, which processors would guess wrong for every other row.
      slots[count] = row;
      count += Number(before === 0);
      sums[row] = before + (values === undefined ? weight : weight * values[place]);
    }
    this.count = count;
  }

  #addHashed(rows: Uint32Array, weight: number, { values, from, to }: AddOptions): void {
    const { sums, slots } = this;
    const [keys, shift, last] = [this.#keys, 32 - this.#bits, 2 ** this.#bits - 1];
    let count = this.count;
    for (let place = from; place < to; place++) {
      const key = rows[place] + 1;
      let slot = Math.imul(key, golden) >>> shift;
      while (keys[slot] !== key) {
        if (keys[slot] === 0) {
          keys[slot] = key;
          slots[count++] = slot;
          break;
        }
        slot = (slot + 1) & last;
      }
      sums[slot] += values === undefined ? weight : weight * values[place];
    }
    this.count = count;
  }
}

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

/** Finds the nearest rows of ranges of query rows: what one thread does of the search for candidates. */
export function openSearch({ queries, base, index, k, least, isOneTable, ...limits }: SearchSettings) {
  const search = new TermSearch(index, base);
  // A row finds itself too, and is then passed over.
  const most = isOneTable ? k + 1 : k;
  const find = (query: number): number[] =>
    search
      .find(queries, query, { ...limits, k: most })
      .filter(({ score }) => score > least)
      .map(({ row }) => row);
  const { values } = queries;
  let asked = 0;
  // Any query of a value finds the same rows: a common value takes long to search for.
  const ofValue = remembering(() => find(asked), 2 ** 14);
  const rowsFor = (query: number): number[] => {
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
