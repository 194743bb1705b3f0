/** Reads phrases as subword tokens. */
import { ModelError } from "../../errors.js";
import type { Tokenizer } from "../../text/tokenizer.js";
import { type Architecture, concatenate, type Feature, type Featurizer } from "../architecture.js";
import { readJson } from "../folder-json.js";

/** Phrases as subword tokens: the input of BERT-like encoders. */
export interface TokensFeature extends Feature {
  readonly kind: "tokens";
  /** Tokens the model reads at most, special tokens included. */
  readonly maximumLength: number;
}

const TOKENIZER_FILE = "tokenizer.json";

export const tokens: Architecture<TokensFeature> = {
  kind: "tokens",
  files: [TOKENIZER_FILE],
  padsRows: true,
  library: "transformers.js",
  inputs: () => ["input_ids", "attention_mask", "token_type_ids", "position_ids"],
  async open({ maximumLength }, { folder, inputNames }) {
    const path = `${folder.path}/${TOKENIZER_FILE}`;
    const tokenizer = await readJson(path);
    if (tokenizer === undefined)
      throw new ModelError(`${folder.graph}: ${TOKENIZER_FILE} is missing; the graph reads tokens`);
    const config = (await readJson(`${folder.path}/tokenizer_config.json`)) ?? {};
    const { createTokenizer } = await import("../../text/tokenizer.js");
    return tokenFeaturizer(createTokenizer(tokenizer, config, maximumLength, path), inputNames);
  },
};

export function tokenFeaturizer(tokenizer: Tokenizer, inputNames: readonly string[]): Featurizer {
  const readPrompted = (phrases: readonly string[], prompt: string) => {
    const encoded = phrases.map((phrase) => tokenizer.encode(phrase, prompt));
    const truncated = encoded.filter((phrase) => phrase.truncated).length;
    const ids = encoded.map((phrase) => phrase.ids);
    return { rows: concatenate(ids), truncated, opening: commonStart(tokenizer.opening(prompt), ids) };
  };
  return {
    tokenizer,
    read: (phrases) => readPrompted(phrases, ""),
    readPrompted,
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

/** The first ids of `opening` that all rows begin with; each row has at least one more. */
function commonStart(opening: readonly number[], rows: readonly Int32Array[]): Int32Array {
  let count = opening.length;
  for (const row of rows) {
    count = Math.min(count, row.length - 1);
    for (let i = 0; i < count; i++) if (row[i] !== opening[i]) count = i;
  }
  return Int32Array.from(opening.slice(0, Math.max(0, count)));
}
