/** The characters and word pieces that a character encoder has rows for: characters.json of a model folder. */
import { ModelError } from "../errors.js";
import { learnPieces } from "./word-pieces.js";

export interface CharacterVocabulary {
  /** Small letters, digits and signs, each one code point. */
  readonly characters: readonly string[];
  /** Parts of lower-cased words; those that go on with a word begin with "##". Empty where none are read. */
  readonly pieces: readonly string[];
}

export interface VocabularyOptions {
  /** Word pieces at most; default 4,000. 0: none. */
  readonly pieces?: number;
  /** Characters at most, the most frequent ones; default 1,000. */
  readonly characters?: number;
}

/**
 * The vocabulary of some words.
 * @param words with their counts; capitals are read as small letters
 */
export function buildCharacterVocabulary(
  words: Iterable<readonly [word: string, count: number]>,
  { pieces = 4000, characters = 1000 }: VocabularyOptions = {},
): CharacterVocabulary {
  const lowered = new Map<string, number>();
  const counts = new Map<string, number>();
  for (const [word, count] of words) {
    const small = word.normalize("NFC").toLowerCase();
    if (small === "") continue;
    lowered.set(small, (lowered.get(small) ?? 0) + count);
    for (const character of small) counts.set(character, (counts.get(character) ?? 0) + count);
  }
  const frequent = [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)).slice(0, characters);
  return {
    characters: frequent.map(([character]) => character).sort(),
    pieces: pieces > 0 ? learnPieces(lowered, { size: pieces }) : [],
  };
}

/** @throws ModelError where it is no vocabulary */
export function checkCharacterVocabulary(value: unknown, label: string): CharacterVocabulary {
  const { characters, pieces } = (value ?? {}) as Partial<Record<keyof CharacterVocabulary, unknown>>;
  const isList = (list: unknown): list is string[] =>
    Array.isArray(list) && list.every((item) => typeof item === "string" && item !== "");
  if (isList(characters) && isList(pieces)) return { characters, pieces };
  throw new ModelError(`${label}: expected {"characters": ["a", ...], "pieces": ["un", "##able", ...]}`);
}
