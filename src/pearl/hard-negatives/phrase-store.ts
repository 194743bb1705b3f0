/** The phrases of a corpus as the search reads them: character codes and letter signatures, by length, in memory that threads share. */
import { type SharedMemory, shareMemory } from "../../runtime/wasm/assembler.js";
import { comparableForm } from "./edit-ratio.js";
import { BOUND_BYTES, type KernelLayout, LONGEST, SIGNATURE_BYTES } from "./scan-kernel.js";

/** Phrases of one length, which lie side by side. */
export interface LengthRun {
  /** Characters of each. */
  readonly length: number;
  /** Place of the first, and of the one after the last. */
  readonly first: number;
  readonly last: number;
  readonly firstBlock: number;
  readonly lastBlock: number;
  /** Where the first one's characters begin, in bytes. */
  readonly characters: number;
}

/** The store; it is posted to threads as it is. A phrase's place is its rank by length, then signature. */
export interface PhraseStore {
  readonly memory: SharedMemory;
  readonly layout: KernelLayout;
  /** Phrases that are searched. */
  readonly size: number;
  /** Distinct character codes, 0 for the rarest beyond 65,535. */
  readonly alphabet: number;
  /** Ascending by length. */
  readonly runs: readonly LengthRun[];
  /** The row in the corpus of each place. */
  readonly rows: Int32Array;
  /** The first byte that threads may use for themselves. */
  readonly free: number;
  /** Phrases left out: without a visible character, or longer than 256 characters. */
  readonly empty: number;
  readonly tooLong: number;
}

/** Phrases of a block: small enough to be alike in many letters, large enough that its bounds cost little. */
export const BLOCK = 16;
const CODES = 65_536;
const SIGNATURE_BITS = 8 * SIGNATURE_BYTES;
/** Counts of a letter that may get a bit of their own. */
const MOST_COUNTED = 8;

/**
 * Builds the store.
 * @param workspace bytes of shared memory to leave free behind the phrases
 */
export function buildPhraseStore(
  phrases: readonly string[],
  workspace: (alphabet: number) => number,
): PhraseStore {
  const { codes, alphabet } = readAlphabet(phrases);
  const lengths = new Uint16Array(phrases.length);
  const perLength = new Int32Array(LONGEST + 1);
  let empty = 0;
  let tooLong = 0;
  phrases.forEach((phrase, row) => {
    const length = visibleLength(phrase);
    if (length === 0) empty++;
    else if (length > LONGEST) tooLong++;
    else {
      lengths[row] = length;
      perLength[length]++;
    }
  });
  const size = phrases.length - empty - tooLong;
  const { runs, layout, free } = layOut(perLength, size);
  const memory = shareMemory(free + workspace(alphabet));
  const rows = new Int32Array(new SharedArrayBuffer(4 * size));
  const next = new Int32Array(LONGEST + 1);
  for (const { length, first } of runs) next[length] = first;
  lengths.forEach((length, row) => {
    if (length > 0) rows[next[length]++] = row;
  });
  const characters = new Uint16Array(memory.buffer);
  for (const run of runs) {
    for (let place = run.first; place < run.last; place++)
      writeCharacters(phrases[rows[place]], codes, characters, charactersAt(run, place) / 2);
  }
  const store = { memory, layout, size, alphabet, runs, rows, free, empty, tooLong };
  sign(store, phrases, codes);
  return store;
}

/** Where the characters of the phrase at a place begin, in bytes. */
export function charactersAt(run: LengthRun, place: number): number {
  return run.characters + 2 * run.length * (place - run.first);
}

/** Codes of the characters, the most frequent first; code 0 stands for all beyond the number of codes. */
function readAlphabet(phrases: readonly string[]): { codes: Map<number, number>; alphabet: number } {
  const counts = new Map<number, number>();
  for (const phrase of phrases) {
    for (const character of comparableForm(phrase)) {
      const point = character.codePointAt(0) as number;
      counts.set(point, (counts.get(point) ?? 0) + 1);
    }
  }
  const points = [...counts].sort((a, b) => b[1] - a[1] || a[0] - b[0]).slice(0, CODES - 1);
  const codes = new Map(points.map(([point], index) => [point, index + 1]));
  return { codes, alphabet: codes.size + 1 };
}

/** Code points of the comparable form; 0 where nothing is visible. */
function visibleLength(phrase: string): number {
  const form = comparableForm(phrase);
  if (form.trim() === "") return 0;
  let length = 0;
  for (const _ of form) length++;
  return length;
}

function writeCharacters(
  phrase: string,
  codes: ReadonlyMap<number, number>,
  target: Uint16Array,
  offset: number,
): void {
  let place = offset;
  for (const character of comparableForm(phrase))
    target[place++] = codes.get(character.codePointAt(0) as number) ?? 0;
}

