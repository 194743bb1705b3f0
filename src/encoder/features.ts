/** Turns phrases into the integer tensors that a graph asks for. */
import { join } from "node:path";
import { ModelError } from "../errors.js";
import type { Feeds } from "../runtime/tensor.js";
import { hashNgrams } from "../text/hashed-ngrams.js";
import { createTokenizer, type Tokenizer } from "../text/tokenizer.js";
import { type Feature, type HashedNgramsFeature, type ModelFolder, readJson } from "./model-folder.js";

/** The ids of one feature of some phrases: row i is `ids[starts[i]]` to `ids[starts[i + 1] - 1]`. */
export interface FeatureRows {
  readonly ids: Int32Array;
  readonly starts: Int32Array;
}

/** One feature, ready to read phrases and to fill batches. */
export interface Featurizer {
  /** Reads phrases; counts those that were longer than the model reads. */
  read(phrases: readonly string[]): { rows: FeatureRows; truncated: number };
  /** Fills the graph's inputs for some of the rows, padded to `length`; adds them to `feeds`. */
  fill(rows: FeatureRows, batch: Int32Array, length: number, feeds: Feeds): void;
}

/**
 * The featurizers of a model folder, its tokenizer read.
 * @param inputNames inputs of the folder's graph
 * @throws ModelError for a broken tokenizer, or an input that pearl does not know
 */
export async function openFeaturizers(
  folder: ModelFolder,
  inputNames: readonly string[],
): Promise<Featurizer[]> {
  return createFeaturizers(folder.features, inputNames, await openTokenizer(folder), folder.graph);
}

async function openTokenizer(folder: ModelFolder): Promise<Tokenizer | undefined> {
  const feature = folder.features.find((candidate) => candidate.kind === "tokens");
  if (feature === undefined) return undefined;
  const path = join(folder.path, "tokenizer.json");
  const tokenizer = await readJson(path);
  if (tokenizer === undefined) return undefined;
  const config = (await readJson(join(folder.path, "tokenizer_config.json"))) ?? {};
  return createTokenizer(tokenizer, config, feature.maximumLength, path);
}

/** Graph inputs that BERT-like exports ask for. */
const TOKEN_INPUTS: readonly string[] = ["input_ids", "attention_mask", "token_type_ids", "position_ids"];

/**
 * Makes the featurizers of a model and checks that together they feed every input of its graph.
 * @throws ModelError for an input that pearl does not know
 */
export function createFeaturizers(
  features: readonly Feature[],
  inputNames: readonly string[],
  tokenizer: Tokenizer | undefined,
  label: string,
): Featurizer[] {
  const fed = features.flatMap((feature) => (feature.kind === "tokens" ? TOKEN_INPUTS : [feature.input]));
  const unknown = inputNames.filter((name) => !fed.includes(name));
  if (unknown.length > 0) {
    throw new ModelError(
      `${label}: the graph asks for inputs that pearl does not know: ${unknown.join(", ")}. ` +
        `Known are ${fed.join(", ")}.`,
    );
  }
  return features.map((feature) => {
    if (feature.kind === "hashed-ngrams") return ngramFeaturizer(feature);
    if (tokenizer === undefined) {
      throw new ModelError(`${label}: tokenizer.json is missing; the graph reads tokens`);
    }
    return tokenFeaturizer(tokenizer, inputNames);
  });
}

function tokenFeaturizer(tokenizer: Tokenizer, inputNames: readonly string[]): Featurizer {
  return {
    read(phrases) {
      const encoded = phrases.map((phrase) => tokenizer.encode(phrase));
      const truncated = encoded.filter((phrase) => phrase.truncated).length;
      return { rows: concatenate(encoded.map((phrase) => phrase.ids)), truncated };
    },
    fill({ ids, starts }, batch, length, feeds) {
      const dims = [batch.length, length];
      const inputIds = new BigInt64Array(batch.length * length).fill(BigInt(tokenizer.padId));
      const mask = new BigInt64Array(inputIds.length);
      for (let i = 0; i < batch.length; i++) {
        const row = batch[i];
        for (let j = starts[row], at = i * length; j < starts[row + 1]; j++, at++) {
          inputIds[at] = BigInt(ids[j]);
          mask[at] = 1n;
        }
      }
      feeds.input_ids = { type: "int64", dims, data: inputIds };
      feeds.attention_mask = { type: "int64", dims, data: mask };
      if (inputNames.includes("token_type_ids")) {
        feeds.token_type_ids = { type: "int64", dims, data: new BigInt64Array(inputIds.length) };
      }
      if (inputNames.includes("position_ids")) {
        const positions = BigInt64Array.from(inputIds, (_, at) => BigInt(at % length));
        feeds.position_ids = { type: "int64", dims, data: positions };
      }
    },
  };
}

function ngramFeaturizer(feature: HashedNgramsFeature): Featurizer {
  const buffer = new Int32Array(feature.limit);
  return {
    read(phrases) {
      let truncated = 0;
      const rows = phrases.map((phrase) => {
        const result = hashNgrams(phrase, feature, buffer, 0);
        if (result.truncated) truncated++;
        return buffer.slice(0, result.count);
      });
      return { rows: concatenate(rows), truncated };
    },
    fill({ ids, starts }, batch, length, feeds) {
      const data = new Int32Array(batch.length * length).fill(feature.buckets);
      for (let i = 0; i < batch.length; i++) {
        const row = batch[i];
        data.set(ids.subarray(starts[row], starts[row + 1]), i * length);
      }
      feeds[feature.input] = { type: "int32", dims: [batch.length, length], data };
    },
  };
}

function concatenate(rows: readonly Int32Array[]): FeatureRows {
  const starts = new Int32Array(rows.length + 1);
  for (let i = 0; i < rows.length; i++) starts[i + 1] = starts[i] + rows[i].length;
  const ids = new Int32Array(starts[rows.length]);
  for (let i = 0; i < rows.length; i++) ids.set(rows[i], starts[i]);
  return { ids, starts };
}
