/** Character encoders as parts of a model (compose.ts): new ones, or those that `pearl pretrain-characters` wrote. */
import { ModelError } from "../../errors.js";
import type { WeightSource } from "../../nn/net.js";
import { readModel } from "../../onnx/io/file.js";
import { buildCharacterVocabulary, type CharacterVocabulary } from "../../text/character-vocabulary.js";
import { createWordReader, phraseWords, type WordUnitOptions } from "../../text/word-units.js";
import type { CountedPhrases, ModelFolder, ModelPart, PartSettings } from "../architecture.js";
import {
  type CharacterEncoderKind,
  type CharacterEncoderOptions,
  characterEncoder,
  characterEncoders,
  characterWeights,
} from "./encoder.js";
import {
  CHARACTERS_FILE,
  type CharactersFeature,
  declareCharacterInputs,
  needsVocabulary,
  readVocabulary,
} from "./inputs.js";

/** `pearl.character_encoder` of config.json. */
type CharacterSizes = Pick<CharacterEncoderOptions, "kind" | "width" | "hidden" | "outputs">;

export interface CharacterEncoderPart extends ModelPart {
  readonly feature: CharactersFeature;
  readonly vocabulary: CharacterVocabulary | undefined;
}

interface CharacterPartOptions {
  readonly sizes: CharacterSizes;
  readonly units?: WordUnitOptions;
  /** Needed for all kinds but ngrams. */
  readonly vocabulary?: CharacterVocabulary;
  /** Default, and for weights that it lacks: the net's. */
  readonly weights?: ReadonlyMap<string, ReturnType<WeightSource>>;
}

/** @throws ArgumentError where the vocabulary is missing */
export function characterPart(options: CharacterPartOptions): CharacterEncoderPart {
  const { sizes, units = characterEncoders[sizes.kind].units, weights } = options;
  const vocabulary = needsVocabulary(units) ? options.vocabulary : undefined;
  const { rows } = createWordReader(units, vocabulary);
  const encoder = { ...sizes, rows, positions: units.positions };
  const feature = { kind: "characters", ...units } as const;
  return {
    ...{ feature, vocabulary, features: [feature] },
    width: sizes.outputs ?? sizes.hidden ?? sizes.width,
    section: { character_encoder: sizes },
    ...(vocabulary && { files: { [CHARACTERS_FILE]: `${JSON.stringify(vocabulary, null, 2)}\n` } }),
    build(net) {
      const source: WeightSource = (name, dims, initialiser) =>
        weights?.get(name) ?? net.weights(name, dims, initialiser);
      return characterEncoder({ g: net.g, weights: source }, declareCharacterInputs(net.g), encoder);
    },
  };
}

/**
 * The character encoder of a folder, with its weights.
 * @param outputs new length of its vectors, default the folder's; a reduction that the folder lacks gets new weights
 * @throws ModelError where the folder has none, or another length
 */
export async function readCharacterPart(
  folder: ModelFolder,
  { outputs }: { outputs?: number } = {},
): Promise<CharacterEncoderPart> {
  const feature = folder.features.find(({ kind }) => kind === "characters") as CharactersFeature | undefined;
  const sizes = sizesOf(folder);
  if (feature === undefined || sizes === undefined)
    throw new ModelError(
      `${folder.path} has no character encoder. Make one with: pearl pretrain-characters -o FOLDER`,
    );
  if (outputs !== undefined && sizes.outputs !== undefined && sizes.outputs !== outputs)
    throw new ModelError(
      `${folder.path}: the character encoder gives ${sizes.outputs} numbers a phrase, not ${outputs}`,
    );
  const { initializers } = readModel(folder.graph).graph;
  const { kind: _, ...units } = feature;
  return characterPart({
    sizes: { ...sizes, ...(outputs !== undefined && { outputs }) },
    units,
    vocabulary: await readVocabulary(folder, feature),
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
  if (!Object.hasOwn(characterEncoders, String(kind)) || !width || ![width, hidden, outputs].every(isSize))
    throw new ModelError(`${path}/config.json: pearl.character_encoder has no known kind, or no sizes`);
  return sizes as CharacterSizes;
}

/** A new encoder with a vocabulary from the phrases; default sizes are those of LOVE and PEARL-small. */
export function newCharacterPart(
  kind: CharacterEncoderKind,
  { width: outputs = 96 }: PartSettings,
  phrases: CountedPhrases,
): CharacterEncoderPart {
  const counts = new Map<string, number>();
  for (const [phrase, count] of phrases)
    for (const word of phraseWords(phrase)) counts.set(word, (counts.get(word) ?? 0) + count);
  const hasPieces = characterEncoders[kind].units.units === "characters-and-pieces";
  const vocabulary = buildCharacterVocabulary(counts, hasPieces ? {} : { pieces: 0 });
  return characterPart({ sizes: { kind, width: 300, outputs }, vocabulary });
}
