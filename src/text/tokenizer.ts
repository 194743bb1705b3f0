/** Subword tokenisation: phrases to token ids by a tokenizer.json, truncated to the model's length. */
import { Tokenizer as HubTokenizer } from "@huggingface/tokenizers";
import { ModelError, messageOf } from "../errors.js";

export interface Tokenizer {
  /** Id of the padding token (0 if the tokenizer has none). */
  readonly padId: number;
  /**
   * The ids of prompt and phrase as one text, special tokens included, and whether that was longer than the model reads.
   * @param prompt read once where its tokens are the same before every phrase
   */
  encode(phrase: string, prompt?: string): { ids: Int32Array; truncated: boolean };
  /** The first ids of every text that begins with a prompt, if no token crosses its end: [CLS] and the prompt's. */
  opening(prompt: string): readonly number[];
  /** The special tokens that every text ends with. */
  readonly closing: readonly number[];
  /** All tokens by id; undefined for special ones. */
  vocabulary(): readonly (string | undefined)[];
}

/** Characters read per token of the model's length; later ones cannot reach the model. */
const CHARACTERS_PER_TOKEN = 64;

/**
 * Builds a tokenizer from the contents of tokenizer.json and tokenizer_config.json.
 * @param maximumLength tokens a phrase may have, special tokens included
 * @param label the file's name in error messages
 * @throws ModelError where the file is not in the tokenizers format, or has tokens that pearl cannot read
 */
export function createTokenizer(
  tokenizer: object,
  config: object,
  maximumLength: number,
  label: string,
): Tokenizer {
  let inner: HubTokenizer;
  try {
    inner = new HubTokenizer(withUnicodeWords(tokenizer), config);
  } catch (error) {
    throw new ModelError(`${label}: not a tokenizer in the tokenizers format (${messageOf(error)})`, {
      cause: error,
    });
  }
  refuseWholeWords(tokenizer, label);
  const padToken = "pad_token" in config && typeof config.pad_token === "string" ? config.pad_token : "[PAD]";
  const special = new Set(inner.get_added_tokens_decoder().keys());
  const limit = maximumLength * CHARACTERS_PER_TOKEN;
  const bareWhole = (text: string) => inner.encode(text, { add_special_tokens: false }).ids;
  const words = new Map<string, readonly number[]>();
  const bareWord = (word: string) => {
    const known = words.get(word);
    if (known !== undefined) return known;
    if (words.size >= mostWords) words.clear();
    const ids = bareWhole(word);
    words.set(word, ids);
    return ids;
  };
  const bareByWord = (text: string) => text.split(" ").flatMap((word) => (word === "" ? [] : bareWord(word)));
  const bare = readsWordsAlone(tokenizer) ? bareByWord : bareWhole;
  const wholeText = (text: string) => inner.encode(text).ids;
  const [first, after] = specialTokens(wholeText("a"), bareWhole("a"));
  const whole = bare === bareByWord ? (text: string) => [...first, ...bare(text), ...after] : wholeText;
  const opening = keepLast((prompt) => [...first, ...bare(prompt)]);
  const joined = (prompt: string, phrase: string) => [...opening(prompt), ...bare(phrase), ...after];
  const isApart = keepLast(
    (prompt) =>
      endsTokensAtSpaces(tokenizer) &&
      /\s$/.test(prompt) &&
      prompt.length < limit &&
      samples.every((phrase) => String(joined(prompt, phrase)) === String(whole(prompt + phrase))),
  );
  return {
    padId: inner.token_to_id(padToken) ?? 0,
    opening,
    closing: after,
    vocabulary() {
      const tokens: (string | undefined)[] = [];
      const added = inner.get_added_tokens_decoder();
      for (const [token, id] of inner.get_vocab()) tokens[id] = added.get(id)?.special ? undefined : token;
      return tokens;
    },
    encode(phrase, prompt = "") {
      const text = prompt + phrase;
      const readable = text.slice(0, limit);
      const ids = isApart(prompt) ? joined(prompt, readable.slice(prompt.length)) : whole(readable);
      const truncated = ids.length > maximumLength || readable.length < text.length;
      const cut = Int32Array.from(ids.slice(0, maximumLength));
      const last = ids[ids.length - 1];
      // The closing special token ([SEP], </s>) stays the last, as in the tokenizers library.
      if (ids.length > maximumLength && special.has(last)) cut[maximumLength - 1] = last;
      return { ids: cut, truncated };
    },
  };
}

