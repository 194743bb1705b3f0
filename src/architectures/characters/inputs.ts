/** What every character encoder reads: the words of a batch as numbers, and which words make each phrase. */

import type { Net } from "../../nn/net.js";
import type { GraphBuilder } from "../../onnx/builder.js";
// the file itself: threads that encode read no ONNX files
import { typeCode } from "../../onnx/tensor.js";

/** The graph inputs of a character encoder, all int32. The text side fills them: src/text/word-units.ts. */
export interface CharacterInputs {
  /** [words, positions]: units of each word (characters, pieces, n-grams); 0 is padding. */
  readonly ids: string;
  /** [words, positions]: 1 where the unit stands for a capital, else 0. */
  readonly capitals: string;
  /** [phrases, words of a phrase]: rows of `ids`; -1 is padding. */
  readonly words: string;
}

/** Their names in every graph of pearl's. */
export const characterInputNames: CharacterInputs = {
  ids: "character_ids",
  capitals: "character_capitals",
  words: "phrase_words",
};

/** Declares the inputs in a graph. */
export function declareCharacterInputs(g: GraphBuilder): CharacterInputs {
  const { ids, capitals, words } = characterInputNames;
  g.input(ids, "int32", ["words", "positions"]);
  g.input(capitals, "int32", ["words", "positions"]);
  g.input(words, "int32", ["phrases", "phrase_length"]);
  return characterInputNames;
}

/** 1 where a position of a word holds a unit: int32 [words, positions]. */
export const unitMask = ({ g }: Net, { ids }: CharacterInputs): string =>
  g.add("Cast", [g.add("Greater", [ids, g.scalar("int32", 0)])], { to: typeCode("int32") });

/** 1 where a phrase has a word: int32 [phrases, words of a phrase]. */
export const wordMask = ({ g }: Net, { words }: CharacterInputs): string =>
  g.add("Cast", [g.add("Greater", [words, g.scalar("int32", -1)])], { to: typeCode("int32") });
