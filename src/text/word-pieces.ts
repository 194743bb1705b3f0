/** Word pieces: frequent parts of words, learned by merging pairs, and words split into them. */

/** Before pieces that go on with a word, as in WordPiece. */
const GOES_ON = "##";
/** Longest piece in characters. */
const LONGEST = 20;

/**
 * Splits a word into the longest pieces there are, from its begin on; what no piece covers gives single
 * characters (without the mark).
 */
export function splitPieces(word: string, pieces: ReadonlyMap<string, unknown>): string[] {
  const characters = [...word];
  const found: string[] = [];
  for (let start = 0; start < characters.length; ) {
    const mark = start === 0 ? "" : GOES_ON;
    let end = Math.min(characters.length, start + LONGEST);
    while (end > start + 1 && !pieces.has(mark + characters.slice(start, end).join(""))) end--;
    const piece = characters.slice(start, end).join("");
    found.push(pieces.has(mark + piece) ? mark + piece : piece);
    start = end;
  }
  return found;
}

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

/** A pair in the queue, with its count when it was put there. */
interface Queued {
  readonly pair: string;
  readonly count: number;
}

/** Counts of neighbouring parts, kept up to date from merge to merge. */
class PairCounts {
  readonly #entries: readonly Entry[];
  readonly #counts = new Map<string, number>();
  /** Entries that hold, or once held, a pair. */
  readonly #places = new Map<string, Set<number>>();
  /** A binary heap, the most frequent first. Counts that fell since are mended when their pair comes up. */
  readonly #queue: Queued[] = [];

  constructor(entries: readonly Entry[]) {
    this.#entries = entries;
    entries.forEach((_, index) => {
      this.#change(index, 1);
    });
    for (const [pair, count] of this.#counts) this.#push({ pair, count });
  }

  /** A pair that occurs at least twice. */
  mostFrequent(): string | undefined {
    for (;;) {
      const top = this.#pop();
      if (top === undefined) return undefined;
      const count = this.#counts.get(top.pair) ?? 0;
      if (count === top.count) return count > 1 ? top.pair : undefined;
      if (count > 0 && count < top.count) this.#push({ pair: top.pair, count });
    }
  }

  /** Makes the pair one part everywhere. @returns the new piece */
  merge(pair: string): string {
    const [left, right] = pair.split(SEPARATOR);
    const piece = left + right.slice(GOES_ON.length);
    const grown = new Set<string>();
    for (const index of this.#places.get(pair) ?? []) {
      this.#change(index, -1);
      this.#entries[index].parts = joined(this.#entries[index].parts, left, right, piece);
      this.#change(index, 1, grown);
    }
    this.#counts.delete(pair);
    this.#places.delete(pair);
    for (const other of grown) this.#push({ pair: other, count: this.#counts.get(other) ?? 0 });
    return piece;
  }

  #change(index: number, sign: 1 | -1, grown?: Set<string>): void {
    const { parts, count } = this.#entries[index];
    for (let i = 0; i + 1 < parts.length; i++) {
      const pair = parts[i] + SEPARATOR + parts[i + 1];
      const now = (this.#counts.get(pair) ?? 0) + sign * count;
      if (now > 0) this.#counts.set(pair, now);
      else this.#counts.delete(pair);
      if (sign < 0) continue;
      grown?.add(pair);
      const places = this.#places.get(pair);
      if (places) places.add(index);
      else this.#places.set(pair, new Set([index]));
    }
  }

  #push(item: Queued): void {
    const queue = this.#queue;
    let at = queue.push(item) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!comesFirst(item, queue[parent])) break;
      queue[at] = queue[parent];
      at = parent;
    }
    queue[at] = item;
  }

  #pop(): Queued | undefined {
    const queue = this.#queue;
    const top = queue[0];
    const last = queue.pop();
    if (last === undefined || queue.length === 0) return top;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= queue.length) break;
      if (child + 1 < queue.length && comesFirst(queue[child + 1], queue[child])) child++;
      if (!comesFirst(queue[child], last)) break;
      queue[at] = queue[child];
      at = child;
    }
    queue[at] = last;
    return top;
  }
}

const comesFirst = (a: Queued, b: Queued): boolean =>
  a.count > b.count || (a.count === b.count && a.pair < b.pair);

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
