/** A vocabulary as a hash table in memory that threads share: no worker has to fill a map of 85,000 words. */
import { FNV_BASIS, FNV_PRIME } from "../../files/fnv.js";
import { shared } from "../../runtime/shared-array.js";

export interface WordIndex {
  /** The words in UTF-16, each followed by a line feed. */
  readonly text: Uint16Array;
  /** Where each word starts, by its number; numbers count from 1. */
  readonly starts: Int32Array;
  /** Numbers by hash, 0 where there is none; the length is a power of two. */
  readonly slots: Int32Array;
}

const LINE_FEED = 0x0a;

/** Numbers the lines of a file, without empty ones. Of equal words the last one counts. */
export function indexWords(file: string): WordIndex {
  const text = shared(Uint16Array, file.length + 1);
  for (let i = 0; i < file.length; i++) text[i] = file.charCodeAt(i);
  text[file.length] = LINE_FEED;
  let lines = 0;
  for (let start = 0; start < text.length; start = text.indexOf(LINE_FEED, start) + 1) lines++;
  const index: WordIndex = {
    text,
    starts: shared(Int32Array, lines + 1),
    slots: shared(Int32Array, 2 ** Math.ceil(Math.log2(2 * lines))),
  };
  let number = 0;
  for (let start = 0, end = 0; start < file.length; start = end + 1) {
    end = text.indexOf(LINE_FEED, start);
    if (end === start) continue;
    index.starts[++number] = start;
    index.slots[slotOf(index, text, start, end)] = number;
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

/** The slot of the word between two places of `letters`, or the empty one where it belongs. */
function slotOf({ text, starts, slots }: WordIndex, letters: Uint16Array, from: number, to: number): number {
  const mask = slots.length - 1;
  let hash = FNV_BASIS;
  for (let i = from; i < to; i++) hash = Math.imul(hash ^ letters[i], FNV_PRIME);
  for (let slot = (hash ^ (hash >>> 15)) & mask; ; slot = (slot + 1) & mask) {
    if (slots[slot] === 0) return slot;
    const shift = starts[slots[slot]] - from;
    let i = from;
    while (i < to && text[shift + i] === letters[i]) i++;
    if (i === to && text[shift + i] === LINE_FEED) return slot;
  }
}
