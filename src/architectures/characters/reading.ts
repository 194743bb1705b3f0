/** Reads phrases as words of characters, pieces or n-grams, for all character encoders. */
import type { Architecture } from "../architecture.js";
import { characterFeaturizer } from "./features.js";
import { CHARACTERS_FILE, type CharactersFeature, characterInputNames, readVocabulary } from "./inputs.js";

export const characters: Architecture<CharactersFeature> = {
  kind: "characters",
  className: "PearlCharacters",
  files: [CHARACTERS_FILE],
  learning: { rate: 1e-3 },
  inputs: () => Object.values(characterInputNames),
  open: async (feature, { folder }) => characterFeaturizer(feature, await readVocabulary(folder, feature)),
};