/** Words whose ids are kept: phrases repeat words, and the library takes 5 µs for each. */
const mostWords = 50_000;

/** The tokens before and after a text's own. */
function specialTokens(whole: readonly number[], own: readonly number[]): [number[], number[]] {
  const start = whole.indexOf(own[0]);
  return [whole.slice(0, start), whole.slice(start + own.length)];
}

/** True for BERT's tokenizers, where the words around a word change none of its ids. */
const readsWordsAlone = (file: TokenizerFile): boolean =>
  file.pre_tokenizer?.type === "BertPreTokenizer" &&
  (file.normalizer == null || file.normalizer.type === "BertNormalizer") &&
  endsTokensAtSpaces(file);

/** Phrases that a prompt is tried with: the normaliser may still join what white space parts. */
const samples = ["a", "Zürich 2", "##s", "3.5 %", "'s", "-b", "\u0301a", "日本", " x", "()"];

interface PreTokenizer {
  readonly type?: string;
  readonly pretokenizers?: readonly PreTokenizer[];
}

/** What is read of tokenizer.json here. */
interface TokenizerFile {
  readonly normalizer?: { readonly type?: string } | null;
  readonly pre_tokenizer?: PreTokenizer | null;
  readonly added_tokens?: readonly {
    readonly content: string;
    readonly single_word?: boolean;
    readonly special?: boolean;
  }[];
}

/** What Rust's regular expressions call a word's characters. */
const inWord = String.raw`\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\u200c\u200d`;
const wordsOfRust: PreTokenizer & object = {
  ...{ type: "Split", behavior: "Removed", invert: true },
  ...{ pattern: { Regex: String.raw`[${inWord}]+|[^${inWord}\p{White_Space}]+` } },
};

/** The JavaScript library splits words with \w, which takes "ü" for punctuation; the tokenizers library knows all letters. */
const withUnicodeWords = (file: TokenizerFile): TokenizerFile => ({
  ...file,
  pre_tokenizer: file.pre_tokenizer && unicodeWords(file.pre_tokenizer),
});

const unicodeWords = (part: PreTokenizer): PreTokenizer =>
  part.type === "Whitespace"
    ? wordsOfRust
    : { ...part, ...(part.pretokenizers && { pretokenizers: part.pretokenizers.map(unicodeWords) }) };

/** The JavaScript library also finds such tokens inside other words. Special tokens do not occur in phrases. */
function refuseWholeWords(file: TokenizerFile, label: string): void {
  const token = file.added_tokens?.find(({ single_word, special }) => single_word && !special);
  if (token === undefined) return;
  throw new ModelError(
    `${label}: its token "${token.content}" is read as a whole word only (single_word), which pearl does not do. ` +
      "Take a model without such tokens.",
  );
}

/** True where no token goes across white space. */
function endsTokensAtSpaces(file: TokenizerFile): boolean {
  const own = file.pre_tokenizer;
  const { type = "" } = (own?.type === "Sequence" ? own.pretokenizers?.[0] : own) ?? {};
  const isSplit = ["BertPreTokenizer", "Whitespace", "WhitespaceSplit"].includes(type);
  return isSplit && !file.added_tokens?.some(({ content }) => /\s/.test(content));
}

/** Keeps the last result: prompts come one at a time. */
function keepLast<Result>(compute: (text: string) => Result): (text: string) => Result {
  let last: { readonly text: string; readonly result: Result } | undefined;
  return (text) => {
    if (last?.text !== text) last = { text, result: compute(text) };
    return last.result;
  };
}
