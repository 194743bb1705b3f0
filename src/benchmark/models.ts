/** Resolves the name of a model: a baseline, or a phrase encoder. */
import { type LoadOptions, PhraseEncoder } from "../encoder/phrase-encoder.js";
import { ArgumentError } from "../errors.js";
import { exists } from "../files/whole-file.js";
import { embeddedModels } from "../hub/locate.js";
import { jaccardBaseline } from "./baselines/jaccard.js";
import { jaroWinklerBaseline, levenshteinBaseline } from "./baselines/pairwise.js";
import { shortTfidfBaseline, tfidfBaseline, tfidfWordsBaseline } from "./baselines/tfidf.js";
import { gloveBaseline, isVectorFile, vectorFileBaseline } from "./baselines/word-vectors.js";
import type { EmbeddingModel, PhraseModel } from "./model.js";
import { unknownName } from "./task.js";

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
