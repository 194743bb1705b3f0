/** Resolves the name of a model: a baseline, or a phrase encoder. */
import { stat } from "node:fs/promises";
import { PhraseEncoder } from "../encoder/phrase-encoder.js";
import { ArgumentError, UsageError } from "../errors.js";
import type { DownloadProgress } from "../hub/download.js";
import { embeddedModels } from "../hub/locate.js";
import type { DeviceChoice } from "../runtime/device.js";
import { gloveBaseline } from "./baselines/glove.js";
import { jaccardBaseline } from "./baselines/jaccard.js";
import { jaroWinklerBaseline } from "./baselines/jaro-winkler.js";
import { levenshteinBaseline } from "./baselines/levenshtein.js";
import { tfidfBaseline, tfidfWordsBaseline } from "./baselines/tfidf.js";
import type { EmbeddingModel, PhraseModel } from "./model.js";
import { closestName } from "./suggest.js";

const baselines: Readonly<Record<string, () => PhraseModel | Promise<PhraseModel>>> = {
  tfidf: tfidfBaseline,
  "tfidf-words": tfidfWordsBaseline,
  jaccard: jaccardBaseline,
  levenshtein: levenshteinBaseline,
  "jaro-winkler": jaroWinklerBaseline,
  glove: gloveBaseline,
};

/** Names of the baselines. */
export const baselineNames: readonly string[] = Object.keys(baselines);

/** How an encoder is loaded. */
export interface ResolveOptions {
  /** Default "cpu". */
  readonly device?: DeviceChoice;
  /** Called several times a second while a hub model is downloaded; `total` is undefined if unknown. */
  readonly onDownload?: (progress: DownloadProgress) => void;
  readonly signal?: AbortSignal;
  /** Use only the first dimensions of the embeddings. Default: all. */
  readonly truncateDim?: number;
}

/**
 * The model of that name: a baseline, an embedded model, a folder or a hub id; the embedded default for undefined.
 *
 * @throws UsageError for an unknown name, MissingDataError for a missing optional package, ModelError for a broken model
 */
export async function resolveModel(
  name: string | undefined,
  options: ResolveOptions = {},
): Promise<PhraseModel> {
  if (name !== undefined && Object.hasOwn(baselines, name)) return baselines[name]();
  if (name !== undefined) await checkModelName(name);
  const encoder = await PhraseEncoder.load(name, options);
  return encoderModel(name, encoder, options);
}

/**
 * Checks a name without loading the model, so that a typo ends a run at once.
 * @throws UsageError with a suggestion
 */
export async function checkModelName(name: string): Promise<void> {
  if (Object.hasOwn(baselines, name) || name.includes("/")) return;
  const embedded = await embeddedModels();
  const isPath = await stat(name).then(
    () => true,
    () => false,
  );
  if (isPath || embedded.includes(name)) return;
  const known = [...embedded, ...baselineNames];
  const near = closestName(name, known);
  throw new UsageError(
    `unknown model "${name}".${near ? ` Did you mean ${near}?` : ""} ` +
      `A model is a folder, a hub id (organisation/name), or one of ${known.join(", ")}.`,
  );
}

/** A phrase encoder as a model under test: without normalisation, as the published protocols depend on lengths. */
export async function encoderModel(
  name: string | undefined,
  encoder: PhraseEncoder,
  { truncateDim }: Pick<ResolveOptions, "truncateDim"> = {},
): Promise<EmbeddingModel> {
  const whole = encoder.dimension;
  if (truncateDim !== undefined && truncateDim > whole) {
    await encoder.dispose();
    throw new ArgumentError(
      `${name ?? encoder.model.name} has ${whole} dimensions, fewer than ${truncateDim}`,
    );
  }
  const fingerprint = await encoder.fingerprint();
  return {
    kind: "embedding",
    name: `${name ?? encoder.model.name}${truncateDim === undefined ? "" : ` (first ${truncateDim} of ${whole})`}`,
    fingerprint: truncateDim === undefined ? fingerprint : `${fingerprint}-${truncateDim}`,
    dimension: truncateDim ?? whole,
    async embed(phrases, { signal, onProgress } = {}) {
      const options = { normalize: false, truncateDim, signal, onProgress };
      const { data } = await encoder.encodeMatrix(phrases, options);
      return data;
    },
    dispose: () => encoder.dispose(),
  };
}
