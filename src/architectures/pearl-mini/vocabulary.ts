/** A vocabulary in memory that threads share: none of them needs a map of its own, which takes long to fill. */
import { FNV_BASIS, FNV_PRIME } from "../../files/fnv.js";

/** Words with their numbers, ready to be posted to threads. */
export interface WordIndex {
  /** The file, UTF-8. */
  readonly bytes: Uint8Array;
  /** Where each word begins and ends, by number: [2 × (words + 1)]; numbers begin with 1. */
  readonly places: Int32Array;
  /** Numbers by hash, 0 where none is; its length is a power of two. */
  readonly slots: Int32Array;
  /** Bytes of the longest word. */
  readonly longest: number;
}

const LINE_FEED = 0x0a;

/**
 * Numbers the lines of a file that are not empty.
 * @param bytes in a SharedArrayBuffer, or threads get copies
 */
export function indexWords(bytes: Uint8Array): WordIndex {
  const lines = countLines(bytes);
  const places = sharedNumbers(2 * (lines + 1));
  const slots = sharedNumbers(2 ** Math.ceil(Math.log2(2 * lines)));
  const index = { bytes, places, slots, longest: 0 };
  let number = 0;
  for (let start = 0; start < bytes.length; start++) {
    const end = lineEnd(bytes, start);
    if (end > start) {
      number++;
      places[2 * number] = start;
      places[2 * number + 1] = end;
      index.longest = Math.max(index.longest, end - start);
      // the last of equal words counts
      slots[slotOf(index, bytes, start, end)] = number;
    }
    start = end;
  }
  return index;
}

// Small functions that are called often are compiled sooner than one long loop: this runs once in a process.

function countLines(bytes: Uint8Array): number {
  let lines = 1;
  for (let start = 0; start < bytes.length; start++, lines++) start = lineEnd(bytes, start);
  return lines;
}

function lineEnd(bytes: Uint8Array, start: number): number {
  let end = start;
  while (end < bytes.length && bytes[end] !== LINE_FEED) end++;
  return end;
}

function hashOf(bytes: Uint8Array, start: number, end: number): number {
  let hash = FNV_BASIS;
  for (let i = start; i < end; i++) hash = Math.imul(hash ^ bytes[i], FNV_PRIME);
  return hash ^ (hash >>> 15);
}

const sharedNumbers = (length: number): Int32Array => new Int32Array(new SharedArrayBuffer(4 * length));

/** The slot of the word in `text` from `start` to `end`, or the empty one where it belongs. */
function slotOf({ bytes, places, slots }: WordIndex, text: Uint8Array, start: number, end: number): number {
  const mask = slots.length - 1;
  for (let slot = hashOf(text, start, end) & mask; ; slot = (slot + 1) & mask) {
    const number = slots[slot];
    if (number === 0) return slot;
    const from = places[2 * number];
    if (places[2 * number + 1] - from !== end - start) continue;
    let i = start;
    while (i < end && text[i] === bytes[from + i - start]) i++;
    if (i === end) return slot;
  }
}

/** Gives a word's number; 0 for a word that is not there. */
export function wordFinder(index: WordIndex): (word: string) => number {
  const { slots, longest } = index;
  const buffer = new Uint8Array(3 * longest);
  const encoder = new TextEncoder();
  return (word) => {
    if (word === "" || word.length > longest) return 0;
    const { written } = encoder.encodeInto(word, buffer);
    return slots[slotOf(index, buffer, 0, written)];
  };
}
