/** Word pieces: frequent parts of words, learned by merging pairs, and words split into them. */

/** Before pieces that go on with a word, as in WordPiece. */
const GOES_ON = "##";
/** A place in the tree of pieces, reached by the characters on the way. */
interface Branch {
  readonly next: Map<number, Branch>;
  /** The number of the piece that ends here; -1: none. */
  piece: number;
}

/**
 * Makes a function that splits a word into the longest pieces there are, from its begin on. It calls back with each
 * piece's number in the list, or with -1 and a single character where no piece fits.
 */
export function createPieceSplitter(
  pieces: readonly string[],
): (word: string, found: (piece: number, character: string) => void) => void {
  const [first, others] = [branch(), branch()];
  pieces.forEach((piece, number) => {
    const goesOn = piece.startsWith(GOES_ON);
    let at = goesOn ? others : first;
    for (const character of goesOn ? piece.slice(GOES_ON.length) : piece) {
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

/** A word on its way through the merges. */
interface Entry {
  parts: string[];
  readonly count: number;
}

/**
 * Learns pieces by byte-pair encoding (Sennrich, Haddow and Birch, 2016): the most frequent neighbours become one
 * piece, again and again; ties go to the pair that sorts first.
 * @param words lower-cased words with their counts
 * @param size pieces wanted; there may be fewer. Single characters are none.
 */
export function learnPieces(words: ReadonlyMap<string, number>, { size }: { size: number }): string[] {
  const entries = [...words].map(([word, count]): Entry => {
    const [first, ...rest] = [...word];
    return { parts: [first, ...rest.map((character) => GOES_ON + character)], count };
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

const SEPARATOR = "\u0000";

/** Counts of neighbouring parts, kept up to date from merge to merge. */
class PairCounts {
  readonly #entries: readonly Entry[];
  readonly #counts = new Map<string, number>();
  /** Entries that hold, or once held, a pair. */
  readonly #places = new Map<string, Set<number>>();
  /** Every count that a pair has had on its way up: counts that are out of date are met, and put right, at the top. */
  readonly #ranking = new Ranking();

  constructor(entries: readonly Entry[]) {
    this.#entries = entries;
    entries.forEach((_, index) => {
      this.#change(index, 1);
    });
    for (const [pair, count] of this.#counts) this.#ranking.add({ pair, count });
  }

  /** A pair that occurs at least twice. */
  mostFrequent(): string | undefined {
    for (;;) {
      const top = this.#ranking.takeFirst();
      if (top === undefined) return undefined;
      const count = this.#counts.get(top.pair) ?? 0;
      if (count === top.count) return count >= 2 ? top.pair : undefined;
      if (count > 0 && count < top.count) this.#ranking.add({ pair: top.pair, count });
    }
  }

  /** Makes the pair one part everywhere. @returns the new piece */
  merge(pair: string): string {
    const [left, right] = pair.split(SEPARATOR);
    const piece = left + right.slice(GOES_ON.length);
    const risen = new Set<string>();
    for (const index of this.#places.get(pair) ?? []) {
      this.#change(index, -1);
      this.#entries[index].parts = joined(this.#entries[index].parts, left, right, piece);
      this.#change(index, 1, risen);
    }
    this.#counts.delete(pair);
    this.#places.delete(pair);
    for (const changed of risen) {
      const count = this.#counts.get(changed);
      if (count !== undefined) this.#ranking.add({ pair: changed, count });
    }
    return piece;
  }

  #change(index: number, sign: 1 | -1, touched?: Set<string>): void {
    const { parts, count } = this.#entries[index];
    for (let i = 0; i + 1 < parts.length; i++) {
      const pair = parts[i] + SEPARATOR + parts[i + 1];
      const now = (this.#counts.get(pair) ?? 0) + sign * count;
      if (now > 0) this.#counts.set(pair, now);
      else this.#counts.delete(pair);
      if (sign < 0) continue;
      touched?.add(pair);
      const places = this.#places.get(pair);
      if (places) places.add(index);
      else this.#places.set(pair, new Set([index]));
    }
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

/** True where a comes before b: more frequent, or equally frequent and first in the alphabet. */
const precedes = (a: Counted, b: Counted): boolean =>
  a.count > b.count || (a.count === b.count && a.pair < b.pair);

/** A binary heap with the most frequent pair on top. */
class Ranking {
  readonly #items: Counted[] = [];

  add(item: Counted): void {
    const items = this.#items;
    let at = items.push(item) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!precedes(item, items[parent])) break;
      items[at] = items[parent];
      at = parent;
    }
    items[at] = item;
  }

  takeFirst(): Counted | undefined {
    const items = this.#items;
    const first = items[0];
    const last = items.pop();
    if (last === undefined || items.length === 0) return first;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= items.length) break;
      if (child + 1 < items.length && precedes(items[child + 1], items[child])) child++;
      if (!precedes(items[child], last)) break;
      items[at] = items[child];
      at = child;
    }
    items[at] = last;
    return first;
  }
}
