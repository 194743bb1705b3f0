/** Character encoders as parts of a model (compose.ts): new ones, read ones, and the start of `pearl pretrain-characters`. */
import { ModelError } from "../../errors.js";
import { fromSeed, type WeightSource } from "../../nn/net.js";
import { readModel } from "../../onnx/io/file.js";
import { mean } from "../../statistics.js";
import { buildCharacterVocabulary, type CharacterVocabulary } from "../../text/character-vocabulary.js";
import type { WordReader, WordUnitOptions } from "../../text/word-units.js";
import { createWordReader, phraseWords } from "../../text/word-units.js";
import type { CountedPhrases, ModelFolder, ModelPart, PartSettings } from "../architecture.js";
import type { SpellingEncoder } from "../pretraining.js";
import type { CharacterEncoder, CharacterEncoderOptions } from "./encoder.js";
import { characterEncoder, characterWeights } from "./encoder.js";
import { characterFeaturizer } from "./features.js";
import type { CharactersFeature } from "./inputs.js";
import { CHARACTERS_FILE, declareCharacterInputs, needsVocabulary, readVocabulary } from "./inputs.js";

/** `pearl.character_encoder` of config.json, besides the encoder's name under `kind`. */
type CharacterSizes = Pick<CharacterEncoderOptions, "width" | "hidden" | "pooling" | "outputs">;

interface CharacterPartOptions {
  readonly sizes: CharacterSizes;
  readonly units?: WordUnitOptions;
  /** Needed where units are not n-grams. */
  readonly vocabulary?: CharacterVocabulary;
  /** Default, and for weights that it lacks: the net's. */
  readonly weights?: ReadonlyMap<string, ReturnType<WeightSource>>;
}

const featureOf = (units: WordUnitOptions): CharactersFeature => ({ kind: "characters", ...units });

/** @throws ArgumentError where the vocabulary is missing */
function characterPart(encoder: CharacterEncoder, options: CharacterPartOptions): ModelPart {
  const { sizes, units = encoder.units, vocabulary, weights } = options;
  const { rows } = createWordReader(units, vocabulary);
  return {
    features: [featureOf(units)],
    width: sizes.outputs ?? sizes.hidden ?? sizes.width,
    section: { character_encoder: { kind: encoder.name, ...sizes } },
    ...(vocabulary && { files: { [CHARACTERS_FILE]: `${JSON.stringify(vocabulary, null, 2)}\n` } }),
    build(net) {
      const source: WeightSource = (name, dims, initialiser) =>
        weights?.get(name) ?? net.weights(name, dims, initialiser);
      const inputs = declareCharacterInputs(net.g);
      const { positions } = units;
      return characterEncoder({ ...net, weights: source }, inputs, { ...sizes, rows, positions, encoder });
    },
  };
}

/**
 * The character encoder of a folder, with its weights; undefined where it has another, or none.
 * @param settings.width new length of its vectors, default the folder's; a reduction that the folder lacks gets new weights
 * @throws ModelError where the folder's vectors have another length
 */
export async function readCharacterPart(
  encoder: CharacterEncoder,
  folder: ModelFolder,
  { width: outputs }: Pick<PartSettings, "width">,
): Promise<ModelPart | undefined> {
  const feature = folder.features.find(({ kind }) => kind === "characters") as CharactersFeature | undefined;
  const sizes = sizesOf(folder, encoder);
  if (feature === undefined || sizes === undefined) return undefined;
  if (outputs !== undefined && sizes.outputs !== undefined && sizes.outputs !== outputs)
    throw new ModelError(
      `${folder.path}: the character encoder gives ${sizes.outputs} numbers a phrase, not ${outputs}`,
    );
  const { initializers } = readModel(folder.graph).graph;
  const { kind: _, ...units } = feature;
  return characterPart(encoder, {
    sizes: { ...sizes, ...(outputs !== undefined && { outputs }) },
    units,
    vocabulary: await readVocabulary(folder, feature),
    weights: new Map([...initializers].filter(([name]) => name.startsWith(`${characterWeights}.`))),
  });
}

