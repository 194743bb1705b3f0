/** tokenizer.json of a model folder, or built from the vocabulary files that older models come with. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { ModelError, messageOf } from "../errors.js";

/** The contents of tokenizer.json. */
export interface TokenizerFile {
  /** The file that it comes from. */
  readonly path: string;
  readonly text: string;
}

/**
 * Reads tokenizer.json, or builds it from vocab.txt (WordPiece, BERT's) or from vocab.json and merges.txt
 * (byte-level BPE, RoBERTa's), as transformers' fast tokenizers would.
 * @param folder also read for tokenizer_config.json: `do_lower_case` and the like
 * @returns undefined where the folder has none of them
 * @throws ModelError for files that are not what their names say
 */
export async function readTokenizerFile(folder: string): Promise<TokenizerFile | undefined> {
  const read = (name: string) => readFile(join(folder, name), "utf8").catch(() => undefined);
  const path = join(folder, "tokenizer.json");
  const text = await read("tokenizer.json");
  if (text !== undefined) return { path, text };
  const settings = settingsOf((await read("tokenizer_config.json")) ?? "{}", folder);
  const words = await read("vocab.txt");
  if (words !== undefined) {
    const source = join(folder, "vocab.txt");
    return { path: source, text: JSON.stringify(wordPieceTokenizer(words, settings, source)) };
  }
  const [vocabulary, merges] = [await read("vocab.json"), await read("merges.txt")];
  if (vocabulary === undefined || merges === undefined) return undefined;
  const source = join(folder, "vocab.json");
  return {
    path: source,
    text: JSON.stringify(byteLevelTokenizer(vocabulary, merges, settings, source)),
  };
}

type Settings = Readonly<Record<string, unknown>>;
type Vocabulary = Readonly<Record<string, number>>;

function settingsOf(text: string, folder: string): Settings {
  try {
    return JSON.parse(text) as Settings;
  } catch (error) {
    throw new ModelError(`${join(folder, "tokenizer_config.json")}: not valid JSON (${messageOf(error)})`, {
      cause: error,
    });
  }
}

/** A special token's text: tokenizer_config.json gives it plainly, or as an object with its flags. */
function tokenOf(settings: Settings, role: string, fallback: string): string {
  const value = settings[role];
  const text = typeof value === "object" && value !== null ? (value as { content?: unknown }).content : value;
  return typeof text === "string" ? text : fallback;
}

/** @throws ModelError where the vocabulary lacks a token that every phrase needs */
function idOf(vocabulary: Vocabulary, token: string, label: string): number {
  if (Object.hasOwn(vocabulary, token)) return vocabulary[token];
  throw new ModelError(
    `${label}: the special token ${token} is missing. Take vocabulary and tokenizer_config.json from one model.`,
  );
}

const addedTokens = (vocabulary: Vocabulary, tokens: readonly string[]) =>
  tokens
    .filter((token) => Object.hasOwn(vocabulary, token))
    .map((content) => ({
      id: vocabulary[content],
      content,
      single_word: false,
      lstrip: content === "<mask>", // RoBERTa's mask takes the space before it with it
      rstrip: false,
      normalized: false,
      special: true,
    }))
    .sort((a, b) => a.id - b.id);

/**
 * BERT's, from a vocabulary of one entry a line: cleaned, lower case and without accents unless the settings say
 * otherwise, split, longest pieces first.
 */
export function wordPieceTokenizer(text: string, settings: Settings, label: string): object {
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === "") lines.pop();
  const vocab: Vocabulary = Object.fromEntries(lines.map((line, id) => [line, id]));
  const role = (name: string, fallback: string) => tokenOf(settings, `${name}_token`, fallback);
  const [first, last, unknown] = [role("cls", "[CLS]"), role("sep", "[SEP]"), role("unk", "[UNK]")];
  idOf(vocab, unknown, label);
  const special = (token: string) => ({ id: token, ids: [idOf(vocab, token, label)], tokens: [token] });
  const token = (id: string, type_id: number) => ({ SpecialToken: { id, type_id } });
  const phrase = (id: string, type_id: number) => ({ Sequence: { id, type_id } });
  const single = [token(first, 0), phrase("A", 0), token(last, 0)];
  return {
    version: "1.0",
    truncation: null,
    padding: null,
    added_tokens: addedTokens(vocab, [
      ...[role("pad", "[PAD]"), unknown, first, last, role("mask", "[MASK]")],
    ]),
    normalizer: {
      type: "BertNormalizer",
      clean_text: true,
      handle_chinese_chars: settings.tokenize_chinese_chars !== false,
      strip_accents: typeof settings.strip_accents === "boolean" ? settings.strip_accents : null,
      lowercase: settings.do_lower_case !== false,
    },
    pre_tokenizer: { type: "BertPreTokenizer" },
    post_processor: {
      type: "TemplateProcessing",
      single,
      pair: [...single, phrase("B", 1), token(last, 1)],
      special_tokens: { [first]: special(first), [last]: special(last) },
    },
    decoder: { type: "WordPiece", prefix: "##", cleanup: true },
    model: {
      type: "WordPiece",
      unk_token: unknown,
      continuing_subword_prefix: "##",
      max_input_chars_per_word: 100,
      vocab,
    },
  };
}

