/** Attacks on words that a character encoder learns to undo: LOVE's, typing errors alone, or three kinds of edits. */
import { createAugmenter } from "../../augmentation/augmenter.js";
import type { AugmentationSettings, Probabilities } from "../../augmentation/settings.js";
import type { Random } from "../../random.js";

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

/** How a piece in its context was written: "eie" (ei between c and v: "ceiv") as "ie". */
interface Piece {
  /** Wherever it stands in the words. */
  occurrences: number;
  readonly writings: Map<string, number>;
}

/**
 * Noise learned from misspellings (Brill and Moore, 2000, "An Improved Error Model for Noisy Channel Spelling
 * Correction"): a piece of a word, between the letters beside it, becomes another piece with the probability that it
 * did so in the pairs. Neighbours on the keyboard, letters that sound alike and doubled ones are among the pieces.
 * Writes a word as the people did who made these errors; never with more errors than a pair had, nor empty.
 */
export function learnNoise(pairs: readonly Misspelling[]): (word: string, random: Random) => string {
  const pieces = new Map<string, Piece>();
  const errors: number[] = [];
  for (const [wrong, right] of pairs) {
    const edits = alignedEdits(right, wrong);
    if (
      edits.length === 0 ||
      edits.some(({ from, to, wrong }) => Math.max(to - from, wrong.length) > LONGEST)
    )
      continue;
    errors.push(edits.length);
    for (const { from, to, wrong } of edits) {
      const key = pieceOf(right, from, to);
      const piece = pieces.get(key) ?? { occurrences: 0, writings: new Map<string, number>() };
      piece.writings.set(wrong, (piece.writings.get(wrong) ?? 0) + 1);
      pieces.set(key, piece);
    }
  }
  for (const [, right] of pairs)
    for (const { key } of spansOf(right)) {
      const piece = pieces.get(key);
      if (piece) piece.occurrences++;
    }
  return (word, random) => {
    if (errors.length === 0) return word;
    let text = word;
    for (let left = errors[Math.floor(random() * errors.length)]; left > 0; left--)
      text = writeOnce(text, pieces, random);
    return text;
  };
}

const pieceOf = (word: string, from: number, to: number): string =>
  (word[from - 1] ?? START) + word.slice(from, to) + (word[to] ?? END);

function* spansOf(word: string): Generator<{ from: number; to: number; key: string }> {
  for (let from = 0; from <= word.length; from++)
    for (let to = from; to <= Math.min(word.length, from + LONGEST); to++)
      yield { from, to, key: pieceOf(word, from, to) };
}

/** One error at a place drawn by the pieces' probabilities; the word itself where no piece ever was wrong. */
function writeOnce(word: string, pieces: ReadonlyMap<string, Piece>, random: Random): string {
  const options: { edit: Edit; weight: number }[] = [];
  for (const { from, to, key } of spansOf(word)) {
    const piece = pieces.get(key);
    for (const [wrong, count] of piece?.writings ?? [])
      options.push({ edit: { from, to, wrong }, weight: count / (piece!.occurrences + SMOOTHING) });
  }
  let rest = random() * options.reduce((sum, { weight }) => sum + weight, 0);
  const drawn = options.find(({ weight }) => {
    rest -= weight;
    return rest < 0;
  })?.edit;
  const text = drawn && word.slice(0, drawn.from) + drawn.wrong + word.slice(drawn.to);
  return text || word;
}

/** The edits of a cheapest alignment (Levenshtein); those with one equal character between them are one: "ei" to "ie". */
export function alignedEdits(right: string, wrong: string): Edit[] {
  const width = wrong.length + 1;
  // costs of the rests right[i..], wrong[j..]
  const costs = new Uint16Array((right.length + 1) * width);
  for (let i = right.length; i >= 0; i--)
    for (let j = wrong.length; j >= 0; j--) {
      const at = i * width + j;
      if (i === right.length) costs[at] = wrong.length - j;
      else if (j === wrong.length) costs[at] = right.length - i;
      else if (right[i] === wrong[j]) costs[at] = costs[at + width + 1];
      else costs[at] = 1 + Math.min(costs[at + width + 1], costs[at + width], costs[at + 1]);
    }
  const edits: { from: number; to: number; start: number; end: number }[] = [];
  for (let i = 0, j = 0; i < right.length || j < wrong.length; ) {
    const at = i * width + j;
    if (i < right.length && j < wrong.length && right[i] === wrong[j]) {
      i++;
      j++;
      continue;
    }
    const [from, start] = [i, j];
    const isLast = i === right.length || j === wrong.length;
    if (!isLast && costs[at] === 1 + costs[at + width + 1]) [i, j] = [i + 1, j + 1];
    else if (j === wrong.length || (!isLast && costs[at] === 1 + costs[at + width])) i++;
    else j++;
    const previous = edits.at(-1);
    if (previous && from - previous.to <= 1) [previous.to, previous.end] = [i, j];
    else edits.push({ from, to: i, start, end: j });
  }
  return edits.map(({ from, to, start, end }) => ({ from, to, wrong: wrong.slice(start, end) }));
}
