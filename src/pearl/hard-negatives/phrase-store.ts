/** The phrases of a corpus for the search: character codes and letter signatures, by length, in shared memory. */
import { comparableForm } from "./edit-ratio.js";

/** Phrases of more characters are not searched. */
export const LONGEST = 256;

/** 32-bit words of a signature; each bit is set if a certain letter occurs at least a certain number of times. */
export const SIGNATURE_WORDS = 4;

/** Phrases of one length, which lie side by side. */
export interface LengthRun {
  readonly length: number;
  readonly first: number;
  /** Place behind the last phrase. */
  readonly last: number;
  /** Where the first phrase's characters begin. */
  readonly characters: number;
}

/** Posted to workers as it is. A phrase's place is its rank by length, then by signature. */
export interface PhraseStore {
  /** [size, 4] */
  readonly signatures: Uint32Array<SharedArrayBuffer>;
  /** Codes of the characters of all phrases. */
  readonly characters: Uint16Array<SharedArrayBuffer>;
  readonly size: number;
  /** Distinct character codes, 0 for the rarest beyond 65,535. */
  readonly alphabet: number;
  /** Ascending by length. */
  readonly runs: readonly LengthRun[];
  /** The row in the corpus of each place. */
  readonly rows: Int32Array;
  /** Phrases without a visible character, which are left out. */
  readonly empty: number;
  /** Phrases of more than 256 characters, which are left out. */
  readonly tooLong: number;
}

const CODES = 65_536;
const SIGNATURE_BITS = 32 * SIGNATURE_WORDS;
const NO_BIT = 255;
/** Occurrences of a character that count as letters of their own. */
const MOST_COUNTED = 8;

export function buildPhraseStore(phrases: readonly string[]): PhraseStore {
  const { codes, lengths, empty, tooLong } = readPhrases(phrases);
  const alphabet = codes.size + 1;
  const size = phrases.length - empty - tooLong;
  const rows = new Int32Array(new SharedArrayBuffer(4 * size));
  const searched = [...phrases.keys()].filter((row) => lengths[row] > 0);
  rows.set(searched.sort((a, b) => lengths[a] - lengths[b] || a - b));
  const runs: LengthRun[] = [];
  let end = 0;
  for (let first = 0, last = 0; first < size; first = last) {
    const length = lengths[rows[first]];
    while (last < size && lengths[rows[last]] === length) last++;
    runs.push({ length, first, last, characters: end });
    end += length * (last - first);
  }
  const signatures = new Uint32Array(new SharedArrayBuffer(4 * SIGNATURE_WORDS * size));
  const characters = new Uint16Array(new SharedArrayBuffer(2 * end));
  const store = { signatures, characters, size, alphabet, runs, rows, empty, tooLong };
  for (const run of runs) {
    let at = run.characters;
    for (let place = run.first; place < run.last; place++)
      for (const character of comparableForm(phrases[rows[place]]))
        characters[at++] = codes.get(character.codePointAt(0) as number) ?? 0;
  }
  sign(store);
  return store;
}

/** Index of the first character of the phrase at a place. */
export function charactersAt(run: LengthRun, place: number): number {
  return run.characters + run.length * (place - run.first);
}

/** Codes of the characters, the most frequent first; and the length of each phrase, 0 where it is left out. */
function readPhrases(phrases: readonly string[]) {
  const counts = new Map<number, number>();
  const lengths = new Uint16Array(phrases.length);
  let empty = 0;
  let tooLong = 0;
  phrases.forEach((phrase, row) => {
    const form = comparableForm(phrase);
    let length = 0;
    for (const character of form) {
      const point = character.codePointAt(0) as number;
      counts.set(point, (counts.get(point) ?? 0) + 1);
      length++;
    }
    if (form.trim() === "") empty++;
    else if (length > LONGEST) tooLong++;
    else lengths[row] = length;
  });
  const points = [...counts].sort((a, b) => b[1] - a[1] || a[0] - b[0]).slice(0, CODES - 1);
  return { codes: new Map(points.map(([point], index) => [point, index + 1])), lengths, empty, tooLong };
}

function sign(store: PhraseStore): void {
  const { signatures, characters, runs, rows } = store;
  const bitOf = chooseBits(store);
  eachLetter(store, (letter, place) => {
    const bit = bitOf[letter];
    if (bit !== NO_BIT) signatures[SIGNATURE_WORDS * place + (bit >>> 5)] |= 1 << (31 - (bit & 31));
  });
  for (const run of runs) {
    const start = SIGNATURE_WORDS * run.first;
    const order = Int32Array.from({ length: run.last - run.first }, (_, index) => index);
    order.sort((a, b) => {
      for (let word = start; word < start + SIGNATURE_WORDS; word++) {
        const difference = signatures[word + SIGNATURE_WORDS * a] - signatures[word + SIGNATURE_WORDS * b];
        if (difference !== 0) return difference;
      }
      return a - b;
    });
    reorder(signatures, start, SIGNATURE_WORDS, order);
    reorder(characters, run.characters, run.length, order);
    reorder(rows, run.first, 1, order);
  }
}

/** Reorders items of `width` numbers each, the first of which begins at `start`. */
function reorder(
  values: Uint32Array | Uint16Array | Int32Array,
  start: number,
  width: number,
  order: Int32Array,
): void {
  const before = values.slice(start, start + width * order.length);
  order.forEach((from, to) => {
    for (let at = 0; at < width; at++) values[start + width * to + at] = before[width * from + at];
  });
}

/** Visits the letters of every phrase: 8 × code + n is the (n + 1)th occurrence of a character, up to the eighth. */
function eachLetter(
  { characters, alphabet, runs }: PhraseStore,
  visit: (letter: number, place: number) => void,
): void {
  const counts = new Uint8Array(alphabet);
  for (const run of runs) {
    for (let place = run.first; place < run.last; place++) {
      const start = charactersAt(run, place);
      for (let at = start; at < start + run.length; at++) {
        const code = characters[at];
        if (counts[code] < MOST_COUNTED) visit(MOST_COUNTED * code + counts[code]++, place);
      }
      for (let at = start; at < start + run.length; at++) counts[characters[at]] = 0;
    }
  }
}

/** The signature's bit of each letter, or NO_BIT. Letters that divide the corpus most evenly come first. */
function chooseBits(store: PhraseStore): Uint8Array {
  const holders = new Int32Array(store.alphabet * MOST_COUNTED);
  eachLetter(store, (letter) => {
    holders[letter]++;
  });
  const spread = (letter: number): number => holders[letter] * (store.size - holders[letter]);
  const letters = Array.from(holders.keys()).filter((letter) => spread(letter) > 0);
  letters.sort((a, b) => spread(b) - spread(a) || a - b);
  const bits = new Uint8Array(holders.length).fill(NO_BIT);
  letters.slice(0, SIGNATURE_BITS).forEach((letter, bit) => {
    bits[letter] = bit;
  });
  return bits;
}
