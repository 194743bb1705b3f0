/** What a classifier of kinds reads of a phrase: its embedding, in which spelling counts less, and its phrase types. */
import * as v from "valibot";
import { spelledColumns } from "../../architectures/registry.js";
import type { EncodeOptions, PhraseEncoder } from "../../encoder/phrase-encoder.js";
import { MissingDataError, ModelError } from "../../errors.js";
import { readJson, type Schema } from "../../files/json.js";
import { unitRows } from "../../search/vectors.js";

/** Rows of features, each of length 1; an empty phrase has zeros. */
export interface KindFeatures {
  /** [rows, dimension] */
  readonly data: Float32Array;
  readonly dimension: number;
}

/** Factor of the columns that say only how a phrase is spelled: names of one kind need not look alike. */
const SPELLING = 0.3;
/** Factor of the square roots of the type head's probabilities, as far as the model has a type head. */
const TYPES = 0.3;

/** The model that a file was learned with; `source` loads it (default: the embedded model). */
export const learnedModelSchema = v.object({
  ...{ name: v.string(), fingerprint: v.string(), source: v.optional(v.string()) },
});
export type LearnedModel = v.InferOutput<typeof learnedModelSchema>;

/** Reads what a training wrote. @param command made it @throws MissingDataError where it is missing or broken */
export async function readLearned<Value>(path: string, schema: Schema<Value>, command: string) {
  // A file that is there may be another one by mistake: it must not be written over.
  const cure = `Name a file that this wrote: ${command} -o FILE`;
  const read = await readJson(path, schema, { error: MissingDataError, cure });
  if (read === undefined)
    throw new MissingDataError(`${path}: no such file. Make it with: ${command} -o ${path}`);
  return read;
}

/** @param learned what was learned with the model, such as "the kinds were learned" @throws ModelError for another model */
export async function checkModel(
  encoder: PhraseEncoder,
  { name, fingerprint }: LearnedModel,
  { learned, again }: { readonly learned: string; readonly again: string },
): Promise<void> {
  if ((await encoder.fingerprint()) === fingerprint) return;
  throw new ModelError(
    `${learned} with ${name}, and ${encoder.model.name} differs from it. Use that model, or train ${again} again.`,
  );
}

export async function kindFeatures(
  encoder: PhraseEncoder,
  phrases: readonly string[],
  options: Pick<EncodeOptions, "signal" | "onProgress"> = {},
): Promise<KindFeatures> {
  const types = encoder.model.types.length;
  const typed = types > 0 ? await encoder.encodeWithTypes(phrases, options) : undefined;
  const { data: embeddings, dimension: width } = typed ?? (await encoder.encodeMatrix(phrases, options));
  const scales = new Float32Array(width).fill(1);
  for (const [from, to] of spelledColumns(encoder.model)) scales.fill(SPELLING, from, to);
  const dimension = width + types;
  const data = new Float32Array(phrases.length * dimension);
  phrases.forEach((_, row) => {
    const own = data.subarray(row * dimension, (row + 1) * dimension);
    for (let i = 0; i < width; i++) own[i] = scales[i] * embeddings[row * width + i];
    typed?.types.subarray(row * types, (row + 1) * types).forEach((probability, i) => {
      own[width + i] = TYPES * Math.sqrt(probability);
    });
  });
  return { data: unitRows(data, dimension), dimension };
}
