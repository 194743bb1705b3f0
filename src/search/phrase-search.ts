/** Searches an index by phrase: by embeddings, words and letters. */
import type { PhraseEncoder } from "../encoder/phrase-encoder.js";
import type { SearchHit } from "./index-types.js";
import type { VectorIndex } from "./vector-index.js";

/** Settings of a search by phrases. */
export interface SearchPhrasesOptions {
  /** Rows per phrase at most. Default 10. */
  readonly k?: number;
  /** Text prepended to every query. Default: the index's prompt. */
  readonly prompt?: string;
  readonly signal?: AbortSignal;
}

/**
 * The best rows of each phrase, best first; none for an empty phrase.
 * @throws ModelError where the encoder's model is not the index's
 */
export async function searchPhrases(
  index: VectorIndex,
  encoder: PhraseEncoder,
  phrases: readonly string[],
  { k, prompt, signal }: SearchPhrasesOptions = {},
): Promise<SearchHit[][]> {
  signal?.throwIfAborted();
  const { dimension, model } = index.layout;
  const fingerprint = await encoder.fingerprint();
  index.checkModel(fingerprint);
  const settings = { prompt: prompt ?? model?.prompt, truncateDim: dimension, signal };
  const { data } = await encoder.encodeMatrix(phrases, settings);
  return index.search(data, { k, fingerprint, phrases, signal });
}
