/**
 * The rows most similar to a query by weighted terms. Terms are followed from the rarest. Once the remaining ones cannot
 * lift another row among the best, they are only looked up in the rows that are still in the race (MaxScore, Turtle and
 * Flood 1995); results are the same as without this.
 */
import { placeIn } from "../weights/chosen-places.js";
import type { SparseRows, TermIndex } from "./grams.js";
import { RowSums } from "./row-sums.js";

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
/** Steps to look a term up in a row, against one step along its postings. */
const lookUp = 6;

/** What the terms from a place of a query on can add to a row, and their postings. */
interface Rest {
  bound: number;
  postings: number;
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

  /** @param rows the indexed rows */
  constructor(index: TermIndex, rows: SparseRows) {
    this.#index = index;
    this.#rows = rows;
    this.#found = new RowSums(rows.starts.length - 1);
  }

  find(queries: SparseRows, query: number, { k, accept, ...limits }: TermSearchOptions): ScoredRow[] {
    const { columns, weights } = queries;
    const places = this.#placesOf(queries, query, limits);
    const best = new BestRows(k, accept);
    const rest: Rest = { bound: 0, postings: 0 };
    for (const place of places) {
      rest.bound += weights[place] * this.#index.largest[columns[place]];
      rest.postings += this.#length(columns[place]);
    }
    const found = this.#found;
    found.start(rest.postings);
    let isDone = false;
    for (let step = 0; step < places.length && !isDone; step++) {
      const place = places[step];
      const term = columns[place];
      // Only where a look at the rows so far takes less than the term's postings.
      if (found.count > 0 && found.count <= this.#length(term)) {
        best.fill(found);
        isDone = this.#finish(queries, places.slice(step), best, rest);
        if (isDone) break;
      }
      const { starts, columns: rows, weights: values } = this.#index;
      found.add(rows, weights[place], { values, from: starts[term], to: starts[term + 1] });
      rest.bound -= weights[place] * this.#index.largest[term];
      rest.postings -= this.#length(term);
    }
    if (!isDone) best.fill(found);
    return best.rows();
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

  /** Adds the remaining terms to the rows that may still be among the best, if that is less work than to follow them. */
  #finish({ columns, weights }: SparseRows, places: readonly number[], best: BestRows, rest: Rest): boolean {
    const needed = best.least() - rest.bound - rounding;
    if (needed <= 0) return false;
    const { sums, slots, count } = this.#found;
    const racing: number[] = [];
    for (let place = 0; place < count; place++) if (sums[slots[place]] >= needed) racing.push(slots[place]);
    if (racing.length * places.length * lookUp >= rest.postings) return false;
    for (const slot of racing) {
      const row = this.#found.rowAt(slot);
      for (const place of places) sums[slot] += weights[place] * weightIn(this.#rows, row, columns[place]);
    }
    best.fill(this.#found, Uint32Array.from(racing));
    return true;
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

  /** Starts again with rows of these slots. */
  fill(found: RowSums, slots = found.slots.subarray(0, found.count)): void {
    const k = this.#rows.length;
    const { sums } = found;
    this.#count = 0;
    for (let at = 0; at < slots.length; at++) {
      const score = sums[slots[at]];
      // Most rows; the others are looked at closely.
      if (this.#count === k && score < this.#scores[k - 1]) continue;
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

/** Weight of a term in a row, 0 without it. */
function weightIn({ starts, columns, weights }: SparseRows, row: number, term: number): number {
  const place = placeIn(starts[row], starts[row + 1], (at) => columns[at] < term);
  return place < starts[row + 1] && columns[place] === term ? weights[place] : 0;
}
