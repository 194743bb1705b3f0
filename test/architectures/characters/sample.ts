/** Character encoders as whole models on disk, with the vocabulary of a few words. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { bag, wordNgrams as ngrams } from "../../../src/architectures/bag/bag.js";
import { bilstm } from "../../../src/architectures/bilstm/bilstm.js";
import { characterEncoder } from "../../../src/architectures/characters/encoder.js";
import { declareCharacterInputs } from "../../../src/architectures/characters/inputs.js";
import { love } from "../../../src/architectures/love/love.js";
import { writeModel } from "../../../src/onnx/io/file.js";
import { buildCharacterVocabulary } from "../../../src/text/character-vocabulary.js";
import { createWordReader, type WordUnitOptions } from "../../../src/text/word-units.js";
import { createNet, fromSeed } from "../../../src/train.js";

/** All character encoders by name. */
export const encoders = { love, bilstm, bag, ngrams };

const words = ["the", "new", "york", "times", "times", "newer", "yorkshire", "timeless", "tune", "o'neil"];
export const vocabulary = buildCharacterVocabulary(
  words.map((word) => [word, 2] as const),
  { pieces: 12 },
);

/** How the words of each kind are read. */
export const unitsOf: Readonly<Record<keyof typeof encoders, WordUnitOptions>> = {
  love: { units: "characters-and-pieces", positions: 24, phraseLength: 6 },
  bilstm: { units: "characters", positions: 10, phraseLength: 6, padding: "positions" },
  bag: { units: "characters", positions: 16, phraseLength: 6 },
  ngrams: {
    ...{ units: "ngrams", positions: 64, phraseLength: 6 },
    ngrams: { minimum: 2, maximum: 4, buckets: 256 },
  },
};

/** Writes a character encoder with initial weights from a seed as a model folder. */
export function writeCharacterModel(folder: string, kind: keyof typeof encoders, outputs = 5): void {
  const units = unitsOf[kind];
  const net = createNet(fromSeed(3));
  const inputs = declareCharacterInputs(net.g);
  const { rows } = createWordReader(units, vocabulary);
  const { positions } = units;
  const vectors = characterEncoder(net, inputs, {
    ...{ encoder: encoders[kind], rows, width: 8, positions, outputs },
    ...(kind === "bilstm" && { hidden: 6 }),
  });
  net.g.output("embedding", vectors, "float32", ["phrases", outputs]);
  mkdirSync(join(folder, "onnx"), { recursive: true });
  writeModel(net.g.model(), join(folder, "onnx", "model.onnx"));
  writeFileSync(join(folder, "characters.json"), JSON.stringify(vocabulary));
  const pearl = { format: 1, dimension: outputs, features: [{ kind: "characters", ...units }] };
  writeFileSync(join(folder, "config.json"), JSON.stringify({ model_type: "pearl", pearl }));
}
