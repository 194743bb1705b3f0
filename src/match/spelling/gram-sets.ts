/** The 3-grams of texts as sorted sets of hashes, weighted by rarity, for the cosine of any two. */

import { FNV_BASIS } from "../../files/checksums/fnv.js";
import { shared, sharedCopy } from "../../runtime/shared-array.js";
import { hash } from "../candidates/grams.js";
import { Growing, type Lists } from "../columns/lists.js";
import { eachText, type Texts, textCount } from "../columns/texts.js";

/**
 * The different grams of each text, ascending, as steps from one to the next. A step of `wide` or more is written as several numbers:
 * each that equals `wide` is added to the next.
 */
export type GramLists = Lists<Uint16Array>;

export interface GramSets {
  readonly grams: GramLists;
  /** By gram: its squared weight. */
  readonly weights: Float32Array;
  /** By text: length of its vector. */
  readonly lengths: Float32Array;
}

/** Grams are numbered below it. */
export const buckets = 2 ** 18;
const wide = 2 ** 16 - 1;

/** The different grams of each text. */
export function gramLists(texts: Texts): GramLists {
  const starts = shared(Uint32Array, textCount(texts) + 1);
  const steps = new Growing(Uint16Array);
  let text = 0;
  for (const own of eachText(texts)) {
    const padded = ` ${own} `;
    const grams = new Uint32Array(Math.max(0, padded.length - 2));
    for (let from = 0; from < grams.length; from++)
      grams[from] = hash(padded, FNV_BASIS, from, from + 3) & (buckets - 1);
    grams.sort();
    let last = -1;
    for (const gram of grams) {
      if (gram === last) continue;
      let step = gram - Math.max(0, last);
      for (; step >= wide; step -= wide) steps.push(wide);
      steps.push(step);
      last = gram;
    }
    starts[++text] = steps.length;
  }
  return { starts, items: sharedCopy(Uint16Array, steps.added()) };
}

/** Walks the grams of a text. */
class Walk {
  /** -1 behind the last. */
  gram = -1;
  #steps: GramLists["items"] = new Uint16Array(0);
  #place = 0;
  #end = 0;

  begin({ starts, items }: GramLists, text: number): void {
    this.#steps = items;
    this.#place = starts[text];
    this.#end = starts[text + 1];
    this.gram = 0;
    this.next();
  }

  next(): void {
    if (this.#place === this.#end) {
      this.gram = -1;
      return;
    }
    let step = this.#steps[this.#place++];
    for (; step === wide; step = this.#steps[this.#place++]) this.gram += wide;
    this.gram += step;
  }
}

/** Used again for each pair: a comparison makes no objects. */
const walk = new Walk();

export function gramsOf(grams: GramLists, text: number): number[] {
  const found: number[] = [];
  for (walk.begin(grams, text); walk.gram >= 0; walk.next()) found.push(walk.gram);
  return found;
}

/** How many rows have each gram. @param counts rows with each text */
export function countGrams(grams: GramLists, counts: ArrayLike<number>): Uint32Array {
  const rowsWith = new Uint32Array(buckets);
  for (let text = 0; text + 1 < grams.starts.length; text++)
    for (walk.begin(grams, text); walk.gram >= 0; walk.next()) rowsWith[walk.gram] += counts[text];
  return rowsWith;
}

/** @param rowsWith rows with each gram @param rows all of them */
export function weighGrams(grams: GramLists, rowsWith: Uint32Array, rows: number): GramSets {
  const weights = shared(Float32Array, buckets);
  rowsWith.forEach((count, gram) => {
    if (count > 0) weights[gram] = Math.log(1 + rows / count) ** 2;
  });
  const texts = grams.starts.length - 1;
  const lengths = shared(Float32Array, texts);
  for (let text = 0; text < texts; text++) {
    let sum = 0;
    for (walk.begin(grams, text); walk.gram >= 0; walk.next()) sum += weights[walk.gram];
    lengths[text] = Math.sqrt(sum);
  }
  return { grams, weights, lengths };
}

/** @param counts rows with each text */
export function gramSets(texts: Texts, counts: ArrayLike<number>): GramSets {
  const grams = gramLists(texts);
  let rows = 0;
  for (let text = 0; text < textCount(texts); text++) rows += counts[text];
  return weighGrams(grams, countGrams(grams, counts), rows);
}

/**
 * Returns a function that gives the cosine of two texts' weighted gram sets, 0 to 1. The first text is compared with many in a
 * row: its grams are kept as bits, which stay in the processor's nearest cache.
 */
export function gramCosine({ grams, weights, lengths }: GramSets): (a: number, b: number) => number {
  const bits = new Uint32Array(buckets / 32);
  let kept = -1;
  const keep = (text: number): void => {
    if (kept >= 0) for (walk.begin(grams, kept); walk.gram >= 0; walk.next()) bits[walk.gram >>> 5] = 0;
    for (walk.begin(grams, text); walk.gram >= 0; walk.next()) bits[walk.gram >>> 5] |= 1 << walk.gram;
    kept = text;
  };
  return (a, b) => {
    if (a !== kept) keep(a);
    const { starts, items: steps } = grams;
    const end = starts[b + 1];
    let [sum, gram] = [0, 0];
    // The steps of a walk in one loop, for each of many texts.
    for (let place = starts[b]; place < end; place++) {
      const step = steps[place];
      gram += step;
      if (step !== wide && (bits[gram >>> 5] & (1 << gram)) !== 0) sum += weights[gram];
    }
    return sum / Math.max(1e-9, lengths[a] * lengths[b]);
  };
}
