/** Attacks on words that a character encoder learns to undo: LOVE's, typing errors alone, or three kinds of edits. */
import { createAugmenter } from "../../augmentation/augmenter.js";
import type { AugmentationSettings, Probabilities } from "../../augmentation/settings.js";
import { countBy, groupBy } from "../../by-key.js";
import { drawWeighted, type Random } from "../../random.js";

const settingsOf = (probabilities: Probabilities): AugmentationSettings => ({
  ...{ preset: "love", minimumWordLength: 1, randomCharacters: "same-kind", wordNet: "off" },
  probabilities,
});

/** LOVE's published attacks, and typing errors for spelling alone: a synonym is another word. Model cards print `rates`. */
export const attackPresets = {
  love: {
    settings: { preset: "love" },
    rates: "swap, delete, insert and keyboard error .07 each, a synonym .36, the word itself .36",
  },
  typing: {
    settings: settingsOf({
      ...{ "swap-characters": 0.22, "drop-character": 0.22, "insert-character": 0.22 },
      ...{ "keyboard-neighbour": 0.22, unchanged: 0.12 },
    }),
    rates: "swap, delete, insert and keyboard error .22 each, the word itself .12",
  },
  /** Zaratiana et al.: deletion, insertion and reordering. */
  edits: {
    settings: {
      ...settingsOf({ "drop-character": 1, "insert-character": 1, "swap-characters": 1 }),
      whenNothingApplies: "redraw",
    },
    rates: "one of delete, insert and swap, with equal chance",
  },
} as const satisfies Record<string, { settings: AugmentationSettings; rates: string }>;

export interface AttackOptions {
  readonly preset: keyof typeof attackPresets;
  /** Fraction of attacked words that are attacked twice; default 0. */
  readonly twice?: number;
}

export type Attack = (word: string, random: Random) => string;

/**
 * @param misspellings the errors to make, instead of the preset's ({@link learnNoise})
 * @throws MissingDataError if LOVE's attacks need WordNet and it is not installed
 */
export async function createAttack(
  { preset, twice = 0 }: AttackOptions,
  misspellings?: readonly Misspelling[],
): Promise<Attack> {
  const augmenter = misspellings ? undefined : await createAugmenter(attackPresets[preset].settings);
  const once: Attack = misspellings
    ? learnNoise(misspellings)
    : (word, random) => augmenter?.augment(word, random).text ?? word;
  return (word, random) => {
    const text = once(word, random);
    return text !== word && random() < twice ? once(text, random) : text;
  };
}

/** A misspelling, and the word that was meant. */
export type Misspelling = readonly [wrong: string, right: string];

/** Longest piece that changes; longer ones are other words, not errors. */
const LONGEST = 4;
/** Word boundaries, which no word contains. */
const [START, END] = ["\u0002", "\u0003"];
/** Added to the occurrences of a piece: rare pieces would else have high probabilities. */
const SMOOTHING = 3;

/** An edit: characters `from` to `to` of the right word are written as `wrong`. */
interface Edit {
  readonly from: number;
  readonly to: number;
  readonly wrong: string;
}

/** How each piece in its context may be written: "ceiv" (ei between c and v) with "ie" in the place of "ei". */
type Writings = ReadonlyMap<string, readonly { readonly wrong: string; readonly weight: number }[]>;

/**
 * Noise learned from misspellings (Brill and Moore, 2000, "An Improved Error Model for Noisy Channel Spelling
 * Correction"): a piece of a word, between the letters beside it, becomes another piece with the probability that it
 * did so in the pairs. Neighbours on the keyboard, letters that sound alike and doubled ones are among the pieces.
 * Writes a word as the people did who made these errors; never with more errors than a pair had, nor empty.
 */
