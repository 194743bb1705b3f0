/** Sizes of the parts of a word encoder. */
import type { Columns, Gates } from "../architecture.js";

/** Sizes; saved in training.json and config.json. */
export interface WordEncoderSizes {
  /** Words in the vocabulary. */
  readonly vocabulary: number;
  /** Number of leading words, by frequency in the text, that contexts know too; default all. */
  readonly contextWords?: number;
  /** Buckets of n-grams. */
  readonly buckets: number;
  /** Words of a phrase at most. */
  readonly phraseLength: number;
  /** Marks of a word, without padding. */
  readonly marks: number;
  /** Width of the n-grams' vectors and of the characters part. */
  readonly characters: number;
  /** Width of the words' vectors. */
  readonly vectors: number;
  /** Width of the transformer's states. */
  readonly width: number;
  readonly heads: number;
  readonly feedForward: number;
  readonly layers: number;
  /** Width of the meaning part. */
  readonly meaning: number;
  /** Entity types, and lexical classes. */
  readonly types: number;
  readonly classes: number;
  /** Kinds of the last entity type that the embedding distinguishes; default none. */
  readonly kinds?: number;
  /**
   * Divides the logits of types in the embedding, not in `type_logits`; default 1. Above 1, names of uncertain type move
   * closer to each other (the temperature of distillation, Hinton et al., 2015).
   */
  readonly typeTemperature?: number;
  /**
   * Constant gates of phrases with a capital, and without one of single words and of longer phrases; default: a layer
   * computes them from the phrase. What is compared with
   * each other then has equal gates, so that they do not decide a ranking.
   */
  readonly gates?: { readonly withCapital: Gates; readonly word: Gates; readonly phrase: Gates };
  /** Columns of the parts in the prefix of the embedding, after the types; default none. */
  readonly prefix?: { readonly characters: number; readonly meaning: number };
}

export const pearlMiniSizes = {
  vocabulary: 60_000,
  buckets: 65_536,
  phraseLength: 14,
  marks: 9,
  characters: 192,
  vectors: 100,
  width: 128,
  heads: 4,
  feedForward: 384,
  layers: 2,
  meaning: 384,
  types: 19,
  classes: 5,
  kinds: 5,
  // with the types and kinds 128
  prefix: { characters: 46, meaning: 58 },
} as const satisfies WordEncoderSizes;

/** Columns of the embedding for types and kinds. */
export const typeWidth = ({ types, kinds = 0 }: WordEncoderSizes): number => types + kinds;

export const embeddingWidth = (sizes: WordEncoderSizes): number =>
  sizes.characters + sizes.meaning + typeWidth(sizes);

/** Columns of the characters part in the embedding, as encoder.ts joins them. */
export function characterColumns(sizes: WordEncoderSizes): readonly Columns[] {
  const { characters, prefix = { characters: 0, meaning: 0 } } = sizes;
  const first = typeWidth(sizes);
  const rest = first + prefix.characters + prefix.meaning;
  return [
    [first, first + prefix.characters],
    [rest, rest + characters - prefix.characters],
  ];
}
