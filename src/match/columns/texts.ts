/**
 * Many short texts in shared memory, as UTF-8. Strings of JavaScript take three times as much, a message copies them for each
 * thread, and a map has room for 16 million of them.
 */
import { ArgumentError } from "../../errors.js";
import { FNV_BASIS, FNV_PRIME } from "../../files/checksums/fnv.js";
import { formatCount } from "../../files/count-text.js";
import { sharedCopy } from "../../runtime/shared-array.js";
import { remembering } from "../once.js";
import { enlarged, Growing, type Lists } from "./lists.js";

/** The bytes of each text. */
export type Texts = Lists<Uint8Array>;

export const textCount = ({ starts }: Texts): number => starts.length - 1;

/** Returns a function that reads a text by its number, and remembers those read last. */
export const textReader = (texts: Texts): ((text: number) => string) =>
  remembering((text) => textAt(texts, text), 2 ** 14);

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
/** Arguments of a call at most. */
const mostAtOnce = 64;

export function textAt({ starts, items: bytes }: Texts, text: number): string {
  const [from, to] = [starts[text], starts[text + 1]];
  const codes: number[] = [];
  let place = from;
  if (to - from <= mostAtOnce) while (place < to && bytes[place] < 0x80) codes.push(bytes[place++]);
  // A copy: decoders refuse shared memory.
  return place === to ? String.fromCharCode.apply(null, codes) : decoder.decode(bytes.slice(from, to));
}

export function* eachText(texts: Texts): Generator<string> {
  for (let text = 0; text < textCount(texts); text++) yield textAt(texts, text);
}

/** The numbers of the texts in the order in which strings are sorted, by their 16-bit units. */
export function sortedTexts({ starts, items: bytes }: Texts): Uint32Array {
  return Uint32Array.from({ length: starts.length - 1 }, (_, text) => text).sort((a, b) => {
    let [i, j] = [starts[a], starts[b]];
    const [endI, endJ] = [starts[a + 1], starts[b + 1]];
    while (i < endI && j < endJ && bytes[i] === bytes[j]) {
      i++;
      j++;
    }
    if (i === endI || j === endJ) return endI - i - (endJ - j);
    const [x, y] = [bytes[i], bytes[j]];
    // Characters of four bytes are two units from D800 on, and come before those from E000 on.
    return x >= firstOfFour !== y >= firstOfFour && Math.min(x, y) >= firstOfE000 ? y - x : x - y;
  });
}

const [firstOfE000, firstOfFour] = [0xee, 0xf0];

const encoder = new TextEncoder();

/** Numbers texts by first occurrence. */
export class TextNumbers {
  #starts = new Uint32Array(1024);
  #bytes = new Uint8Array(4096);
  #count = 0;
  #hashes = new Int32Array(1024);
  /** Open addressing; -1 is free. */
  #slots = new Int32Array(2048).fill(-1);

  /** @param mostBytes where texts start is a number of 32 bits */
  constructor(private readonly mostBytes = 2 ** 32 - 1) {}

  get size(): number {
    return this.#count;
  }

  /** @param isNew called before a new text gets its number @throws ArgumentError for more texts than have room */
  numberOf(text: string, isNew?: () => void): number {
    const start = this.#starts[this.#count];
    const length = this.#write(text, start);
    // Hashes are kept as signed numbers.
    let hash = FNV_BASIS | 0;
    for (let place = start; place < start + length; place++)
      hash = Math.imul(hash ^ this.#bytes[place], FNV_PRIME);
    const slot = this.#slotOf(hash, start, length);
    if (this.#slots[slot] >= 0) return this.#slots[slot];
    isNew?.();
    if (this.#count + 2 > this.#starts.length) {
      this.#starts = enlarged(this.#starts, 2 * this.#starts.length);
      this.#hashes = enlarged(this.#hashes, 2 * this.#hashes.length);
    }
    this.#slots[slot] = this.#count;
    this.#hashes[this.#count++] = hash;
    this.#starts[this.#count] = start + length;
    if (2 * this.#count >= this.#slots.length) this.#growSlots();
    return this.#count - 1;
  }

  /** Writes a text behind the others. @returns its length in bytes */
  #write(text: string, start: number): number {
    const end = start + 3 * text.length;
    if (end > this.mostBytes)
      throw new ArgumentError(
        `a column has more than ${formatCount(this.mostBytes)} bytes of different texts. ` +
          "Leave it out (--ignore), or compare parts of the table",
      );
    if (end > this.#bytes.length) this.#bytes = enlarged(this.#bytes, Math.min(2 * end, this.mostBytes));
    for (let place = 0; place < text.length; place++) {
      const code = text.charCodeAt(place);
      if (code >= 0x80) return encoder.encodeInto(text, this.#bytes.subarray(start)).written;
      this.#bytes[start + place] = code;
    }
    return text.length;
  }

  /** Where a text is, or the free slot for it. */
  #slotOf(hash: number, start: number, length: number): number {
    const mask = this.#slots.length - 1;
    let slot = (hash ^ (hash >>> 15)) & mask;
    while (this.#slots[slot] >= 0 && !this.#isEqual(this.#slots[slot], hash, start, length))
      slot = (slot + 1) & mask;
    return slot;
  }

  #isEqual(text: number, hash: number, start: number, length: number): boolean {
    const from = this.#starts[text];
    if (this.#hashes[text] !== hash || this.#starts[text + 1] - from !== length) return false;
    for (let place = 0; place < length; place++)
      if (this.#bytes[from + place] !== this.#bytes[start + place]) return false;
    return true;
  }

  #growSlots(): void {
    this.#slots = new Int32Array(2 * this.#slots.length).fill(-1);
    const mask = this.#slots.length - 1;
    for (let text = 0; text < this.#count; text++) {
      let slot = (this.#hashes[text] ^ (this.#hashes[text] >>> 15)) & mask;
      while (this.#slots[slot] >= 0) slot = (slot + 1) & mask;
      this.#slots[slot] = text;
    }
  }

  /** The texts so far. */
  texts(): Texts {
    const starts = sharedCopy(Uint32Array, this.#starts.subarray(0, this.#count + 1));
    return { starts, items: sharedCopy(Uint8Array, this.#bytes.subarray(0, starts[this.#count])) };
  }
}

/** Counts texts of which most occur once: a map of all of them would take gigabytes, and has room for 16 million. */
export class TextCounts {
  readonly #numbers = new TextNumbers();
  readonly #counts = new Growing(Uint32Array);

  add(text: string): void {
    const number = this.#numbers.numberOf(text, () => this.#counts.push(0));
    this.#counts.numbers[number]++;
  }

  /** The texts that occur at least so often, and how often. */
  frequent(least: number): Map<string, number> {
    const found = new Map<string, number>();
    const texts = this.#numbers.texts();
    this.#counts.added().forEach((count, number) => {
      if (count >= least) found.set(textAt(texts, number), count);
    });
    return found;
  }
}