/** @throws ModelError where config.json holds no sizes under the encoder's name */
function sizesOf({ config, path }: ModelFolder, { name }: CharacterEncoder): CharacterSizes | undefined {
  const section = config.pearl as { character_encoder?: { kind: string } & CharacterSizes } | undefined;
  const { kind, ...sizes } = section?.character_encoder ?? {};
  if (kind !== name) return undefined;
  const { width, hidden, outputs } = sizes as Partial<CharacterSizes>;
  const isSize = (value: unknown) => value === undefined || (Number.isInteger(value) && Number(value) > 0);
  if (!width || ![width, hidden, outputs].every(isSize))
    throw new ModelError(`${path}/config.json: pearl.character_encoder has no sizes`);
  return sizes as CharacterSizes;
}

/** A new encoder with a vocabulary from the phrases; default sizes are those of LOVE and PEARL-small. */
export function newCharacterPart(
  encoder: CharacterEncoder,
  { width: outputs = 96 }: PartSettings,
  phrases: CountedPhrases,
): ModelPart {
  const vocabulary = vocabularyOf(encoder.units, phrases);
  return characterPart(encoder, { sizes: { width: 300, outputs }, vocabulary });
}

/** Characters and pieces of the phrases' words; undefined where units are hashed. @param pieces default 4,000 */
function vocabularyOf(units: WordUnitOptions, phrases: CountedPhrases, pieces?: number) {
  if (!needsVocabulary(units)) return undefined;
  const counts = new Map<string, number>();
  for (const [phrase, count] of phrases)
    for (const word of phraseWords(phrase)) counts.set(word, (counts.get(word) ?? 0) + count);
  return buildCharacterVocabulary(counts, { pieces: units.units === "characters-and-pieces" ? pieces : 0 });
}

/** What learns spelling: words instead of phrases, which are not reduced. */
export function spellingEncoder(encoder: CharacterEncoder): SpellingEncoder {
  return {
    ...encoder,
    start(words, { width, hidden, pooling, units, pieces, seed }) {
      // the encoder reads words as parts between spaces and punctuation, so pieces are learned from these
      const counted = words.map((word) => [word, 1] as const);
      const vocabulary = vocabularyOf(units, counted, pieces);
      const weights = fromSeed(seed);
      return {
        part: characterPart(encoder, {
          sizes: { width, ...(hidden && { hidden }), ...(pooling && { pooling }) },
          ...{ units, vocabulary },
        }),
        featurizer: characterFeaturizer(featureOf(units), vocabulary),
        weights: encoder.isSum
          ? weightedByRarity(weights, words, units, createWordReader(units, vocabulary))
          : weights,
        ...(vocabulary && {
          summary: `${vocabulary.characters.length} characters and ${vocabulary.pieces.length} word pieces`,
        }),
      };
    },
  };
}

/**
 * First weights of encoders that add units up: rows of rare units are longer, as in inverse document frequency:
 * × ln((1 + N) / (1 + n)) for a unit of n words among N, scaled to a mean of 1.
 */
function weightedByRarity(
  base: WeightSource,
  words: readonly string[],
  { ngrams }: WordUnitOptions,
  reader: WordReader,
): WeightSource {
  const frequency = new Float64Array(reader.rows);
  for (const word of words) {
    const units = phraseWords(word).flatMap((part) => [...reader.read(part).units]);
    for (const unit of new Set(units.map((packed) => packed >> 1))) frequency[unit]++;
  }
  const rarity = Array.from(frequency, (count) => Math.log((1 + words.length) / (1 + count)));
  const usual = Math.max(1e-9, mean(rarity));
  return (name, dims, initialiser) => {
    const weight = base(name, dims, initialiser);
    const data = weight.data as Float32Array;
    // what the many units of a word with views have in common would outweigh their differences
    if (ngrams?.views && name === `${characterWeights}.capital.weight`) data.fill(0);
    if (name === `${characterWeights}.embedding.weight`)
      for (let i = 0; i < data.length; i++) data[i] *= rarity[Math.floor(i / dims[1])] / usual;
    return weight;
  };
}
