/**
 * Pairs of phrases in runs of neighbours: pairs that share words come into a batch together, so that each is a hard
 * negative of the others.
 */

import { permutation } from "../random.js";
import { splitWords } from "../text/char-ngrams.js";

/** Two phrases that mean the same. */
export interface PhrasePair {
  readonly text: string;
  readonly positive: string;
}

/**
 * What the pairs of a run share. "rarest": the rarest word of theirs, so that the others must tell them apart. "last":
 * the last words, as many as there are others with them, as the rows of a table about one kind of thing do: hospitals,
 * or the seasons of a team; what is in front, and the year, must tell them apart. "first": the first word, as in "is
 * accepted" and "is seen"; what follows must tell them apart.
 */
export type RunKey = (typeof RUN_KEYS)[number];
export const RUN_KEYS = ["rarest", "last", "first"] as const;

export class NeighbourRuns {
  readonly #pairs: readonly PhrasePair[];
  /** Pairs sorted by what runs share. */
  readonly #order: Int32Array;
  readonly #run: number;
  readonly #seed: number;
  #shuffled: { epoch: number; order: Int32Array } = { epoch: -1, order: new Int32Array(0) };

  /** @param run pairs that stay together; 1: none do */
  constructor(
    pairs: readonly PhrasePair[],
    { run, seed, by = "rarest" }: { run: number; seed: number; by?: RunKey },
  ) {
    this.#pairs = pairs;
    this.#run = Math.max(1, Math.min(run, pairs.length));
    this.#seed = seed;
    this.#order = sortedBy(sharedWords[by](pairs));
  }

  /** Runs of pairs in an epoch. */
  get runs(): number {
    return Math.ceil(this.#pairs.length / this.#run);
  }

  /**
   * The pairs of some runs, counted on from epoch to epoch: every epoch has all runs once, in an order of its own,
   * and cuts them at other places.
   */
  pairs(from: number, to: number): PhrasePair[] {
    const found: PhrasePair[] = [];
    for (let number = from; number < to; number++) {
      const epoch = Math.floor(number / this.runs);
      const run = this.#orderOf(epoch)[number % this.runs];
      const shift = (epoch * 7) % this.#run;
      const count = this.#pairs.length;
      const start = run * this.#run;
      for (let i = start; i < Math.min(start + this.#run, count); i++)
        found.push(this.#pairs[this.#order[(i + shift) % count]]);
    }
    return found;
  }

  #orderOf(epoch: number): Int32Array {
    if (this.#shuffled.epoch !== epoch)
      this.#shuffled = { epoch, order: permutation(this.runs, this.#seed, epoch) };
    return this.#shuffled.order;
  }
}

/** Of each pair, its rarest word that another pair has too, and then the phrase. */
function rarestWords(pairs: readonly PhrasePair[]): string[] {
  const frequency = new Map<string, number>();
  const wordsOf = (pair: PhrasePair) => splitWords(pair.text);
  for (const pair of pairs)
    for (const word of new Set(wordsOf(pair))) frequency.set(word, (frequency.get(word) ?? 0) + 1);
  return pairs.map((pair) => {
    let [best, least] = ["", Number.POSITIVE_INFINITY];
    for (const word of wordsOf(pair)) {
      const count = frequency.get(word) as number;
      if (count > 1 && count < least) [best, least] = [word, count];
    }
    return `${best}\t${pair.text}`;
  });
}

/** Of each pair, its words from the last to the first, those with digits behind the others. */
const lastWords = (pairs: readonly PhrasePair[]): string[] =>
  pairs.map(({ text }) => {
    const words = splitWords(text.toLowerCase()).reverse();
    const isNumber = (word: string) => /\p{N}/u.test(word);
    const inOrder = [...words.filter((word) => !isNumber(word)), ...words.filter(isNumber)];
    return `${inOrder.join(" ")}\t${text}`;
  });

/** Of each pair, its first word; pairs with the same stay in the order that they are given in. */
const firstWords = (pairs: readonly PhrasePair[]): string[] =>
  pairs.map(({ text }) => splitWords(text.toLowerCase())[0] ?? "");

/** The keys of each kind, by which pairs are sorted. */
const sharedWords: Record<RunKey, (pairs: readonly PhrasePair[]) => string[]> = {
  rarest: rarestWords,
  last: lastWords,
  first: firstWords,
};

/** Indices of the keys in their order. */
function sortedBy(keys: readonly string[]): Int32Array {
  const order = Int32Array.from(keys, (_, i) => i);
  return order.sort((a, b) => (keys[a] < keys[b] ? -1 : keys[a] > keys[b] ? 1 : a - b));
}
