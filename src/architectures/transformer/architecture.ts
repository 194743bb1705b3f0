/** Transformers from a hub: phrases as subword tokens. */
import { join } from "node:path";
import { ModelError } from "../../errors.js";
import type { Tokenizer } from "../../text/tokenizer.js";
import {
  type Architecture,
  concatenate,
  type Feature,
  type Featurizer,
  type ModelFolder,
  type Pooling,
} from "../architecture.js";
import { numberAt, readJson } from "../folder-json.js";

/** Phrases as subword tokens: the input of BERT-like encoders. */
export interface TokensFeature extends Feature {
  readonly kind: "tokens";
  /** Tokens the model reads at most, special tokens included. */
  readonly maximumLength: number;
}

const TOKENIZER_FILE = "tokenizer.json";
const DEFAULT_LENGTH = 512;

export const transformer: Architecture<TokensFeature> = {
  kind: "tokens",
  files: [TOKENIZER_FILE],
  cost: "transformer",
  inputs: () => ["input_ids", "attention_mask", "token_type_ids", "position_ids"],
  async open({ maximumLength }, { folder, inputNames }) {
    const path = join(folder.path, TOKENIZER_FILE);
    const tokenizer = await readJson(path);
    if (tokenizer === undefined)
      throw new ModelError(`${folder.graph}: ${TOKENIZER_FILE} is missing; the graph reads tokens`);
    const config = (await readJson(join(folder.path, "tokenizer_config.json"))) ?? {};
    const { createTokenizer } = await import("../../text/tokenizer.js");
    return tokenFeaturizer(createTokenizer(tokenizer, config, maximumLength, path), inputNames);
  },
  pooling: poolingOf,
};

/** What models of other makers read, which have no section `pearl` in config.json. */
export const hubFeature = async (path: string, config: object): Promise<TokensFeature> => ({
  kind: "tokens",
  maximumLength: await tokenLimit(path, config),
});

/** True where a part of the model is a transformer with a tokenizer. */
export const hasTransformer = ({ features }: ModelFolder): boolean =>
  features.some(({ kind }) => kind === transformer.kind);

/** The smallest limit that any file states: sentence-transformers', the tokenizer's, the position table's. */
export async function tokenLimit(path: string, config: object): Promise<number> {
  const sentence = (await readJson(join(path, "sentence_bert_config.json"))) ?? {};
  const tokenizer = (await readJson(join(path, "tokenizer_config.json"))) ?? {};
  // RoBERTa counts positions from padding_idx + 1, so two of its table's rows are never used.
  const family = String((config as Record<string, unknown>).model_type);
  const unused = /roberta|camembert/i.test(family) ? 2 : 0;
  const { POSITIVE_INFINITY: none } = Number;
  const limit = Math.min(
    numberAt(sentence, "max_seq_length") ?? none,
    numberAt(tokenizer, "model_max_length") ?? none,
    (numberAt(config, "max_position_embeddings") ?? none) - unused,
  );
  return limit === none ? DEFAULT_LENGTH : limit;
}

async function poolingOf(path: string): Promise<Pooling> {
  const settings = await readJson(join(path, "1_Pooling", "config.json"));
  if (settings === undefined || settings.pooling_mode_mean_tokens === true) return "mean";
  if (settings.pooling_mode_cls_token === true) return "cls";
  if (settings.pooling_mode_max_tokens === true) return "max";
  throw new ModelError(
    `${path}/1_Pooling/config.json: pearl pools by mean, cls or max; this model asks for another way`,
  );
}

export function tokenFeaturizer(tokenizer: Tokenizer, inputNames: readonly string[]): Featurizer {
  return {
    read(phrases) {
      const encoded = phrases.map((phrase) => tokenizer.encode(phrase));
      const truncated = encoded.filter((phrase) => phrase.truncated).length;
      return { rows: concatenate(encoded.map((phrase) => phrase.ids)), truncated };
    },
    fill({ ids, starts }, batch, length, feeds) {
      const put = (name: string, data: BigInt64Array) => {
        feeds[name] = { type: "int64", dims: [batch.length, length], data };
      };
      const inputIds = new BigInt64Array(batch.length * length).fill(BigInt(tokenizer.padId));
      const mask = new BigInt64Array(inputIds.length);
      batch.forEach((row, i) => {
        for (let j = starts[row], at = i * length; j < starts[row + 1]; j++, at++) {
          inputIds[at] = BigInt(ids[j]);
          mask[at] = 1n;
        }
      });
      put("input_ids", inputIds);
      put("attention_mask", mask);
      if (inputNames.includes("token_type_ids")) put("token_type_ids", new BigInt64Array(inputIds.length));
      if (inputNames.includes("position_ids"))
        put(
          "position_ids",
          inputIds.map((_, at) => BigInt(at % length)),
        );
    },
  };
}
