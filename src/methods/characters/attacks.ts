/** What a word is made of it before the encoder has to recognise it: LOVE's attacks, or typing errors alone. */

import { type Augmenter, createAugmenter } from "../../pearl/augmentation/augmenter.js";
import type { AugmentationSettings } from "../../pearl/augmentation/settings.js";
import type { Random } from "../../random.js";

/**
 * "love": swap, delete, insert and keyboard error .07 each, a synonym .36, the word itself .36 (the published code).
 * "typing": the four errors .22 each, the word itself .12: for spelling alone, where a synonym is another word.
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
  /** Share of attacked words that are attacked a second time; default 0. */
  readonly twice?: number;
}

/** Makes an attacked word of a word. */
export type Attack = (word: string, random: Random) => string;

/** @throws MissingDataError where synonyms are wanted and WordNet is not there */
export async function createAttack({ preset, twice = 0 }: AttackOptions): Promise<Attack> {
  const augmenter: Augmenter = await createAugmenter(preset === "love" ? { preset } : typing);
  return (word, random) => {
    const { text } = augmenter.augment(word, random);
    return text !== word && random() < twice ? augmenter.augment(text, random).text : text;
  };
}
