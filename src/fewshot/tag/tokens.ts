/** What a tagger reads of a token: the word, its neighbours and the three words together, as features of phrases. */
import type { PhraseEncoder } from "../../encoder/phrase-encoder.js";
import { unitRows } from "../../search/vectors.js";
import { type KindFeatures, kindFeatures } from "../classify/features.js";
import type { TaggedSentence } from "./sentences.js";

/** The words of a view around a token, with the factor of its features: chosen on CoNLL-2003's development half. */
const views = [
  { from: 0, to: 1, factor: 1 },
  { from: -1, to: 2, factor: 0.5 },
  { from: -1, to: 0, factor: 0.4 },
  { from: 1, to: 2, factor: 0.4 },
] as const;

/** A token of a sentence. */
interface TokenPlace {
  readonly tokens: readonly string[];
  readonly at: number;
}

/** Sentences whose tags may be unknown. */
export type Sentences = readonly (Pick<TaggedSentence, "tokens"> & Partial<TaggedSentence>)[];

/** Every token, sentence after sentence. */
export const placesOf = (sentences: Sentences): TokenPlace[] =>
  sentences.flatMap(({ tokens }) => tokens.map((_, at) => ({ tokens, at })));

/** Features of tokens; each row has length 1. */
export async function tokenFeatures(
  encoder: PhraseEncoder,
  places: readonly TokenPlace[],
  options: Parameters<typeof kindFeatures>[2] = {},
): Promise<KindFeatures> {
  const phrases = places.flatMap(({ tokens, at }) =>
    views.map(({ from, to }) => tokens.slice(Math.max(at + from, 0), Math.max(at + to, 0)).join(" ")),
  );
  // a row of each token holds its views one after the other
  const { data, dimension: width } = await kindFeatures(encoder, phrases, options);
  const dimension = views.length * width;
  views.forEach(({ factor }, view) => {
    for (let start = view * width; start < data.length; start += dimension)
      for (let i = start; i < start + width; i++) data[i] *= factor;
  });
  return { data: unitRows(data, dimension), dimension };
}
