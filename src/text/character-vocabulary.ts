/** The characters and word pieces that a character encoder has rows for: characters.json of a model folder. */
import { array, nonEmpty, object, pipe, string } from "valibot";
import type { Schema } from "../files/json.js";
import { frequentCharacters, learnPieces } from "./word-pieces.js";

export interface CharacterVocabulary {
  /** Lower-case letters, digits and signs, each one code point. */
  readonly characters: readonly string[];
  /** Parts of lower-cased words; those that continue a word start with "##". Empty if the encoder reads none. */
  readonly pieces: readonly string[];
}

const texts = array(pipe(string(), nonEmpty()));

export const characterVocabularySchema: Schema<CharacterVocabulary> = object({
  characters: texts,
  pieces: texts,
});

/**
 * The vocabulary of some words.
 * @param words with their counts; capitals are read as lower case
 * @param options pieces: the most word pieces; default 4,000, 0 for none
 */
export function buildCharacterVocabulary(
  words: Iterable<readonly [word: string, count: number]>,
  { pieces = 4000 }: { readonly pieces?: number } = {},
): CharacterVocabulary {
  const lowered = new Map<string, number>();
  for (const [word, count] of words) {
    const lower = word.normalize("NFC").toLowerCase();
    if (lower !== "") lowered.set(lower, (lowered.get(lower) ?? 0) + count);
  }
  return {
    characters: frequentCharacters(lowered),
    pieces: pieces > 0 ? learnPieces(lowered, pieces) : [],
  };
}
