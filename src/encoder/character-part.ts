/**
 * Character encoders as parts of a model (assemble.ts): new ones of a kind and size, or those of a folder that
 * `pearl pretrain-characters` wrote, with its weights.
 */
import { join } from "node:path";
import { ModelError } from "../errors.js";
import {
  type CharacterEncoderKind,
  type CharacterEncoderOptions,
  characterEncoder,
  characterEncoderKinds,
  declareCharacterInputs,
  type WeightSource,
  wordWidth,
} from "../nn/index.js";
import { readModel } from "../onnx/index.js";
import { type CharacterVocabulary, checkCharacterVocabulary } from "../text/character-vocabulary.js";
import { createWordReader, type WordUnitOptions } from "../text/word-units.js";
import type { CharacterPart } from "./assemble.js";
import { CHARACTERS_FILE, type CharactersFeature, type ModelFolder, readJson } from "./model-folder.js";

/** The sizes of a character encoder, as config.json keeps them: `pearl.character_encoder`. */
export type CharacterSizes = Pick<CharacterEncoderOptions, "kind" | "width" | "hidden" | "outputs">;

/** A character encoder with everything that a model folder needs of it. */
export interface CharacterEncoderPart extends CharacterPart {
  readonly sizes: CharacterSizes;
  readonly feature: CharactersFeature;
  /** For the folder's characters.json; absent: n-grams need none. */
  readonly vocabulary: CharacterVocabulary | undefined;
}

/** Prefix of all weights of a character encoder. */
export const characterWeights = "characters";

/** How words are read where nothing else is asked for. */
export const defaultUnits: Readonly<Record<CharacterEncoderKind, WordUnitOptions>> = {
  love: { units: "characters-and-pieces", positions: 48, phraseLength: 32 },
  bilstm: { units: "characters", positions: 26, phraseLength: 32, padding: "positions" },
  bag: { units: "characters", positions: 40, phraseLength: 32 },
  ngrams: {
    units: "ngrams",
    positions: 128,
    phraseLength: 32,
    ngrams: { minimum: 2, maximum: 4, buckets: 2 ** 15 },
  },
};

export interface CharacterPartOptions {
  readonly sizes: CharacterSizes;
  /** Default {@link defaultUnits} of the kind. */
  readonly units?: WordUnitOptions;
  /** Needed for all kinds but ngrams. */
  readonly vocabulary?: CharacterVocabulary;
  /** Where weights that it has come from; others are the net's. Default: all are the net's. */
  readonly weights?: ReadonlyMap<string, ReturnType<WeightSource>>;
}

/** @throws ArgumentError where the vocabulary is missing */
export function characterPart(options: CharacterPartOptions): CharacterEncoderPart {
  const { sizes, units = defaultUnits[sizes.kind], weights } = options;
  const vocabulary = units.units === "ngrams" ? undefined : options.vocabulary;
  const { rows } = createWordReader(units, vocabulary);
  const encoder = { ...sizes, name: characterWeights, rows, positions: units.positions };
  const feature = { kind: "characters", ...units } as const;
  return {
    ...{ sizes, feature, vocabulary, features: [feature] },
    width: sizes.outputs ?? wordWidth(encoder),
    build(net) {
      const source: WeightSource = (name, dims, initialiser) =>
        weights?.get(name) ?? net.weights(name, dims, initialiser);
      return characterEncoder({ g: net.g, weights: source }, declareCharacterInputs(net.g), encoder);
    },
  };
}

/**
 * The character encoder of a folder, with its weights.
 * @param outputs length of its vectors from now on: a reduction that the folder lacks gets new weights; default
 *   the folder's
 * @throws ModelError where the folder has none, or another length
 */
export async function readCharacterPart(
  folder: ModelFolder,
  { outputs }: { outputs?: number } = {},
): Promise<CharacterEncoderPart> {
  const feature = folder.features.find((found) => found.kind === "characters");
  const sizes = sizesOf(folder);
  if (feature === undefined || sizes === undefined)
    throw new ModelError(
      `${folder.path} has no character encoder. Make one with: pearl pretrain-characters -o FOLDER`,
    );
  if (outputs !== undefined && sizes.outputs !== undefined && sizes.outputs !== outputs)
    throw new ModelError(
      `${folder.path}: the character encoder gives ${sizes.outputs} numbers a phrase, not ${outputs}`,
    );
  const path = join(folder.path, CHARACTERS_FILE);
  const text = await readJson(path);
  const { initializers } = readModel(folder.graph).graph;
  const { kind: _, ...units } = feature;
  return characterPart({
    sizes: { ...sizes, ...(outputs !== undefined && { outputs }) },
    units,
    vocabulary: text && checkCharacterVocabulary(text, path),
    weights: new Map([...initializers].filter(([name]) => name.startsWith(`${characterWeights}.`))),
  });
}

/** @throws ModelError where config.json holds something else under that name */
function sizesOf({ config, path }: ModelFolder): CharacterSizes | undefined {
  const section = config.pearl as { character_encoder?: Partial<CharacterSizes> } | undefined;
  const sizes = section?.character_encoder;
  if (sizes === undefined) return undefined;
  const { kind, width, hidden, outputs } = sizes;
  const isSize = (value: unknown) => value === undefined || (Number.isInteger(value) && Number(value) > 0);
  if (
    !characterEncoderKinds.includes(kind as CharacterEncoderKind) ||
    !width ||
    ![width, hidden, outputs].every(isSize)
  )
    throw new ModelError(`${path}/config.json: pearl.character_encoder has no known kind, or no sizes`);
  return sizes as CharacterSizes;
}
