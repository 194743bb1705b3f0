/** Subword tokenisation: phrases to token ids by a tokenizer.json, truncated to the model's length. */
import { Tokenizer as HubTokenizer } from "@huggingface/tokenizers";
import { ModelError, messageOf } from "../errors.js";

export interface Tokenizer {
  /** Id of the padding token (0 if the tokenizer has none). */
  readonly padId: number;
  /** The token ids, special tokens included, and whether the phrase was longer than the model reads. */
  encode(phrase: string): { ids: Int32Array; truncated: boolean };
}

/** Characters read per token of the model's length; later ones cannot reach the model. */
const CHARACTERS_PER_TOKEN = 64;

/**
 * Builds a tokenizer from the contents of tokenizer.json and tokenizer_config.json.
 * @param maximumLength tokens a phrase may have, special tokens included
 * @param label the file's name in error messages
 * @throws ModelError where the file is not in the tokenizers format
 */
export function createTokenizer(
  tokenizer: object,
  config: object,
  maximumLength: number,
  label: string,
): Tokenizer {
  let inner: HubTokenizer;
  try {
    inner = new HubTokenizer(tokenizer, config);
  } catch (error) {
    throw new ModelError(`${label}: not a tokenizer in the tokenizers format (${messageOf(error)})`, {
      cause: error,
    });
  }
  const padToken = "pad_token" in config && typeof config.pad_token === "string" ? config.pad_token : "[PAD]";
  const special = new Set(inner.get_added_tokens_decoder().keys());
  return {
    padId: inner.token_to_id(padToken) ?? 0,
    encode(phrase) {
      const readable = phrase.slice(0, maximumLength * CHARACTERS_PER_TOKEN);
      const { ids } = inner.encode(readable);
      const truncated = ids.length > maximumLength || readable.length < phrase.length;
      const cut = Int32Array.from(ids.slice(0, maximumLength));
      const last = ids[ids.length - 1];
      // The closing special token ([SEP], </s>) stays the last, as in the tokenizers library.
      if (ids.length > maximumLength && special.has(last)) cut[maximumLength - 1] = last;
      return { ids: cut, truncated };
    },
  };
}
