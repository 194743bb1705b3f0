/** Which rows of a generation have a term: lists in memory, or those of a file beside the graph. */
import { inTurn } from "../../in-turn.js";
import { mostVisited, phraseTerms } from "../../text/phrase-terms.js";
import { rarity } from "../ranked-by-words.js";
import type { Generation } from "./generation.js";
import type { Query } from "./row-scan.js";

/** Lists of rows that were added at different times; where there are more, they are made again as one. */
const mostParts = 8;
/** Queries answered before other work has its turn. */
const queriesInTurn = 64;

/** What a file begins with: the first row, how many rows, how many lists; then where each list starts, the rows' terms, the lists. */
const headLength = 3;

/** Rows of lists that are read at most, most of which a condition may leave out. */
const mostRead = 20 * mostVisited;

/** The rows of each list, where a term's list is that of its last bits. */
export class WordLists {
  readonly #starts: Uint32Array;
  /** How many terms each row has. */
  readonly #sizes: Uint32Array;

  private constructor(
    private readonly head: Uint32Array,
    private readonly rows: (from: number, to: number) => Uint32Array,
  ) {
    const [, , lists] = head;
    this.#starts = head.subarray(headLength, headLength + lists + 1);
    this.#sizes = head.subarray(headLength + lists + 1);
  }

  /** Lists are read when a query needs them. @param read gives some numbers of a file */
  static of(read: (from: number, length: number) => Uint32Array): WordLists {
    const first = firstOf(read(0, headLength));
    return new WordLists(read(0, first), (from, to) => read(first + from, to - from));
  }

  /** The row after the last. */
  get end(): number {
    return this.head[0] + this.head[1];
  }

  /** Rows that share the rarest of the terms, as far as these lead to a bounded number, and k at most. */
  find(terms: Iterable<number>, k: number, generation: Generation, only?: ReadonlySet<number>): number[] {
    const [from, count, lists] = this.head;
    const starts = this.#starts;
    const isOut = generation.leftOut(only);
    const searched = only === undefined ? 1 : only.size / generation.rows;
    const followed = [...new Set([...terms].map((term) => term & (lists - 1)))]
      .map((list) => ({ list, length: starts[list + 1] - starts[list] }))
      .filter(({ length }) => length > 0)
      .sort((a, b) => a.length - b.length);
    const sums = new Map<number, number>();
    let [visited, read] = [0, 0];
    for (const { list, length } of followed) {
      visited += length * searched;
      read += length;
      if ((visited > mostVisited || read > mostRead) && sums.size > 0) break;
      const weight = rarity(count, length);
      for (const row of this.rows(starts[list], starts[list + 1]))
        if (!isOut(from + row)) sums.set(row, (sums.get(row) ?? 0) + weight);
    }
    return Array.from(sums, ([row, sum]) => ({ row, score: sum / Math.sqrt(this.#sizes[row]) }))
      .sort((a, b) => b.score - a.score || a.row - b.row)
      .slice(0, k)
      .map(({ row }) => from + row);
  }
}

const firstOf = ([, count, lists]: Uint32Array): number => headLength + lists + 1 + count;

/** The lists of a generation's rows from a row on, as a file. */
export async function makeWordLists(generation: Generation, from = 0): Promise<Uint32Array> {
  const { rows, columns, phraseColumn = "" } = generation;
  const column = columns.indexOf(phraseColumn);
  const count = rows - from;
  const lists = 2 ** Math.min(24, Math.max(12, Math.ceil(Math.log2(count + 1)) + 2));
  const sizes = new Uint32Array(count);
  let terms = new Uint32Array(32 * count);
  let used = 0;
  for await (const entries of generation.entries(from))
    for (const { row, cells } of entries) {
      const found = new Set(Array.from(phraseTerms(cells[column]), (term) => term & (lists - 1)));
      if (used + found.size > terms.length) {
        const fewer = terms;
        terms = new Uint32Array(2 * (used + found.size));
        terms.set(fewer);
      }
      sizes[row - from] = found.size;
      for (const term of found) terms[used++] = term;
    }
  const first = firstOf(Uint32Array.of(from, count, lists));
  const file = new Uint32Array(first + used);
  file.set([from, count, lists]);
  file.set(sizes, first - count);
  const starts = file.subarray(headLength, first - count);
  for (let at = 0; at < used; at++) starts[terms[at] + 1]++;
  for (let list = 0; list < lists; list++) starts[list + 1] += starts[list];
  const ends = starts.slice();
  for (let row = 0, at = 0; row < count; row++)
    for (const stop = at + sizes[row]; at < stop; at++) file[first + ends[terms[at]]++] = row;
  return file;
}

/** Searches the rows of a generation by words; the lists of rows that no file has are made by the first search. */
export class WordSearch {
  readonly #inTurn = inTurn();
  #added: WordLists[] = [];

  /** @param stored the lists of earlier rows @param from the row after these */
  constructor(
    readonly generation: Generation,
    readonly stored: WordLists | undefined,
    private readonly from: number,
  ) {}

  /** Of each phrase, rows that share words or letters with it; of each part k at most. */
  async find(phrases: readonly string[], { k, only, signal }: Omit<Query, "queries">): Promise<number[][]> {
    const parts = await this.#inTurn(() => this.#parts());
    const found: number[][] = [];
    for (const phrase of phrases) {
      const terms = phraseTerms(phrase);
      found.push(parts.flatMap((lists) => lists.find(terms, k, this.generation, only)));
      if (found.length % queriesInTurn > 0) continue;
      signal?.throwIfAborted();
      await new Promise(setImmediate);
    }
    return found;
  }

  async #parts(): Promise<readonly WordLists[]> {
    if (this.#added.length === mostParts) this.#added = [];
    const end = this.#added.at(-1)?.end ?? this.from;
    if (end < this.generation.rows) {
      const made = await makeWordLists(this.generation, end);
      this.#added.push(WordLists.of((from, length) => made.subarray(from, from + length)));
    }
    return this.stored === undefined ? this.#added : [this.stored, ...this.#added];
  }
}
