/** Character encoders: words as characters, pieces or n-grams. */
import type { Architecture, CountedPhrases, PartSettings } from "../architecture.js";
import { characterFeaturizer } from "./features.js";
import { CHARACTERS_FILE, type CharactersFeature, characterInputNames, readVocabulary } from "./inputs.js";

// what builds graphs is loaded in training alone
const part = (kind: "love" | "bilstm" | "bag") => async (settings: PartSettings, phrases: CountedPhrases) =>
  (await import("./part.js")).newCharacterPart(kind, settings, phrases);

export const characters: Architecture<CharactersFeature> = {
  kind: "characters",
  className: "PearlCharacters",
  files: [CHARACTERS_FILE],
  cost: "addition",
  inputs: () => Object.values(characterInputNames),
  open: async (feature, { folder }) => characterFeaturizer(feature, await readVocabulary(folder, feature)),
  parts: { love: part("love"), bilstm: part("bilstm"), bag: part("bag") },
};