export function learnNoise(pairs: readonly Misspelling[]): Attack {
  const aligned = pairs.map(([wrong, right]) => ({ right, edits: alignedEdits(right, wrong) }));
  const isShort = ({ from, to, wrong }: Edit) => Math.max(to - from, wrong.length) <= LONGEST;
  const errors = aligned.filter(({ edits }) => edits.length > 0 && edits.every(isShort));
  const made = errors.flatMap(({ right, edits }) =>
    edits.map(({ from, to, wrong }) => ({ piece: pieceOf(right, from, to), wrong })),
  );
  const byPiece = groupBy(made, ({ piece }) => piece);
  // wherever a piece stands in the words
  const occurrences = new Map([...byPiece.keys()].map((piece) => [piece, 0]));
  for (const [, right] of pairs)
    for (const { piece } of spansOf(right)) {
      const count = occurrences.get(piece);
      if (count !== undefined) occurrences.set(piece, count + 1);
    }
  const writings = new Map(
    [...byPiece].map(([piece, own]) => {
      const all = occurrences.get(piece)! + SMOOTHING;
      const counts = countBy(own, ({ wrong }) => wrong);
      return [piece, Array.from(counts, ([wrong, count]) => ({ wrong, weight: count / all }))];
    }),
  );
  return (word, random) => {
    if (errors.length === 0) return word;
    let text = word;
    for (let left = errors[Math.floor(random() * errors.length)].edits.length; left > 0; left--)
      text = writeOnce(text, writings, random);
    return text;
  };
}

const pieceOf = (word: string, from: number, to: number): string =>
  (word[from - 1] ?? START) + word.slice(from, to) + (word[to] ?? END);

function* spansOf(word: string): Generator<{ from: number; to: number; piece: string }> {
  for (let from = 0; from <= word.length; from++)
    for (let to = from; to <= Math.min(word.length, from + LONGEST); to++)
      yield { from, to, piece: pieceOf(word, from, to) };
}

/** One error at a place drawn by the pieces' probabilities; the word itself where no piece ever was wrong. */
function writeOnce(word: string, writings: Writings, random: Random): string {
  const edits = [...spansOf(word)].flatMap(({ from, to, piece }) =>
    (writings.get(piece) ?? []).map((writing) => ({ from, to, ...writing })),
  );
  const drawn = drawWeighted(edits, random);
  return (drawn && word.slice(0, drawn.from) + drawn.wrong + word.slice(drawn.to)) || word;
}

/** The edits of a cheapest alignment (Levenshtein); those with one equal character between them are one: "ei" to "ie". */
export function alignedEdits(right: string, wrong: string): Edit[] {
  const width = wrong.length + 2;
  // costs of the rests right[i..], wrong[j..]; behind the ends there is none
  const costs = new Float32Array((right.length + 2) * width).fill(Number.POSITIVE_INFINITY);
  for (let i = right.length; i >= 0; i--)
    for (let j = wrong.length; j >= 0; j--) {
      const at = i * width + j;
      if (i === right.length && j === wrong.length) costs[at] = 0;
      else if (right[i] === wrong[j]) costs[at] = costs[at + width + 1];
      else costs[at] = 1 + Math.min(costs[at + width + 1], costs[at + width], costs[at + 1]);
    }
  const edits: { from: number; to: number; start: number; end: number }[] = [];
  let [i, j] = [0, 0];
  while (costs[i * width + j] > 0) {
    const at = i * width + j;
    const [from, start] = [i, j];
    if (right[i] === wrong[j] || costs[at] === 1 + costs[at + width + 1]) [i, j] = [i + 1, j + 1];
    else if (costs[at] === 1 + costs[at + width]) i++;
    else j++;
    if (right[from] === wrong[start]) continue;
    const previous = edits.at(-1);
    if (previous && from - previous.to <= 1) [previous.to, previous.end] = [i, j];
    else edits.push({ from, to: i, start, end: j });
  }
  return edits.map(({ from, to, start, end }) => ({ from, to, wrong: wrong.slice(start, end) }));
}
