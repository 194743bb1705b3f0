/**
 * A vocabulary as hash tables in memory that threads share: no worker has to fill a map of 85,000 words. One finds a word
 * by all its letters, another by all but one, and so the words that a misspelt one may stand for.
 */
import { FNV_BASIS, FNV_PRIME } from "../../files/checksums/fnv.js";
import { shared } from "../../runtime/shared-array.js";

export interface WordIndex {
  /** The words in UTF-16, each followed by a line feed. */
  readonly text: Uint16Array;
  /** Where each word starts, by its number; numbers count from 1. */
  readonly starts: Int32Array;
  /** Numbers by hash, 0 where there is none; the length is a power of two. */
  readonly slots: Int32Array;
  /** Numbers by the hash of a word, and of what each deletion of a letter leaves; empty where nobody asks for them. */
  readonly deletions: Int32Array;
}

const LINE_FEED = 0x0a;
/** Letters of a word that is looked up by its spelling: shorter words have many neighbours, few of them meant. */
const LEAST_LETTERS = 5;
/** Longer words have more deletions than they are worth. */
const MOST_LETTERS = 40;

/**
 * Numbers the lines of a file, without empty ones. Of equal words the last one counts.
 * @param bySpelling whether `nearestFinder` will be asked
 */
export function indexWords(file: string, { bySpelling = false } = {}): WordIndex {
  const text = shared(Uint16Array, file.length + 1);
  for (let i = 0; i < file.length; i++) text[i] = file.charCodeAt(i);
  text[file.length] = LINE_FEED;
  let lines = 0;
  for (let start = 0; start < text.length; start = text.indexOf(LINE_FEED, start) + 1) lines++;
  const letters = bySpelling ? text.length : 0;
  const index: WordIndex = {
    text,
    deletions: shared(Int32Array, bySpelling ? 2 ** Math.ceil(Math.log2(2 * letters)) : 0),
    starts: shared(Int32Array, lines + 1),
    slots: shared(Int32Array, 2 ** Math.ceil(Math.log2(2 * lines))),
  };
  let number = 0;
  for (let start = 0, end = 0; start < file.length; start = end + 1) {
    end = text.indexOf(LINE_FEED, start);
    if (end === start) continue;
    index.starts[++number] = start;
    index.slots[slotOf(index, text, start, end)] = number;
    if (bySpelling && isSpelled(text, start, end))
      for (let gap = start - 1; gap < end; gap++) {
        // each of two equal letters leaves the same
        if (gap >= start && text[gap] === text[gap + 1]) continue;
        let slot = firstSlot(index.deletions, text, start, end, gap);
        while (index.deletions[slot] !== 0) slot = (slot + 1) & (index.deletions.length - 1);
        index.deletions[slot] = number;
      }
  }
  return index;
}

/** The number of a word; 0 for one that is not in the vocabulary. */
export function wordFinder(index: WordIndex): (word: string) => number {
  let letters = new Uint16Array(64);
  return (word) => {
    if (word.length > letters.length) letters = new Uint16Array(2 * word.length);
    for (let i = 0; i < word.length; i++) letters[i] = word.charCodeAt(i);
    return index.slots[slotOf(index, letters, 0, word.length)];
  };
}

/**
 * Gives the number of the most frequent word that is one edit away, an inserted, deleted, replaced letter or two that
 * changed places (Damerau, 1964), where words are ordered by frequency; 0 where there is none. Words are found by what is
 * left of both without a letter, as in SymSpell.
 */
export function nearestFinder({ text, starts, deletions }: WordIndex): (word: string) => number {
  const letters = new Uint16Array(MOST_LETTERS + 1);
  return (word) => {
    if (word.length > MOST_LETTERS) return 0;
    for (let i = 0; i < word.length; i++) letters[i] = word.charCodeAt(i);
    if (!isSpelled(letters, 0, word.length)) return 0;
    let nearest = 0;
    for (let gap = -1; gap < word.length; gap++)
      for (
        let slot = firstSlot(deletions, letters, 0, word.length, gap);
        deletions[slot] !== 0;
        slot = (slot + 1) & (deletions.length - 1)
      ) {
        const number = deletions[slot];
        if (nearest !== 0 && number >= nearest) continue;
        if (isOneEdit(letters, word.length, text, starts[number])) nearest = number;
      }
    return nearest;
  };
}

/** Whether a word has letters enough, and no digits: "1999" is not a misspelt "1998". */
function isSpelled(letters: Uint16Array, from: number, to: number): boolean {
  const length = to - from;
  return (
    length >= LEAST_LETTERS && length <= MOST_LETTERS && !/\p{N}/u.test(String.fromCharCode(letters[from]))
  );
}

/** The first slot of a word without the letter at `gap`; default: of all its letters. */
function firstSlot(slots: Int32Array, letters: Uint16Array, from: number, to: number, gap = -1): number {
  let hash = FNV_BASIS;
  for (let i = from; i < to; i++) if (i !== gap) hash = Math.imul(hash ^ letters[i], FNV_PRIME);
  return (hash ^ (hash >>> 15)) & (slots.length - 1);
}

/** @param a a word of `length` letters @param b a text in which another begins at `from` and ends with its line */
function isOneEdit(a: Uint16Array, length: number, b: Uint16Array, from: number): boolean {
  let start = 0;
  while (start < length && a[start] === b[from + start]) start++;
  let to = from + start;
  // a word that is longer by two is no longer near
  while (b[to] !== LINE_FEED) if (++to - from > length + 1) return false;
  const shorter = Math.min(length, to - from);
  let end = 0;
  while (end < shorter - start && a[length - 1 - end] === b[to - 1 - end]) end++;
  const [mine, others] = [length - start - end, to - from - start - end];
  if (mine <= 1 && others <= 1) return true;
  const swapped = a[start] === b[from + start + 1] && a[start + 1] === b[from + start];
  return mine === 2 && others === 2 && swapped;
}

/** The slot of the word between two places of `letters`, or the empty one where it belongs. */
function slotOf({ text, starts, slots }: WordIndex, letters: Uint16Array, from: number, to: number): number {
  for (let slot = firstSlot(slots, letters, from, to); ; slot = (slot + 1) & (slots.length - 1)) {
    if (slots[slot] === 0) return slot;
    const shift = starts[slots[slot]] - from;
    let i = from;
    while (i < to && text[shift + i] === letters[i]) i++;
    if (i === to && text[shift + i] === LINE_FEED) return slot;
  }
}