/** RoBERTa's: bytes as letters, merged pair by pair in the order of merges.txt. */
function byteLevelTokenizer(text: string, merges: string, settings: Settings, label: string): object {
  let vocab: Vocabulary;
  try {
    vocab = JSON.parse(text) as Vocabulary;
  } catch (error) {
    throw new ModelError(`${label}: not valid JSON (${messageOf(error)})`, { cause: error });
  }
  const role = (name: string, fallback: string) => tokenOf(settings, `${name}_token`, fallback);
  const [first, last, unknown] = [role("cls", "<s>"), role("sep", "</s>"), role("unk", "<unk>")];
  const space = settings.add_prefix_space === true;
  const pairs = merges
    .split(/\r?\n/)
    .filter((line, i) => line !== "" && !(i === 0 && line.startsWith("#version")));
  return {
    version: "1.0",
    truncation: null,
    padding: null,
    added_tokens: addedTokens(vocab, [
      ...[first, role("pad", "<pad>"), last, unknown, role("mask", "<mask>")],
    ]),
    normalizer: null,
    pre_tokenizer: { type: "ByteLevel", add_prefix_space: space, trim_offsets: true, use_regex: true },
    post_processor: {
      type: "RobertaProcessing",
      sep: [last, idOf(vocab, last, label)],
      cls: [first, idOf(vocab, first, label)],
      trim_offsets: true,
      add_prefix_space: space,
    },
    decoder: { type: "ByteLevel", add_prefix_space: true, trim_offsets: true, use_regex: true },
    model: {
      type: "BPE",
      dropout: null,
      unk_token: null,
      continuing_subword_prefix: "",
      end_of_word_suffix: "",
      fuse_unk: false,
      byte_fallback: false,
      vocab,
      merges: pairs,
    },
  };
}

/** transformers' class and special tokens by the kind of a tokenizer.json's model. */
const kinds: Readonly<Record<string, { tokenizer_class: string; [role: `${string}_token`]: string }>> = {
  WordPiece: {
    tokenizer_class: "BertTokenizer",
    ...{
      cls_token: "[CLS]",
      sep_token: "[SEP]",
      pad_token: "[PAD]",
      unk_token: "[UNK]",
      mask_token: "[MASK]",
    },
  },
  BPE: {
    tokenizer_class: "RobertaTokenizer",
    ...{ bos_token: "<s>", cls_token: "<s>", eos_token: "</s>", sep_token: "</s>" },
    ...{ pad_token: "<pad>", unk_token: "<unk>", mask_token: "<mask>" },
  },
  Unigram: {
    tokenizer_class: "XLMRobertaTokenizer",
    ...{ bos_token: "<s>", cls_token: "<s>", eos_token: "</s>", sep_token: "</s>" },
    ...{ pad_token: "<pad>", unk_token: "<unk>", mask_token: "<mask>" },
  },
};

/**
 * tokenizer_config.json for a tokenizer.json that came without: other programs need it to choose a class.
 * @param text of tokenizer.json
 * @param maximumLength tokens that the model reads, special ones included
 */
export function tokenizerSettings(text: string, maximumLength: number): object {
  const { model, normalizer, added_tokens } = JSON.parse(text) as {
    model?: { type?: string };
    normalizer?: { lowercase?: boolean } | null;
    added_tokens?: { content: string }[];
  };
  const added = new Set(added_tokens?.map(({ content }) => content));
  const { tokenizer_class, ...roles } = kinds[model?.type ?? ""] ?? {
    tokenizer_class: "PreTrainedTokenizerFast",
  };
  const known = Object.fromEntries(Object.entries(roles).filter(([, token]) => added.has(token)));
  const lowercase = normalizer?.lowercase;
  return {
    tokenizer_class,
    model_max_length: maximumLength,
    ...known,
    ...(lowercase !== undefined && { do_lower_case: lowercase }),
  };
}
