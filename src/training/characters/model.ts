/** Writes a pretrained character encoder as a model folder that PhraseEncoder loads and `pearl finetune` joins. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Assembled } from "../../encoder/assemble.js";
import type { CharacterEncoderPart } from "../../encoder/character-part.js";
import { CHARACTERS_FILE } from "../../encoder/model-folder.js";
import { writeWholeFolder } from "../../encoder/whole-folder.js";
import { type Tensor, writeModel } from "../../onnx/index.js";
import { withWeights } from "../model-writer.js";

export interface TrainedCharacters {
  readonly part: CharacterEncoderPart;
  readonly assembled: Assembled;
  /** By name; those that the graph does not have are left out. */
  readonly weights: ReadonlyMap<string, Tensor>;
}

/** @param texts further files by name @throws ModelError, ArgumentError where something stands there */
export function writeCharacterModel(
  folder: string,
  { part, assembled, weights }: TrainedCharacters,
  texts: Readonly<Record<string, string>> = {},
): Promise<void> {
  return writeWholeFolder(folder, async (temporary) => {
    await mkdir(join(temporary, "onnx"), { recursive: true });
    writeModel(withWeights(assembled.model, weights), join(temporary, "onnx", "model.onnx"));
    const { width: dimension, features } = assembled;
    const config = {
      model_type: "pearl",
      architectures: ["PearlCharacters"],
      pearl: { format: 1, dimension, features, character_encoder: part.sizes },
    };
    const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;
    await writeFile(join(temporary, "config.json"), json(config));
    if (part.vocabulary) await writeFile(join(temporary, CHARACTERS_FILE), json(part.vocabulary));
    for (const [name, text] of Object.entries(texts)) await writeFile(join(temporary, name), text);
  });
}
