/**
 * From a transformer to a static model by model2vec's method (Tulkens and van Dongen, "Model2Vec: Fast State-of-the-Art Static
 * Embeddings", 2024): the encoder's vector of each single token, reduced by PCA and weighed by how rare the token is.
 */
import { mkdir, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { concatenate, type ModelFolder } from "../architectures/architecture.js";
import { numberAt } from "../architectures/folder-json.js";
import { readModelFolder } from "../architectures/model-folder.js";
import { modulesOf } from "../architectures/sentence-modules.js";
import { openModel, rawVectors } from "../encoder/encode-model.js";
import type { LoadOptions } from "../encoder/phrase-encoder.js";
import { ArgumentError, ModelError } from "../errors.js";
import { writeModelFolder } from "../files/sealed-folder.js";
import { writeWholeJson } from "../files/whole-file.js";
import { checkIsFree, copyPresent } from "../files/whole-folder.js";
import { companionFiles, convertedGraph } from "../hub/convert/import-model.js";
import { weightsFile } from "../hub/convert/weight-files.js";
import { locateModel } from "../hub/locate.js";
import { derivedCard } from "../hub/model-card.js";
import { writeModel } from "../onnx/io/file.js";
import { toFloat16 } from "../onnx/io/float16.js";
import { writeSafetensors } from "../onnx/io/safetensors.js";
import type { Tensor } from "../onnx/tensor.js";
import { createRandom } from "../random.js";
import { availableParallelism } from "../runtime/thread.js";
import { keptShare, leadingAxes, project } from "../search/principal-axes.js";
import { readTokenizerFile, tokenizerSettings } from "../text/tokenizer-file.js";
import { type BaseModel, describeBase } from "./start-model.js";

/** Options of {@link distillStatic}. */
export interface DistillOptions extends Pick<LoadOptions, "threads" | "signal" | "onDownload"> {
  /** Dimensions of the new vectors, at most the base's. Default 256. */
  readonly dims?: number;
  /**
   * The constant a of smooth inverse frequency (Arora, Liang and Ma, 2017), between 0 and 1: a token of probability p gets
   * the weight a / (a + p). Smaller values give frequent tokens less weight. Default 1e-4.
   */
  readonly sif?: number;
  /** Called with the tokens that are encoded, and their number. */
  readonly onProgress?: (finished: number, total: number) => void;
}

/** What {@link distillStatic} wrote, and the share of the base's variance that the dimensions keep, from 0 to 1. */
export interface DistillReport extends Record<"tokens" | "dimension" | "kept", number> {
  readonly path: string;
  readonly base: BaseModel;
}

/** Tokens that are encoded between two reports of progress. */
const tokensAtOnce = 1024;
/** As model2vec's models say. */
const maximumLength = 512;
const truncation = { direction: "Right", max_length: maximumLength, strategy: "LongestFirst", stride: 0 };
/** Nothing is put around a phrase. */
const bare = { truncation, padding: null, post_processor: null };

/**
 * Writes a static model: a phrase is the mean of its tokens' vectors. A token's vector is the base's embedding of that
 * token alone between the special tokens, given by id and without a prompt. The mean of all tokens is subtracted, and the
 * rest is projected onto the principal axes. Probabilities follow Zipf's law, since vocabularies begin with frequent tokens.
 * Special tokens and "[unused1]" and the like get zeros. Of a model with further parts, such as pearl-small, the
 * transformer alone is distilled. pearl reads the folder, and so does model2vec.
 * @param base folder, hub id or embedded name of a model with a transformer
 * @param target the new folder; it appears when it is complete
 * @throws ModelError for a base without a transformer; ArgumentError for options that do not fit it
 */
export async function distillStatic(
  base: string,
  target: string,
  options: DistillOptions = {},
): Promise<DistillReport> {
  const { dims = 256, sif = 1e-4 } = options;
  if (!(sif > 0 && sif < 1))
    throw new ArgumentError(`sif is ${sif}. Give a number above 0 and below 1, such as 1e-4.`);
  await checkIsFree(target);
  const folder = await readModelFolder(await locateModel(base, options));
  const { ids, rows, vectors } = await tokenVectors(folder, { ...options, dims });
  const { data, kept } = await reduced(vectors, ids.length, dims);
  const total = ids.reduce((sum, _, place) => sum + 1 / (place + 2), 0);
  const table = new Float32Array(rows * dims);
  for (const [place, id] of ids.entries()) {
    const weight = sif / (sif + 1 / (place + 2) / total);
    for (let at = 0; at < dims; at++) table[id * dims + at] = weight * data[place * dims + at];
  }
  const embeddings: Tensor = { type: "float16", dims: [rows, dims], data: toFloat16(table) };
  const described = await describeBase(base, folder);
  await writeModelFolder(target, async (path) => {
    const text = JSON.stringify(
      { ...JSON.parse((await readTokenizerFile(folder.path)) ?? "{}"), ...bare },
      // the first word of a text gets the token that it has elsewhere
      (key, value) => (key === "add_prefix_space" && value === false) || value,
    );
    await writeFile(join(path, "tokenizer.json"), text);
    await writeWholeJson(join(path, "tokenizer_config.json"), tokenizerSettings(text, maximumLength));
    await writeWholeJson(join(path, "modules.json"), modulesOf(["StaticEmbedding", "Normalize"], "."));
    await writeWholeJson(join(path, "config.json"), {
      ...{ model_type: "model2vec", architectures: ["StaticModel"], tokenizer_name: described.name },
      ...{ apply_pca: dims, sif_coefficient: sif, hidden_dim: dims, embedding_dtype: "float16" },
      ...{ normalize: true, seq_length: 1_000_000, max_length: maximumLength },
    });
    const origin =
      `A static model distilled from ${described.name} by \`pearl distill\` with model2vec's method: a phrase is the mean of ` +
      `its tokens' vectors, the base's of single tokens along ${dims} principal axes (${Math.round(kept * 100)} % of the ` +
      `variance), weighed by smooth inverse frequency (a = ${sif}). No score was measured: \`pearl bench\` measures it. ` +
      'model2vec loads it too: `StaticModel.from_pretrained("FOLDER")`.';
    const metadata = { base_model: described.name, library_name: "model2vec", "model-index": undefined };
    const card = await derivedCard(folder.path, { title: basename(target), origin, metadata });
    await writeFile(join(path, "README.md"), card);
    const terms = companionFiles.filter((name) => /^(LICENSE|NOTICE)/.test(name));
    await copyPresent(terms, folder.path, path);
    writeSafetensors(join(path, weightsFile), new Map([["embeddings", embeddings]]));
    await mkdir(join(path, "onnx"));
    writeModel((await convertedGraph(path)).model, join(path, "onnx", "model.onnx"));
  });
  return { path: target, base: described, tokens: ids.length, dimension: dims, kept };
}

/** The base's vectors of single tokens, not scaled: [ids, width], flat; all ids of the tokenizer are below `rows`. */
async function tokenVectors(
  folder: ModelFolder,
  { dims, threads = availableParallelism(), signal, onProgress }: DistillOptions & { readonly dims: number },
) {
  const open = await openModel({ folder, threads, device: "cpu", precision: "full" });
  try {
    const tokenizer = open.featurizers.find((own) => own.tokenizer)?.tokenizer;
    if (tokenizer === undefined)
      throw new ModelError(
        `${folder.path} has no transformer that reads subword tokens. Name one that has, such as pearl-small.`,
      );
    const alone = (id: string) => Int32Array.of(...tokenizer.opening(""), Number(id), ...tokenizer.closing);
    const featurizers = open.featurizers.map((own) => ({
      ...{ ...own, readPrompted: undefined },
      // Other parts read one text beside every token: what is equal in all vectors goes with the mean.
      read: (some: readonly string[]) =>
        own.tokenizer ? { rows: concatenate(some.map(alone)), truncated: 0 } : own.read(some.map(() => "a")),
    }));
    const vocabulary = tokenizer.vocabulary();
    const known = numberAt(folder.config, "vocab_size") ?? vocabulary.length;
    if (vocabulary.length > known)
      throw new ModelError(
        `${folder.path}/tokenizer.json has ${vocabulary.length} tokens, but config.json states ${known} (vocab_size). ` +
          "Take both files from the same model.",
      );
    const ids = vocabulary.flatMap((token, id) => (/^(\[unused\d+\].*)?$/.test(token ?? "") ? [] : [id]));
    let vectors = new Float32Array();
    for (let first = 0; first < ids.length; first += tokensAtOnce) {
      signal?.throwIfAborted();
      const some = ids.slice(first, first + tokensAtOnce);
      const found = await rawVectors({ ...open, featurizers }, some.map(String));
      const width = found.length / some.length;
      if (first === 0) vectors = new Float32Array(ids.length * width);
      const most = Math.min(width, ids.length - 1);
      if (!(Number.isInteger(dims) && dims > 0 && dims <= most))
        throw new ArgumentError(
          `dims is ${dims}, but ${folder.name} has ${width} dimensions and ${ids.length} tokens. ` +
            `Give a whole number from 1 to ${most}.`,
        );
      vectors.set(found, first * width);
      onProgress?.(first + some.length, ids.length);
    }
    return { ids, vectors, rows: vocabulary.length };
  } finally {
    await open.session.release();
  }
}

/** Rows without their mean, along their principal axes: [rows, dims], and the share of their variance that is kept. */
async function reduced(vectors: Float32Array, rows: number, dims: number) {
  const dimension = vectors.length / rows;
  const mean = new Float64Array(dimension);
  for (const [at, value] of vectors.entries()) mean[at % dimension] += value / rows;
  const centred = vectors.map((value, at) => value - mean[at % dimension]);
  // After so many rounds the axes have settled in the order of their variance.
  const axes = await leadingAxes(centred, { dimension, width: dims, rounds: 60, random: createRandom(1) });
  return { data: await project(centred, axes), kept: await keptShare(centred, axes) };
}
