/** tokenizer.json of a model folder, or built from the vocabulary files that older models have. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { array, boolean, custom, looseObject, nullish, optional, record, string, unknown } from "valibot";
import { ModelError } from "../errors.js";
import { parseJson, readJson } from "../files/json.js";

type Settings = Readonly<Record<string, unknown>>;
type Vocabulary = Readonly<Record<string, number>>;

const trouble = { error: ModelError, cure: "Download or export the model again." };

/**
 * Reads the text of tokenizer.json, or builds it from vocab.txt (BERT's WordPiece) or from vocab.json and merges.txt (RoBERTa's
 * byte-level BPE), as transformers' fast tokenizers would.
 * @param folder also read for tokenizer_config.json: `do_lower_case` and the like
 * @returns undefined where the folder has none of them
 * @throws ModelError for files that are not what their names say
 */
export async function readTokenizerFile(folder: string): Promise<string | undefined> {
  const read = (name: string) => readFile(join(folder, name), "utf8").catch(() => undefined);
  const text = await read("tokenizer.json");
  if (text !== undefined) return text;
  const settingsPath = join(folder, "tokenizer_config.json");
  const settings = (await readJson(settingsPath, record(string(), unknown()), trouble)) ?? {};
  const words = await read("vocab.txt");
  if (words !== undefined) {
    const path = join(folder, "vocab.txt");
    const entries = words.replace(/\r?\n$/, "").split(/\r?\n/);
    return JSON.stringify(wordPieceTokenizer(entries, settings, path));
  }
  const [vocabulary, merges] = [await read("vocab.json"), await read("merges.txt")];
  if (vocabulary === undefined || merges === undefined) return undefined;
  const path = join(folder, "vocab.json");
  // A schema of records leaves out the words "constructor" and "prototype".
  const isVocabulary = (value: unknown): boolean =>
    typeof value === "object" && Object.values(value ?? []).every((id) => typeof id === "number");
  const numbers = parseJson(vocabulary, path, custom<Vocabulary>(isVocabulary), trouble);
  return JSON.stringify(byteLevelTokenizer(numbers, merges, settings, path));
}

const bertRoles = { cls: "[CLS]", sep: "[SEP]", pad: "[PAD]", unk: "[UNK]", mask: "[MASK]" };
const robertaRoles = {
  ...{ bos: "<s>", cls: "<s>", eos: "</s>", sep: "</s>" },
  ...{ pad: "<pad>", unk: "<unk>", mask: "<mask>" },
};

/** Special tokens: tokenizer_config.json has the text, or an object with the text and flags. */
function specialTokens<Roles extends Record<string, string>>(settings: Settings, roles: Roles): Roles {
  const texts = Object.entries(roles).map(([role, usual]) => {
    const value = settings[`${role}_token`];
    const text = typeof value === "object" && value !== null && "content" in value ? value.content : value;
    return [role, typeof text === "string" ? text : usual];
  });
  return Object.fromEntries(texts) as Roles;
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
      lstrip: content === "<mask>", // RoBERTa's mask includes the space before it
      rstrip: false,
      normalized: false,
      special: true,
    }))
    .sort((a, b) => a.id - b.id);

/** BERT's: text is cleaned, lower-cased and without accents unless the settings say otherwise; longest pieces first. */
export function wordPieceTokenizer(entries: readonly string[], settings: Settings, label: string): object {
  const vocab: Vocabulary = Object.fromEntries(entries.map((entry, id) => [entry, id]));
  const { cls, sep, pad, unk, mask } = specialTokens(settings, bertRoles);
  idOf(vocab, unk, label);
  const special = (token: string) => ({ id: token, ids: [idOf(vocab, token, label)], tokens: [token] });
  const token = (id: string, type_id: number) => ({ SpecialToken: { id, type_id } });
  const phrase = (id: string, type_id: number) => ({ Sequence: { id, type_id } });
  const single = [token(cls, 0), phrase("A", 0), token(sep, 0)];
  return {
    ...head,
    added_tokens: addedTokens(vocab, [pad, unk, cls, sep, mask]),
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
      pair: [...single, phrase("B", 1), token(sep, 1)],
      special_tokens: { [cls]: special(cls), [sep]: special(sep) },
    },
    decoder: { type: "WordPiece", prefix: "##", cleanup: true },
    model: {
      type: "WordPiece",
      unk_token: unk,
      continuing_subword_prefix: "##",
      max_input_chars_per_word: 100,
      vocab,
    },
  };
}

/** RoBERTa's: bytes as letters, merged pair by pair in the order of merges.txt. */
function byteLevelTokenizer(vocab: Vocabulary, merges: string, settings: Settings, label: string): object {
  const { cls, sep, pad, unk, mask } = specialTokens(settings, robertaRoles);
  const space = settings.add_prefix_space === true;
  const pairs = merges
    .split(/\r?\n/)
    .filter((line, i) => line !== "" && !(i === 0 && line.startsWith("#version")));
  return {
    ...head,
    added_tokens: addedTokens(vocab, [cls, sep, pad, unk, mask]),
    normalizer: null,
    pre_tokenizer: { type: "ByteLevel", add_prefix_space: space, trim_offsets: true, use_regex: true },
    post_processor: {
      type: "RobertaProcessing",
      sep: [sep, idOf(vocab, sep, label)],
      cls: [cls, idOf(vocab, cls, label)],
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

/** The first keys of a tokenizer.json. */
const head = { version: "1.0", truncation: null, padding: null };

/** transformers' class and special tokens by the type of a tokenizer.json's model. */
const kinds: Readonly<Record<string, { name: string; roles: Readonly<Record<string, string>> }>> = {
  WordPiece: { name: "BertTokenizer", roles: bertRoles },
  BPE: { name: "RobertaTokenizer", roles: robertaRoles },
  Unigram: { name: "XLMRobertaTokenizer", roles: robertaRoles },
};

const tokenizerSchema = looseObject({
  model: optional(looseObject({ type: optional(string(), "") }), {}),
  normalizer: nullish(looseObject({ lowercase: nullish(boolean()) })),
  added_tokens: optional(array(looseObject({ content: string() })), []),
});

/**
 * tokenizer_config.json for a tokenizer.json without one; other programs need it to choose a class.
 * @param text of tokenizer.json
 * @param maximumLength tokens that the model reads, special ones included
 */
export function tokenizerSettings(text: string, maximumLength: number): object {
  const { model, normalizer, added_tokens } = parseJson(text, "tokenizer.json", tokenizerSchema, trouble);
  const added = new Set(added_tokens.map(({ content }) => content));
  const { name, roles } = kinds[model.type] ?? { name: "PreTrainedTokenizerFast", roles: {} };
  const known = Object.entries(roles).filter(([, token]) => added.has(token));
  const lowercase = normalizer?.lowercase;
  return {
    tokenizer_class: name,
    model_max_length: maximumLength,
    ...Object.fromEntries(known.map(([role, token]) => [`${role}_token`, token])),
    ...(typeof lowercase === "boolean" && { do_lower_case: lowercase }),
  };
}
