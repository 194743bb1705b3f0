/** The character encoders that a training can put beside a transformer, with what they need of the corpus. */
import type { CharacterPart } from "../encoder/assemble.js";
import { type CharacterEncoderPart, characterPart, readCharacterPart } from "../encoder/character-part.js";
import { type HashedNgramsFeature, readModelFolder } from "../encoder/model-folder.js";
import { ngramBag } from "../nn/index.js";
import { buildCharacterVocabulary } from "../text/character-vocabulary.js";
import { hashNgrams } from "../text/hashed-ngrams.js";
import { phraseWords } from "../text/word-units.js";

/** LOVE, a BiLSTM or a bag of characters (src/nn/characters), or hashed n-grams that begin as TF-IDF weighs them. */
export const characterKinds = ["love", "bilstm", "bag", "ngrams"] as const;
export type CharacterKind = (typeof characterKinds)[number];

export interface CharacterSettings {
  /** One of {@link characterKinds}, or the folder of a pretrained character encoder. */
  readonly from: string;
  /** Length of its part of the vector; default 96, as PEARL-small's, or a folder's own. */
  readonly width?: number;
  /** Only of n-grams: number of hash buckets, a power of two. Default 65,536. */
  readonly buckets?: number;
}

/** Different phrases with their counts. */
export type CountedPhrases = Iterable<readonly [phrase: string, count: number]>;

/** LOVE's width of embeddings. */
const unitWidth = 300;
const defaultWidth = 96;

/**
 * @param phrases of the corpus: vocabulary and frequencies come from them
 * @throws ModelError where a folder holds no character encoder
 */
export async function characterParts(
  settings: CharacterSettings,
  phrases: CountedPhrases,
): Promise<CharacterPart | CharacterEncoderPart> {
  const { from, width } = settings;
  if (from === "ngrams") return ngramPart(settings, phrases);
  if (!(characterKinds as readonly string[]).includes(from))
    return readCharacterPart(await readModelFolder(from), { outputs: width });
  const kind = from as Exclude<CharacterKind, "ngrams">;
  const vocabulary = buildCharacterVocabulary(wordCounts(phrases), kind === "love" ? {} : { pieces: 0 });
  return characterPart({ sizes: { kind, width: unitWidth, outputs: width ?? defaultWidth }, vocabulary });
}

function wordCounts(phrases: CountedPhrases): Map<string, number> {
  const counts = new Map<string, number>();
  for (const [phrase, count] of phrases)
    for (const word of phraseWords(phrase)) counts.set(word, (counts.get(word) ?? 0) + count);
  return counts;
}

function ngramPart(
  { width = defaultWidth, buckets = 2 ** 16 }: CharacterSettings,
  phrases: CountedPhrases,
): CharacterPart {
  const feature: HashedNgramsFeature = {
    kind: "hashed-ngrams",
    input: "ngram_ids",
    ...{ minimum: 3, maximum: 5, buckets, limit: 256 },
  };
  const frequencies = inverseFrequencies(phrases, feature);
  // around 1, so that a learning rate that suits other weights suits these
  const mean = frequencies.reduce((sum, value) => sum + value, 0) / buckets;
  const deviations = frequencies.map((value) => value / mean);
  return {
    features: [feature],
    width,
    build(net) {
      const ids = net.g.input(feature.input, "int32", ["batch", "ngrams"]);
      return ngramBag(net, ids, { name: "ngrams", buckets, width, deviations });
    },
  };
}

/** ln((1 + N) / (1 + n)) + 1 of each bucket, where n of N different phrases hold one of its n-grams. */
export function inverseFrequencies(phrases: CountedPhrases, feature: HashedNgramsFeature): Float32Array {
  const holding = new Uint32Array(feature.buckets);
  const lastSeen = new Int32Array(feature.buckets).fill(-1);
  const buffer = new Int32Array(feature.limit);
  let total = 0;
  for (const [phrase] of phrases) {
    const { count } = hashNgrams(phrase, feature, buffer, 0);
    for (let i = 0; i < count; i++) {
      if (lastSeen[buffer[i]] === total) continue;
      lastSeen[buffer[i]] = total;
      holding[buffer[i]]++;
    }
    total++;
  }
  return Float32Array.from(holding, (n) => Math.log((1 + total) / (1 + n)) + 1);
}
