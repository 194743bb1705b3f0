/** The models under test by name: baselines, files of word vectors, phrase encoders. */
import { distance } from "fastest-levenshtein";
import { type LoadOptions, PhraseEncoder } from "../encoder/phrase-encoder.js";
import { ArgumentError } from "../errors.js";
import { exists } from "../files/whole-file.js";
import { embeddedModels } from "../hub/locate.js";
import { jaroWinkler } from "../match/spelling/soft-words.js";
import { jaccardBaseline, shortTfidfBaseline, tfidfBaseline, tfidfWordsBaseline } from "./baselines/tfidf.js";
import { gloveBaseline, isVectorFile, vectorFileBaseline } from "./baselines/word-vectors.js";
import type { EmbeddingModel, PhraseModel, SimilarityModel } from "./model.js";
import { unknownName } from "./task.js";

/** 1 − Levenshtein distance / length of the longer string: 1 for equal strings, 0 where nothing matches. */
export function levenshteinSimilarity(a: string, b: string): number {
  const longer = Math.max(a.length, b.length);
  return longer === 0 ? 1 : 1 - distance(a, b) / longer;
}

export const levenshteinBaseline = (): SimilarityModel =>
  pairwise("levenshtein", "1 - distance / longer length", levenshteinSimilarity);

export const jaroWinklerBaseline = (): SimilarityModel =>
  pairwise("jaro-winkler", "prefix weight 0.1, at most 4", jaroWinkler);

function pairwise(name: string, settings: string, similarity: typeof jaroWinkler): SimilarityModel {
  return {
    kind: "similarity",
    name,
    fingerprint: `${name}: ${settings}, lower case`,
    fit(candidates) {
      const lowered = candidates.map((candidate) => candidate.toLowerCase());
      return {
        pair: (a, b) => similarity(a.toLowerCase(), b.toLowerCase()),
        all(query, scores) {
          const text = query.toLowerCase();
          for (let row = 0; row < lowered.length; row++) scores[row] = similarity(text, lowered[row]);
        },
      };
    },
  };
}

const baselines: Readonly<Record<string, () => PhraseModel | Promise<PhraseModel>>> = {
  tfidf: tfidfBaseline,
  "tfidf-2-3": shortTfidfBaseline,
  "tfidf-words": tfidfWordsBaseline,
  jaccard: jaccardBaseline,
  levenshtein: levenshteinBaseline,
  "jaro-winkler": jaroWinklerBaseline,
  glove: gloveBaseline,
};

export interface ResolveOptions extends Pick<LoadOptions, "device" | "onDownload" | "onNote" | "signal"> {
  readonly truncateDim?: number;
}

/** Whether a name is that of a phrase encoder, whose embeddings can be truncated. */
export const isEncoderName = (name: string | undefined): boolean =>
  name === undefined || !(Object.hasOwn(baselines, name) || isVectorFile(name));

/** A baseline, a file of word vectors, an embedded model, a folder or a hub id; undefined is the embedded default. @throws ModelError */
export async function resolveModel(name: string | undefined, options: ResolveOptions): Promise<PhraseModel> {
  if (name !== undefined && Object.hasOwn(baselines, name)) return baselines[name]();
  if (name !== undefined && isVectorFile(name)) return vectorFileBaseline(name);
  return encoderModel(name, await PhraseEncoder.load(name, options), options);
}

/** Checks a name without loading the model, so that a typo ends a run at once. @throws UsageError */
export async function checkModelName(name: string): Promise<void> {
  const known = [...(await embeddedModels()), ...Object.keys(baselines)];
  if (known.includes(name) || name.includes("/") || (await exists(name))) return;
  const hint = `A model is a folder, a hub id (organisation/name), a file of word vectors (.vec), or one of ${known.join(", ")}.`;
  throw unknownName("unknown model", name, { known, hint });
}

/** A phrase encoder as a model under test, without normalisation: the published protocols depend on lengths. */
async function encoderModel(
  asked: string | undefined,
  encoder: PhraseEncoder,
  { truncateDim }: ResolveOptions,
): Promise<EmbeddingModel> {
  const name = asked ?? encoder.model.name;
  const whole = encoder.dimension;
  if (truncateDim !== undefined && truncateDim > whole) {
    await encoder.dispose();
    throw new ArgumentError(`${name} has ${whole} dimensions, fewer than ${truncateDim}`);
  }
  const fingerprint = await encoder.fingerprint();
  return {
    kind: "embedding",
    name: truncateDim === undefined ? name : `${name} (first ${truncateDim} of ${whole})`,
    fingerprint: truncateDim === undefined ? fingerprint : `${fingerprint}-${truncateDim}`,
    dimension: truncateDim ?? whole,
    // Matching tables takes whole vectors.
    encoder: truncateDim === undefined ? encoder : undefined,
    async embed(phrases, options) {
      const { data } = await encoder.encodeMatrix(phrases, { ...options, normalize: false, truncateDim });
      return data;
    },
    dispose: () => encoder.dispose(),
  };
}
