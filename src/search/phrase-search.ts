/** Searches an index by phrase: by embeddings, words and letters. */
import type { PhraseEncoder } from "../encoder/phrase-encoder.js";
import type { SearchHit, SearchSettings } from "./index-types.js";
import type { VectorIndex } from "./vector-index.js";

/** Settings of a search by phrases. */
export interface SearchPhrasesOptions extends SearchSettings {
  /** Text prepended to every query. Default: the index's prompt. */
  readonly prompt?: string;
  readonly signal?: AbortSignal;
}

/**
 * The best rows of each phrase, best first; none for an empty phrase.
 * @throws ModelError where the encoder's model is not the index's; as `VectorIndex.search`
 */
export async function searchPhrases(
  index: VectorIndex,
  encoder: PhraseEncoder,
  phrases: readonly string[],
  { prompt, signal, ...search }: SearchPhrasesOptions = {},
): Promise<SearchHit[][]> {
  signal?.throwIfAborted();
  const { dimension, model } = index.layout;
  const fingerprint = await encoder.fingerprint();
  index.checkModel(fingerprint);
  const settings = { prompt: prompt ?? model?.prompt, truncateDim: dimension, signal };
  const { data } = await encoder.encodeMatrix(phrases, settings);
  return index.search(data, { ...search, fingerprint, phrases, signal });
}
