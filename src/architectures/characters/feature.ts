/** How character encoders read words, as config.json and characters.json record it. */
import { join } from "node:path";
import { ModelError } from "../../errors.js";
import { readJson } from "../../files/json.js";
import { type CharacterVocabulary, characterVocabularySchema } from "../../text/character-vocabulary.js";
import type { WordUnitOptions } from "../../text/word-units.js";
import type { Feature, ModelFolder } from "../architecture.js";

/** The inputs of inputs.ts; the vocabulary of characters and pieces is the folder's {@link CHARACTERS_FILE}. */
export interface CharactersFeature extends Feature, WordUnitOptions {
  readonly kind: "characters";
}

/** The vocabulary of a folder's character encoder. */
export const CHARACTERS_FILE = "characters.json";

/** True where units are numbered by a vocabulary; n-grams are hashed. */
export const needsVocabulary = ({ units }: WordUnitOptions): boolean => units !== "ngrams";

/** @returns undefined where the units need none @throws ModelError for a missing or broken file */
export async function readVocabulary(
  folder: ModelFolder,
  feature: WordUnitOptions,
): Promise<CharacterVocabulary | undefined> {
  if (!needsVocabulary(feature)) return undefined;
  const path = join(folder.path, CHARACTERS_FILE);
  const trouble = { error: ModelError, cure: "Download or export the model again." };
  const vocabulary = await readJson(path, characterVocabularySchema, trouble);
  if (vocabulary === undefined)
    throw new ModelError(`${path} is missing; the graph reads characters, and this file numbers them`);
  return vocabulary;
}