function layOut(perLength: Int32Array, size: number): Pick<PhraseStore, "runs" | "layout" | "free"> {
  const runs: LengthRun[] = [];
  let first = 0;
  let firstBlock = 0;
  let characters = SIGNATURE_BYTES * size;
  perLength.forEach((count, length) => {
    if (count === 0) return;
    const lastBlock = firstBlock + Math.ceil(count / BLOCK);
    runs.push({ length, first, last: first + count, firstBlock, lastBlock, characters });
    first += count;
    firstBlock = lastBlock;
    characters += 2 * length * count;
  });
  const bounds = Math.ceil(characters / 8) * 8;
  const blockStarts = bounds + BOUND_BYTES * firstBlock;
  const free = Math.ceil((blockStarts + 4 * (firstBlock + 1)) / 8) * 8;
  return { runs, layout: { signatures: 0, bounds, blockStarts }, free };
}

/** Chooses what the signature's bits say, orders each run by it, and bounds the blocks. */
function sign(store: PhraseStore, phrases: readonly string[], codes: ReadonlyMap<number, number>): void {
  const { memory, layout, runs, rows } = store;
  const bitOf = chooseBits(store);
  const signatures = new Uint32Array(memory.buffer, layout.signatures, (store.size * SIGNATURE_BYTES) / 4);
  const characters = new Uint16Array(memory.buffer);
  const counts = new Uint8Array(store.alphabet);
  const blockStarts = new Int32Array(memory.buffer, layout.blockStarts);
  for (const run of runs) {
    const signed = new Uint32Array((run.last - run.first) * 4);
    for (let place = run.first; place < run.last; place++) {
      const start = charactersAt(run, place) / 2;
      writeSignature(
        characters.subarray(start, start + run.length),
        bitOf,
        counts,
        signed,
        4 * (place - run.first),
      );
    }
    const order = sortedBySignature(signed);
    const before = rows.slice(run.first, run.last);
    order.forEach((from, to) => {
      rows[run.first + to] = before[from];
      signatures.set(signed.subarray(4 * from, 4 * from + 4), 4 * (run.first + to));
      writeCharacters(phrases[before[from]], codes, characters, charactersAt(run, run.first + to) / 2);
    });
    for (let block = run.firstBlock; block < run.lastBlock; block++) {
      const start = run.first + BLOCK * (block - run.firstBlock);
      blockStarts[block] = start;
      boundBlock(store, signatures, block, start, Math.min(start + BLOCK, run.last));
    }
    blockStarts[run.lastBlock] = run.last;
  }
}

/** For each code and count, 8 × code + count − 1: the signature's bit, or 255 where it has none. */
function chooseBits({ memory, size, alphabet, runs }: PhraseStore): Uint8Array {
  const holders = new Int32Array(alphabet * MOST_COUNTED);
  const characters = new Uint16Array(memory.buffer);
  const counts = new Uint8Array(alphabet);
  for (const run of runs) {
    for (let place = run.first; place < run.last; place++) {
      const start = charactersAt(run, place) / 2;
      for (let index = start; index < start + run.length; index++) {
        const code = characters[index];
        if (counts[code] < MOST_COUNTED) holders[code * MOST_COUNTED + counts[code]++]++;
      }
      for (let index = start; index < start + run.length; index++) counts[characters[index]] = 0;
    }
  }
  // The bits that divide the corpus most evenly tell the most; the first bits also order the runs.
  const spread = (event: number): number => holders[event] * (size - holders[event]);
  const events = Array.from(holders.keys()).filter((event) => spread(event) > 0);
  events.sort((a, b) => spread(b) - spread(a) || a - b);
  const bits = new Uint8Array(holders.length).fill(255);
  events.slice(0, SIGNATURE_BITS).forEach((event, bit) => {
    bits[event] = bit;
  });
  return bits;
}

function writeSignature(
  characters: Uint16Array,
  bitOf: Uint8Array,
  counts: Uint8Array,
  target: Uint32Array,
  offset: number,
): void {
  for (const code of characters) {
    if (counts[code] === MOST_COUNTED) continue;
    const bit = bitOf[code * MOST_COUNTED + counts[code]++];
    if (bit < SIGNATURE_BITS) target[offset + (bit >>> 5)] |= 1 << (31 - (bit & 31));
  }
  for (const code of characters) counts[code] = 0;
}

/** The order of the signatures, read as numbers with the first bit the highest. */
function sortedBySignature(signed: Uint32Array): Int32Array {
  const order = Int32Array.from({ length: signed.length / 4 }, (_, index) => index);
  return order.sort((a, b) => {
    for (let word = 0; word < 4; word++) {
      const difference = signed[4 * a + word] - signed[4 * b + word];
      if (difference !== 0) return difference;
    }
    return a - b;
  });
}

/** Writes which bits none of a block's phrases has, and which all have. */
function boundBlock(
  { memory, layout }: PhraseStore,
  signatures: Uint32Array,
  block: number,
  first: number,
  last: number,
): void {
  const bounds = new Uint32Array(memory.buffer, layout.bounds + BOUND_BYTES * block, BOUND_BYTES / 4);
  for (let word = 0; word < 4; word++) {
    let any = 0;
    let all = ~0;
    for (let place = first; place < last; place++) {
      any |= signatures[4 * place + word];
      all &= signatures[4 * place + word];
    }
    bounds[word] = ~any;
    bounds[4 + word] = all;
  }
}
