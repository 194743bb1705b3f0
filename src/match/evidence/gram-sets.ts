/** The 3-grams of texts as sorted sets of hashes, weighted by rarity, for the cosine of any two. */
import { FNV_BASIS, FNV_PRIME } from "../../files/fnv.js";
import { shared } from "../../runtime/shared-array.js";
import { eachText, type Texts, textCount } from "../columns/texts.js";
import { type Lists, ListsBuilder } from "../columns/vocabulary.js";

export interface GramSets {
  /** Different grams of each text, ascending. */
  readonly grams: Lists;
  /** By gram: its squared weight. */
  readonly weights: Float32Array;
  /** By text: length of its vector. */
  readonly lengths: Float32Array;
}

const buckets = 2 ** 18;

/** @param counts rows with each text */
export function gramSets(texts: Texts, counts: ArrayLike<number>): GramSets {
  const lists = new ListsBuilder();
  const rowsWith = new Float64Array(buckets);
  let total = 0;
  let index = 0;
  for (const text of eachText(texts)) {
    const padded = ` ${text} `;
    const grams = new Set<number>();
    for (let from = 0; from + 3 <= padded.length; from++) grams.add(hash(padded, from));
    for (const gram of grams) rowsWith[gram] += counts[index];
    total += counts[index++];
    lists.push(Uint32Array.from(grams).sort());
  }
  const weights = shared(Float32Array, buckets);
  rowsWith.forEach((count, gram) => {
    if (count > 0) weights[gram] = Math.log(1 + total / count) ** 2;
  });
  const grams = lists.finish();
  const lengths = shared(Float32Array, textCount(texts));
  for (let text = 0; text < lengths.length; text++) {
    let sum = 0;
    for (let place = grams.starts[text]; place < grams.starts[text + 1]; place++)
      sum += weights[grams.items[place]];
    lengths[text] = Math.sqrt(sum);
  }
  return { grams, weights, lengths };
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
