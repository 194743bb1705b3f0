/** A vocabulary as a hash table in memory that threads share: no worker has to fill a map of 85,000 words. */
import { FNV_BASIS, FNV_PRIME } from "../../files/fnv.js";

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
  const lines = file.split("\n").length;
  const index: WordIndex = {
    text: new Uint16Array(new SharedArrayBuffer(2 * (file.length + 1))),
    starts: new Int32Array(new SharedArrayBuffer(4 * (lines + 1))),
    slots: new Int32Array(new SharedArrayBuffer(4 * 2 ** Math.ceil(Math.log2(2 * lines)))),
  };
  for (let i = 0; i < file.length; i++) index.text[i] = file.charCodeAt(i);
  index.text[file.length] = LINE_FEED;
  let number = 0;
  for (let start = 0, end = 0; start < file.length; start = end + 1) {
    end = index.text.indexOf(LINE_FEED, start);
    if (end === start) continue;
    index.starts[++number] = start;
    index.slots[slotOf(index, file.slice(start, end))] = number;
  }
  return index;
}

/** The number of a word; 0 for one that is not in the vocabulary. */
export const wordFinder =
  (index: WordIndex) =>
  (word: string): number =>
    index.slots[slotOf(index, word)];

/** The slot of a word, or the empty one where it belongs. */
function slotOf({ text, starts, slots }: WordIndex, word: string): number {
  const mask = slots.length - 1;
  let hash = FNV_BASIS;
  for (let i = 0; i < word.length; i++) hash = Math.imul(hash ^ word.charCodeAt(i), FNV_PRIME);
  for (let slot = (hash ^ (hash >>> 15)) & mask; ; slot = (slot + 1) & mask) {
    if (slots[slot] === 0) return slot;
    const start = starts[slots[slot]];
    let i = 0;
    while (i < word.length && text[start + i] === word.charCodeAt(i)) i++;
    if (i === word.length && text[start + i] === LINE_FEED) return slot;
  }
}
