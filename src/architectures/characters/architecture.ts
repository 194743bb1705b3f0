/**
 * What all character encoders share: words as characters, pieces or n-grams, each distinct word once, and the mean of
 * the words' vectors. The folder of an encoder (love, bilstm, bag) tells how a word's units become its vector.
 */
import type { Architecture } from "../architecture.js";
import type { CharacterEncoder } from "./encoder.js";
import type { CharactersFeature } from "./inputs.js";
import { characters } from "./reading.js";

/**
 * @param name as options and config.json name it
 * @param encoder what builds graphs is loaded in training alone
 */
export function characterArchitecture(
  name: string,
  encoder: () => Promise<CharacterEncoder>,
): Architecture<CharactersFeature> {
  return {
    ...characters,
    parts: {
      [name]: async (settings, phrases) =>
        (await import("./part.js")).newCharacterPart(await encoder(), settings, phrases),
    },
    readPart: async (folder, settings) =>
      (await import("./part.js")).readCharacterPart(await encoder(), folder, settings),
    spelling: {
      [name]: async () => (await import("./part.js")).spellingEncoder(await encoder()),
    },
  };
}
