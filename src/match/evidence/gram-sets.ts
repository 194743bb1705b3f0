/** The 3-grams of texts as sorted sets of hashes, weighted by rarity, for the cosine of any two. */
import { FNV_BASIS, FNV_PRIME } from "../../files/fnv.js";
import { shared } from "../../runtime/shared-array.js";
import { eachText, type Texts, textCount } from "../columns/texts.js";
import { countWords, type Lists, ListsBuilder } from "../columns/vocabulary.js";

export interface GramSets {
  /** Different grams of each text, ascending. */
  readonly grams: Lists;
  /** By gram: its squared weight. */
  readonly weights: Float32Array;
  /** By text: length of its vector. */
  readonly lengths: Float32Array;
}

/** Grams are numbered below it. */
export const buckets = 2 ** 18;

/** The different grams of each text, ascending. */
export function gramLists(texts: Texts): Lists {
  const lists = new ListsBuilder();
  for (const text of eachText(texts)) {
    const padded = ` ${text} `;
    const grams = new Uint32Array(Math.max(0, padded.length - 2));
    for (let from = 0; from < grams.length; from++) grams[from] = hash(padded, from);
    grams.sort();
    let count = 0;
    for (const gram of grams) if (count === 0 || gram !== grams[count - 1]) grams[count++] = gram;
    lists.push(grams.subarray(0, count));
  }
  return lists.finish();
}

/** How many rows have each gram. @param counts rows with each text */
export const countGrams = (grams: Lists, counts: ArrayLike<number>): Uint32Array =>
  countWords(grams, buckets, counts);

/** @param rowsWith rows with each gram @param rows all of them */
export function weighGrams(grams: Lists, rowsWith: Uint32Array, rows: number): GramSets {
  const weights = shared(Float32Array, buckets);
  rowsWith.forEach((count, gram) => {
    if (count > 0) weights[gram] = Math.log(1 + rows / count) ** 2;
  });
  const texts = grams.starts.length - 1;
  const lengths = shared(Float32Array, texts);
  for (let text = 0; text < texts; text++) {
    let sum = 0;
    for (let place = grams.starts[text]; place < grams.starts[text + 1]; place++)
      sum += weights[grams.items[place]];
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

function hash(text: string, from: number): number {
  let state = FNV_BASIS;
  for (let index = from; index < from + 3; index++)
    state = Math.imul(state ^ text.charCodeAt(index), FNV_PRIME);
  state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d);
  return (state ^ (state >>> 13)) & (buckets - 1);
}

/** Cosine of the texts' weighted gram sets, 0 to 1. */
export function gramCosine(
  { grams: { starts, items }, weights, lengths }: GramSets,
  a: number,
  b: number,
): number {
  let [i, j, sum] = [starts[a], starts[b], 0];
  const [endI, endJ] = [starts[a + 1], starts[b + 1]];
  while (i < endI && j < endJ) {
    const difference = items[i] - items[j];
    if (difference === 0) {
      sum += weights[items[i++]];
      j++;
    } else if (difference < 0) i++;
    else j++;
  }
  return sum / Math.max(1e-9, lengths[a] * lengths[b]);
}
