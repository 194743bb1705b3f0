/**
 * Pairs of phrases in runs of neighbours: pairs that share words are in one batch, so that each is a hard negative of
 * the others.
 */
import { countBy } from "../../by-key.js";
import { epochOrders } from "../../random.js";
import { splitWords } from "../../text/char-ngrams.js";

export interface PhrasePair {
  readonly text: string;
  readonly positive: string;
}

/**
 * What the pairs of a run share. "rarest": their rarest common word; the other words tell them apart. "last": as many
 * last words as possible, as in a table of hospitals or of a team's seasons; the first words and the year tell them
 * apart. "first": the first word, as in "is accepted" and "is seen".
 */
export type RunKey = (typeof RUN_KEYS)[number];
export const RUN_KEYS = ["rarest", "last", "first"] as const;

/** The pairs of the runs `from` to `to` (exclusive), numbered through all epochs. */
export type NeighbourRuns = (from: number, to: number) => PhrasePair[];

/** Its multiples, without their whole parts, spread over the numbers from 0 to 1. */
const goldenRatio = (Math.sqrt(5) - 1) / 2;

/**
 * Every epoch has all runs once, in its own order, and cut at other pairs.
 * @param run pairs that stay together; 1: none do
 */
export function neighbourRuns(
  pairs: readonly PhrasePair[],
  { run, seed, by = "rarest" }: { run: number; seed: number; by?: RunKey },
): NeighbourRuns {
  const count = pairs.length;
  const size = Math.max(1, Math.min(run, count));
  const keys = sharedWords[by](pairs);
  const order = Int32Array.from(keys.keys()).sort((a, b) =>
    keys[a] < keys[b] ? -1 : keys[a] > keys[b] ? 1 : a - b,
  );
  const runs = Math.ceil(count / size);
  const orderOf = epochOrders(runs, seed);
  return (from, to) => {
    const found: PhrasePair[] = [];
    for (let number = from; number < to; number++) {
      const epoch = Math.floor(number / runs);
      const shift = Math.floor(((epoch * goldenRatio) % 1) * size);
      const start = orderOf(epoch)[number % runs] * size;
      for (let i = start; i < Math.min(start + size, count); i++)
        found.push(pairs[order[(i + shift) % count]]);
    }
    return found;
  };
}

/** For each pair, its rarest word that another pair also has, and then the phrase. */
function rarestWords(pairs: readonly PhrasePair[]): string[] {
  const words = pairs.flatMap(({ text }) => [...new Set(splitWords(text))]);
  const frequency = countBy(words, (word) => word);
  return pairs.map((pair) => {
    let [best, least] = ["", Number.POSITIVE_INFINITY];
    for (const word of splitWords(pair.text)) {
      const count = frequency.get(word) as number;
      if (count > 1 && count < least) [best, least] = [word, count];
    }
    return `${best}\t${pair.text}`;
  });
}

/** Words from the last to the first, those with digits behind the others. */
function lastWords(text: string): string {
  const words = splitWords(text.toLowerCase()).reverse();
  const isNumber = (word: string) => /\p{N}/u.test(word);
  return [...words.filter((word) => !isNumber(word)), ...words.filter(isNumber)].join(" ");
}

const sharedWords: Record<RunKey, (pairs: readonly PhrasePair[]) => string[]> = {
  rarest: rarestWords,
  last: (pairs) => pairs.map(({ text }) => `${lastWords(text)}\t${text}`),
  // pairs with the same first word keep their order
  first: (pairs) => pairs.map(({ text }) => splitWords(text.toLowerCase())[0] ?? ""),
};
