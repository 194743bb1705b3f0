/** Turns phrases into the integer tensors that a graph asks for. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { ModelError } from "../errors.js";
import { characterInputNames } from "../nn/characters/inputs.js";
import { wordInputNames } from "../nn/words/inputs.js";
import { type CharacterVocabulary, checkCharacterVocabulary } from "../text/character-vocabulary.js";
import { hashNgrams } from "../text/hashed-ngrams.js";
import type { Tokenizer } from "../text/tokenizer.js";
import { characterFeaturizer } from "./character-features.js";
import { concatenate, type Featurizer } from "./feature-rows.js";
import {
  CHARACTERS_FILE,
  type Feature,
  type HashedNgramsFeature,
  type ModelFolder,
  readJson,
  WORDS_FILE,
} from "./model-folder.js";
import { wordFeaturizer } from "./word-features.js";
import { type SharedWords, wordRowFeaturizer } from "./word-row-features.js";

export type { FeatureRows, Featurizer } from "./feature-rows.js";

/**
 * The featurizers of a model folder, its tokenizer read.
 * @param inputNames inputs of the folder's graph
 * @param shared what was taken out of a word encoder's, default nothing
 * @throws ModelError for a broken tokenizer, or an input that pearl does not know
 */
export async function openFeaturizers(
  folder: ModelFolder,
  inputNames: readonly string[],
  shared?: SharedWords,
): Promise<Featurizer[]> {
  const tokenizer = await openTokenizer(folder);
  const vocabulary = await openVocabulary(folder);
  const words = shared ? [] : await openWords(folder);
  return createFeaturizers(
    folder.features,
    inputNames,
    { tokenizer, vocabulary, words, shared },
    folder.graph,
  );
}

async function openWords(folder: ModelFolder): Promise<readonly string[] | undefined> {
  if (!folder.features.some(({ kind }) => kind === "words")) return undefined;
  const path = join(folder.path, WORDS_FILE);
  try {
    return (await readFile(path, "utf8")).split("\n").filter((word) => word !== "");
  } catch (error) {
    throw new ModelError(`${path} is missing; the graph reads words, and this file numbers them`, {
      cause: error,
    });
  }
}

async function openVocabulary(folder: ModelFolder): Promise<CharacterVocabulary | undefined> {
  if (!folder.features.some((feature) => feature.kind === "characters" && feature.units !== "ngrams"))
    return undefined;
  const path = join(folder.path, CHARACTERS_FILE);
  const vocabulary = await readJson(path);
  if (vocabulary === undefined)
    throw new ModelError(`${path} is missing; the graph reads characters, and this file numbers them`);
  return checkCharacterVocabulary(vocabulary, path);
}

async function openTokenizer(folder: ModelFolder): Promise<Tokenizer | undefined> {
  const feature = folder.features.find((candidate) => candidate.kind === "tokens");
  if (feature === undefined) return undefined;
  const path = join(folder.path, "tokenizer.json");
  const tokenizer = await readJson(path);
  if (tokenizer === undefined) return undefined;
  const config = (await readJson(join(folder.path, "tokenizer_config.json"))) ?? {};
  const { createTokenizer } = await import("../text/tokenizer.js");
  return createTokenizer(tokenizer, config, feature.maximumLength, path);
}

/** Graph inputs that BERT-like exports ask for. */
const TOKEN_INPUTS: readonly string[] = ["input_ids", "attention_mask", "token_type_ids", "position_ids"];

/** What features are read with, where the model has it. */
export interface TextSide {
  readonly tokenizer?: Tokenizer;
  /** Of the character encoder. */
  readonly vocabulary?: CharacterVocabulary;
  /** Of the word encoder, in the order of the graph's table. */
  readonly words?: readonly string[];
  /** Of the word encoder whose tables were taken out of the graph, in place of its words. */
  readonly shared?: SharedWords;
}

/** The graph inputs that a feature may fill. */
function inputsOf(feature: Feature): readonly string[] {
  if (feature.kind === "tokens") return TOKEN_INPUTS;
  if (feature.kind === "words") return Object.values(wordInputNames);
  return feature.kind === "characters" ? Object.values(characterInputNames) : [feature.input];
}

/**
 * Makes the featurizers of a model and checks that together they feed every input of its graph.
 * @throws ModelError for an input that pearl does not know
 */
export function createFeaturizers(
  features: readonly Feature[],
  inputNames: readonly string[],
  { tokenizer, vocabulary, words = [], shared }: TextSide,
  label: string,
): Featurizer[] {
  const fed = [...features.flatMap(inputsOf), ...(shared?.tables ?? []).map(({ input }) => input)];
  const unknown = inputNames.filter((name) => !fed.includes(name));
  if (unknown.length > 0) {
    throw new ModelError(
      `${label}: the graph asks for inputs that pearl does not know: ${unknown.join(", ")}. ` +
        `Known are ${fed.join(", ")}.`,
    );
  }
  return features.map((feature) => {
    if (feature.kind === "hashed-ngrams") return ngramFeaturizer(feature);
    if (feature.kind === "characters") return characterFeaturizer(feature, vocabulary);
    if (feature.kind === "words")
      return shared ? wordRowFeaturizer(feature, shared) : wordFeaturizer(feature, words);
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
