/** Attacks on words that a character encoder learns to undo: LOVE's, or typing errors alone. */
import { type Augmenter, createAugmenter } from "../../augmentation/augmenter.js";
import type { AugmentationSettings } from "../../augmentation/settings.js";
import type { Random } from "../../random.js";

/**
 * "love": swap, delete, insert and keyboard error .07 each, a synonym .36, the word itself .36 (the published code).
 * "typing": the four errors .22 each, the word itself .12: for spelling alone, since a synonym is another word.
 */
export type AttackPreset = "love" | "typing";

const typing: AugmentationSettings = {
  preset: "love",
  probabilities: {
    "swap-characters": 0.22,
    "drop-character": 0.22,
    "insert-character": 0.22,
    "keyboard-neighbour": 0.22,
    unchanged: 0.12,
  },
  minimumWordLength: 1,
  randomCharacters: "same-kind",
  wordNet: "off",
};

export interface AttackOptions {
  readonly preset: AttackPreset;
  /** Fraction of attacked words that are attacked twice; default 0. */
  readonly twice?: number;
}

export type Attack = (word: string, random: Random) => string;

/** @throws MissingDataError if "love" needs WordNet and it is not installed */
export async function createAttack({ preset, twice = 0 }: AttackOptions): Promise<Attack> {
  const augmenter: Augmenter = await createAugmenter(preset === "love" ? { preset } : typing);
  return (word, random) => {
    const { text } = augmenter.augment(word, random);
    return text !== word && random() < twice ? augmenter.augment(text, random).text : text;
  };
}
