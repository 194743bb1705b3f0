/** Attacks on words that a character encoder learns to undo: LOVE's, typing errors alone, or three kinds of edits. */
import { createAugmenter } from "../../augmentation/augmenter.js";
import type { AugmentationSettings } from "../../augmentation/settings.js";
import type { Random } from "../../random.js";
import { learnNoise, type Misspelling } from "./learned-noise.js";

const spelling = {
  preset: "love",
  minimumWordLength: 1,
  randomCharacters: "same-kind",
  wordNet: "off",
} as const satisfies AugmentationSettings;

/** LOVE's published attacks, and typing errors for spelling alone: a synonym is another word. Model cards print `rates`. */
export const attackPresets = {
  love: {
    settings: { preset: "love" },
    rates: "swap, delete, insert and keyboard error .07 each, a synonym .36, the word itself .36",
  },
  typing: {
    settings: {
      ...spelling,
      probabilities: {
        "swap-characters": 0.22,
        "drop-character": 0.22,
        "insert-character": 0.22,
        "keyboard-neighbour": 0.22,
        unchanged: 0.12,
      },
    },
    rates: "swap, delete, insert and keyboard error .22 each, the word itself .12",
  },
  /** Zaratiana et al.: deletion, insertion and reordering. */
  edits: {
    settings: {
      ...spelling,
      probabilities: { "drop-character": 1, "insert-character": 1, "swap-characters": 1 },
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
  const once = misspellings ? learnNoise(misspellings) : await presetAttack(preset);
  return (word, random) => {
    const text = once(word, random);
    return text !== word && random() < twice ? once(text, random) : text;
  };
}

async function presetAttack(preset: AttackOptions["preset"]): Promise<Attack> {
  const augmenter = await createAugmenter(attackPresets[preset].settings);
  return (word, random) => augmenter.augment(word, random).text;
}
