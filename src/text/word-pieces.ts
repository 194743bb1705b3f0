/** Word pieces: frequent parts of words, learned by merging pairs, and words split into them. */
import { Heap } from "../heap.js";

/** The start of pieces that continue a word, as in WordPiece. */
const CONTINUES = "##";

/** A node of the tree of pieces, reached by a piece's first characters (code points). */
interface Branch {
  readonly next: Map<number, Branch>;
  /** The number of the piece that ends here; -1: none. */
  piece: number;
}

/**
 * Makes a function that splits a word into pieces, always the longest that fits next. It calls `found` with the index of
 * each piece in the list, or with -1 and a single character where no piece fits.
 */
export function createPieceSplitter(
  pieces: readonly string[],
): (word: string, found: (piece: number, character: string) => void) => void {
  const [first, others] = [branch(), branch()];
  pieces.forEach((piece, number) => {
    const continues = piece.startsWith(CONTINUES);
    let at = continues ? others : first;
    for (const character of continues ? piece.slice(CONTINUES.length) : piece) {
      const code = character.codePointAt(0) as number;
      const next = at.next.get(code) ?? branch();
      at.next.set(code, next);
      at = next;
    }
    at.piece = number;
  });
  return (word, found) => {
    for (let start = 0; start < word.length; ) {
      let at: Branch | undefined = start === 0 ? first : others;
      let [piece, end] = [-1, start];
      for (let place = start; place < word.length; ) {
        const code = word.codePointAt(place) as number;
        place += code > 0xffff ? 2 : 1;
        if (end === start) end = place; // one character at least
        at = at.next.get(code);
        if (at === undefined) break;
        if (at.piece >= 0) [piece, end] = [at.piece, place];
      }
      found(piece, piece < 0 ? word.slice(start, end) : "");
      start = end;
    }
  };
}

const branch = (): Branch => ({ next: new Map(), piece: -1 });

/** The keys with the highest counts; of equal ones those that sort first. */
export const mostFrequent = (counts: ReadonlyMap<string, number>, most: number): string[] =>
  [...counts]
    .sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))
    .slice(0, most)
    .map(([key]) => key);

/** The most frequent characters of words with their counts, at most 1,000, sorted. */
export function frequentCharacters(words: ReadonlyMap<string, number>): string[] {
  const counts = new Map<string, number>();
  for (const [word, count] of words)
    for (const character of word) counts.set(character, (counts.get(character) ?? 0) + count);
  return mostFrequent(counts, 1000).sort();
}

/** A word during the merges. */
interface Entry {
  parts: readonly string[];
  readonly count: number;
}

const SEPARATOR = "\u0000";

const pairsOf = (parts: readonly string[]): string[] =>
  parts.slice(1).map((right, i) => parts[i] + SEPARATOR + right);

/**
 * Learns pieces by byte-pair encoding (Sennrich, Haddow and Birch, 2016): repeatedly makes the most frequent pair of
 * neighbours one piece, of equally frequent pairs the first in the alphabet, until no pair occurs twice.
 * @param words lower-cased words with their counts
 * @param size the most pieces, single characters not included
 */
export function learnPieces(words: ReadonlyMap<string, number>, size: number): string[] {
  const entries = [...words].map(([word, count]): Entry => {
    const [first, ...rest] = [...word];
    return { parts: [first, ...rest.map((character) => CONTINUES + character)], count };
  });
  const pairs = new PairCounts(entries);
  const pieces: string[] = [];
  while (pieces.length < size) {
    const best = pairs.mostFrequent();
    if (best === undefined) break;
    pieces.push(pairs.merge(best));
  }
  return pieces;
}

/** Counts of neighbouring parts, updated by every merge. */
class PairCounts {
  readonly #counts = new Map<string, number>();
  /** The entries that contain, or once contained, a pair. */
  readonly #places = new Map<string, Set<Entry>>();
  /** Pairs with a current or an earlier, higher count; those at the top are corrected before they are used. */
  readonly #ranking = new Heap(precedes);

  constructor(entries: readonly Entry[]) {
    for (const entry of entries) this.#add(entry);
    for (const [pair, count] of this.#counts) this.#ranking.push({ pair, count });
  }

  /** A pair that occurs at least twice. */
  mostFrequent(): string | undefined {
    for (;;) {
      const top = this.#ranking.pop();
      if (top === undefined) return undefined;
      const count = this.#counts.get(top.pair) ?? 0;
      if (count === top.count) return count >= 2 ? top.pair : undefined;
      if (count > 0 && count < top.count) this.#ranking.push({ pair: top.pair, count });
    }
  }

  /** Makes the pair one part everywhere. @returns the new piece */
  merge(pair: string): string {
    const [left, right] = pair.split(SEPARATOR);
    const piece = left + right.slice(CONTINUES.length);
    const withPiece = new Set<string>();
    for (const entry of this.#places.get(pair) ?? []) {
      for (const old of pairsOf(entry.parts)) this.#change(old, -entry.count);
      entry.parts = joined(entry.parts, left, right, piece);
      this.#add(entry);
      for (const added of pairsOf(entry.parts))
        if (added.split(SEPARATOR).includes(piece)) withPiece.add(added);
    }
    this.#places.delete(pair);
    // Only pairs with the new piece can be more frequent than before.
    for (const added of withPiece) this.#ranking.push({ pair: added, count: this.#counts.get(added) ?? 0 });
    return piece;
  }

  #add(entry: Entry): void {
    for (const pair of pairsOf(entry.parts)) {
      this.#change(pair, entry.count);
      const places = this.#places.get(pair);
      if (places === undefined) this.#places.set(pair, new Set([entry]));
      else places.add(entry);
    }
  }

  #change(pair: string, by: number): void {
    const count = (this.#counts.get(pair) ?? 0) + by;
    if (count > 0) this.#counts.set(pair, count);
    else this.#counts.delete(pair);
  }
}

function joined(parts: readonly string[], left: string, right: string, piece: string): string[] {
  const result: string[] = [];
  for (let i = 0; i < parts.length; i++) {
    if (parts[i] === left && parts[i + 1] === right) {
      result.push(piece);
      i++;
    } else result.push(parts[i]);
  }
  return result;
}

interface Counted {
  readonly pair: string;
  readonly count: number;
}

/** Whether a comes before b: more frequent, or equally frequent and first in the alphabet. */
const precedes = (a: Counted, b: Counted): boolean =>
  a.count > b.count || (a.count === b.count && a.pair < b.pair);
