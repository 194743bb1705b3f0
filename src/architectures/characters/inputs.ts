/** What character encoders read: config.json, the vocabulary in characters.json, and the inputs of the graph. */
import { ModelError } from "../../errors.js";
import type { Net } from "../../nn/net.js";
import type { GraphBuilder } from "../../onnx/builder.js";
import type { CharacterVocabulary } from "../../text/character-vocabulary.js";
import type { WordUnitOptions } from "../../text/word-units.js";
import type { Feature, ModelFolder } from "../architecture.js";

export interface CharactersFeature extends Feature, WordUnitOptions {
  readonly kind: "characters";
}

export const CHARACTERS_FILE = "characters.json";

/** True where units are numbered by a vocabulary; n-grams are hashed. */
export const needsVocabulary = ({ units }: WordUnitOptions): boolean => units !== "ngrams";

/** @returns undefined where the units need none @throws ModelError for a missing or broken file */
export async function readVocabulary(
  folder: ModelFolder,
  feature: WordUnitOptions,
): Promise<CharacterVocabulary | undefined> {
  if (!needsVocabulary(feature)) return undefined;
  const path = `${folder.path}/${CHARACTERS_FILE}`;
  const { readJson } = await import("../../files/json.js");
  const { characterVocabularySchema } = await import("../../text/character-vocabulary.js");
  const trouble = { error: ModelError, cure: "Download or export the model again." };
  const vocabulary = await readJson(path, characterVocabularySchema, trouble);
  if (vocabulary === undefined)
    throw new ModelError(`${path} is missing; the graph reads characters, and this file numbers them`);
  return vocabulary;
}

/** The graph inputs of a character encoder, all int32; features.ts fills them. */
export const characterInputNames = {
  /** [words, positions]: units of each word (characters, pieces, n-grams); 0 is padding. */
  ids: "character_ids",
  /** [words, positions]: 1 where the unit stands for a capital, else 0. */
  capitals: "character_capitals",
  /** [phrases, words of a phrase]: rows of `ids`; -1 is padding. */
  words: "phrase_words",
} as const;

export type CharacterInputs = typeof characterInputNames;

/** Declares the inputs, which several encoders of a graph share. */
export function declareCharacterInputs(g: GraphBuilder): CharacterInputs {
  const { ids, capitals, words } = characterInputNames;
  if (g.graph.inputs.some(({ name }) => name === ids)) return characterInputNames;
  g.input(ids, "int32", ["words", "positions"]);
  g.input(capitals, "int32", ["words", "positions"]);
  g.input(words, "int32", ["phrases", "phrase_length"]);
  return characterInputNames;
}

/** 1 where a position of a word holds a unit: int32 [words, positions]. */
export const unitMask = ({ g }: Net, { ids }: CharacterInputs): string =>
  g.cast(g.add("Greater", [ids, g.scalar("int32", 0)]), "int32");
