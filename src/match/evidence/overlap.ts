/**
 * Soft overlap of two lists of words weighted by rarity: equal words, then neighbours that join to one word, then the best
 * partner among initials, abbreviations and misspellings.
 */
import type { Lists } from "../columns/lists.js";
import type { VocabularyWords } from "../spelling/vocabulary-words.js";

/** Result of a comparison, overwritten by the next one. */
export interface Overlap {
  /** Square root of the product of both sides' covered weights: 1 if every word has an equal partner. */
  cosine: number;
  /** The smaller of the two sides' heaviest words without a partner. */
  unmatched: number;
  /** Whether a side has a word without a partner that says more than an article or a legal form; a number apart. */
  hasSurplus: boolean;
}

/** Unmatched words compared with each other: the first ones of longer lists. */
const mostSoft = 16;

export interface WordWeights {
  readonly words: VocabularyWords;
  readonly rarity: Float32Array;
}

/** Returns a function that compares list `a` of one side with list `b` of another. */
export function overlapComparison({ words, rarity }: WordWeights) {
  const left = new Side();
  const right = new Side();
  const result: Overlap = { cosine: 0, unmatched: 0, hasSurplus: false };
  return (listsA: Lists, a: number, listsB: Lists, b: number): Overlap => {
    left.load(listsA, a);
    right.load(listsB, b);
    matchEqual(left, right);
    if (left.open > 0 && right.open > 0) {
      matchJoined(left, right, words);
      matchJoined(right, left, words);
      if (left.open > 0 && right.open > 0) matchSoft(left, right, words, rarity);
    }
    left.sum(rarity);
    right.sum(rarity);
    result.cosine = Math.sqrt(left.covered * right.covered);
    result.unmatched = Math.min(left.unmatched, right.unmatched);
    result.hasSurplus = left.hasSurplus(words) || right.hasSurplus(words);
    return result;
  };
}

/** One list of words, with the likeness of each word's partner. */
export class Side {
  /** Words by number: those of the list begin at `first`. */
  items: Lists["items"] = new Uint32Array(0);
  first = 0;
  met = new Float64Array(64);
  count = 0;
  /** Words without a partner. */
  open = 0;
  covered = 0;
  unmatched = 0;
  #chosen = new Uint32Array(64);
  /** The list whose words were chosen last. */
  #chosenOf = -1;

  load({ starts, items }: Lists, list: number): void {
    this.items = items;
    this.first = starts[list];
    this.#begin(starts[list + 1] - this.first);
  }

  /** Loads the words of a list that are flagged. A side loads them from the same lists each time. */
  loadChosen({ starts, items }: Lists, list: number, flags: Uint8Array): void {
    if (list === this.#chosenOf) {
      this.#begin(this.count);
      return;
    }
    this.#chosenOf = list;
    const [from, to] = [starts[list], starts[list + 1]];
    if (this.#chosen.length < to - from) this.#chosen = new Uint32Array(2 * (to - from));
    let count = 0;
    for (let place = from; place < to; place++)
      if (flags[items[place]] === 1) this.#chosen[count++] = items[place];
    this.items = this.#chosen;
    this.first = 0;
    this.#begin(count);
  }

  #begin(count: number): void {
    this.count = count;
    this.open = count;
    if (this.met.length < this.count) this.met = new Float64Array(2 * this.count);
    this.met.fill(0, 0, this.count);
  }

  word(place: number): number {
    return this.items[this.first + place];
  }

  meet(place: number, likeness: number): void {
    this.met[place] = likeness;
    this.open--;
  }

  /** The first place behind one whose word has no partner; the number of words if there is none. */
  nextOpen(place: number): number {
    let next = place + 1;
    while (next < this.count && this.met[next] !== 0) next++;
    return next;
  }

  hasSurplus(words: VocabularyWords): boolean {
    for (let place = 0; place < this.count; place++)
      if (this.met[place] === 0 && !words.isOptional(this.word(place))) return true;
    return false;
  }

  sum(rarity: Float32Array): void {
    let [total, covered] = [1e-9, 0];
    this.unmatched = 0;
    for (let place = 0; place < this.count; place++) {
      const weight = rarity[this.word(place)];
      const met = this.met[place];
      total += weight;
      covered += met * weight;
      if (met === 0 && weight > this.unmatched) this.unmatched = weight;
    }
    this.covered = covered / total;
  }
}

export function matchEqual(left: Side, right: Side): void {
  for (let i = 0; i < left.count; i++) {
    for (let j = 0; j < right.count; j++) {
      if (left.word(i) !== right.word(j) || right.met[j] > 0) continue;
      left.meet(i, 1);
      right.meet(j, 1);
      break;
    }
  }
}

/** Matches 2 to 4 neighbours of `many` that join to one word of `one`, or a number and a letter wherever they stand. */
function matchJoined(one: Side, many: Side, words: VocabularyWords): void {
  if (many.open < 2) return;
  const openAt = (place: number): number => (many.met[place] === 0 ? many.word(place) : -1);
  for (let i = 0; i < one.count; i++) {
    if (one.met[i] > 0) continue;
    for (let from = 0; from + 1 < many.count; from++) {
      if (!words.mayBegin(one.word(i), many.word(from))) continue;
      const to = words.joinedEnd(one.word(i), from, many.count, openAt);
      if (to < 0) continue;
      one.meet(i, 1);
      for (let place = from; place < to; place++) many.meet(place, 1);
      break;
    }
    const apart = one.met[i] > 0 ? undefined : words.lettered(one.word(i), 0, many.count, openAt);
    if (apart === undefined) continue;
    one.meet(i, 1);
    for (const place of apart) many.meet(place, 1);
  }
}

/** Two words that are alike. */
interface Partners {
  readonly i: number;
  readonly j: number;
  readonly likeness: number;
  readonly weight: number;
}

/** Matches the most alike of the remaining words, heavier ones first among equally alike. */
export function matchSoft(left: Side, right: Side, words: VocabularyWords, rarity: Float32Array): void {
  const found: Partners[] = [];
  for (let i = left.nextOpen(-1), rows = 0; i < left.count && rows < mostSoft; i = left.nextOpen(i), rows++)
    for (
      let j = right.nextOpen(-1), row = 0;
      j < right.count && row < mostSoft;
      j = right.nextOpen(j), row++
    ) {
      const likeness = words.likeness(left.word(i), right.word(j));
      if (likeness > 0) found.push({ i, j, likeness, weight: rarity[left.word(i)] + rarity[right.word(j)] });
    }
  if (found.length > 1) found.sort((x, y) => y.likeness - x.likeness || y.weight - x.weight);
  for (const { i, j, likeness } of found) {
    if (left.met[i] > 0 || right.met[j] > 0) continue;
    left.meet(i, likeness);
    right.meet(j, likeness);
  }
}
