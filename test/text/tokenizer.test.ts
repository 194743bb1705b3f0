/** Prompts in front of phrases give the ids of the whole text; the oracle is the tokenizers library. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Tokenizer } from "@huggingface/tokenizers";
import { describe, expect, it, vi } from "vitest";
import { ModelError } from "../../src/errors.js";
import { createTokenizer } from "../../src/text/tokenizer.js";
import { readTokenizerFile, wordPieceTokenizer } from "../../src/text/tokenizer-file.js";
import { newFolder } from "../setup/new-folder.js";

const letters = [..."abcdefghijklmnopqrstuvwxyz0123456789"];

/** E5's and BERT's kind: words are split at white space and punctuation. */
const bert = wordPieceTokenizer(
  [
    ...[
      "[PAD]",
      "[UNK]",
      "[CLS]",
      "[SEP]",
      "[MASK]",
      "query",
      "passage",
      ":",
      "new",
      "york",
      "time",
      "##s",
      "##es",
    ],
    ...[..."!\"#$%&'()*+,-./;<=>?@[]^_日本"],
    ...letters,
    ...letters.map((letter) => `##${letter}`),
  ],
  {},
  "vocab.txt",
);

/** RoBERTa's kind: a space belongs to the word after it. */
async function roberta(): Promise<object> {
  const folder = newFolder();
  // bytes as the letters that stand for them; the space is Ġ
  const bytes = [...[..."!\"#$%&'()*+,-./:;<=>?@[]^_"], ...letters, "Ġ"];
  const entries = [
    "<s>",
    "<pad>",
    "</s>",
    "<unk>",
    "<mask>",
    ...bytes,
    "Ġn",
    "Ġne",
    "Ġnew",
    "ne",
    "new",
    "constructor",
    "prototype",
  ];
  writeFileSync(
    join(folder, "vocab.json"),
    JSON.stringify(Object.fromEntries(entries.map((entry, id) => [entry, id]))),
  );
  writeFileSync(join(folder, "merges.txt"), "#version: 0.2\nĠ n\nĠn e\nĠne w\nn e\nne w\n");
  return JSON.parse((await readTokenizerFile(folder)) as string);
}

it("keeps every word of vocab.json, also the names of what all objects have", async () => {
  const { model } = (await roberta()) as { model: { vocab: Record<string, number> } };
  expect(Object.keys(model.vocab)).toEqual(expect.arrayContaining(["new", "constructor", "prototype"]));
});

/** Multilingual E5's kind: white space is split first, then each word begins with ▁. */
const unigram = {
  version: "1.0",
  added_tokens: [],
  normalizer: null,
  pre_tokenizer: {
    type: "Sequence",
    pretokenizers: [
      { type: "WhitespaceSplit" },
      { type: "Metaspace", replacement: "▁", add_prefix_space: true, prepend_scheme: "always" },
    ],
  },
  post_processor: {
    type: "TemplateProcessing",
    single: [
      { SpecialToken: { id: "<s>", type_id: 0 } },
      { Sequence: { id: "A", type_id: 0 } },
      { SpecialToken: { id: "</s>", type_id: 0 } },
    ],
    pair: [],
    special_tokens: {
      "<s>": { id: "<s>", ids: [0], tokens: ["<s>"] },
      "</s>": { id: "</s>", ids: [2], tokens: ["</s>"] },
    },
  },
  decoder: null,
  model: {
    type: "Unigram",
    unk_id: 3,
    vocab: [
      ...["<s>", "<pad>", "</s>", "<unk>", "▁"].map((token) => [token, 0]),
      ...["▁query", ":", "▁new", "▁york", "es", ...letters].map((token, i) => [token, -1 - i / 10]),
    ],
  },
};

const phrases = [
  ...[
    "new york times",
    "New York",
    " leading space",
    "##s",
    "3.5 %",
    "zürich",
    "\u0301accent",
    "日本",
    "x",
    "'s",
  ],
  ...["[MASK] of it", ":", "query: query", "a\tb", "(new)", "", "\u200dnew", "\ufeffnew", "～new"],
];
const prompts = ["query: ", "passage:  ", "query:", "quer", "query:\n", "new y", "\u00a0", "query\ufeff"];

describe("a prompt before a phrase", () => {
  it.each([
    ["WordPiece", async () => bert],
    ["byte-level BPE", roberta],
    ["Unigram", async () => unigram],
  ])("has the ids of both as one text: %s", async (_, make) => {
    const file = await make();
    const oracle = new Tokenizer(file, {});
    const tokenizer = createTokenizer(file, {}, 64, "tokenizer.json");
    for (const prompt of prompts)
      for (const phrase of phrases)
        expect(Array.from(tokenizer.encode(phrase, prompt).ids), prompt + phrase).toEqual(
          oracle.encode(prompt + phrase).ids,
        );
  });

  it.each([
    ["WordPiece", async () => bert, "query: ", true],
    ["WordPiece without a space", async () => bert, "query:", false],
    ["byte-level BPE, whose tokens cross the border", roberta, "query: ", false],
    ["Unigram", async () => unigram, "query: ", true],
  ])("is read once where no token crosses its end: %s", async (_, make, prompt, once) => {
    const tokenizer = createTokenizer(await make(), {}, 64, "tokenizer.json");
    tokenizer.encode("new", prompt);
    const read = vi.spyOn(Tokenizer.prototype, "encode");
    tokenizer.encode("york", prompt);
    expect(read.mock.calls.map((call: unknown[]) => call[0])).toEqual([once ? "york" : `${prompt}york`]);
    read.mockRestore();
  });

  it("has words that are read once", () => {
    const tokenizer = createTokenizer(bert, {}, 64, "tokenizer.json");
    const oracle = new Tokenizer(bert, {});
    const texts = ["New York", "new  york\u00a0times ", " York's new", "", " ", "[MASK] new[SEP] york"];
    const expected = texts.map((text) => oracle.encode(text).ids);
    const read = vi.spyOn(Tokenizer.prototype, "encode");
    texts.forEach((text, i) => {
      expect(Array.from(tokenizer.encode(text).ids), text).toEqual(expected[i]);
    });
    const calls = read.mock.calls.map((call: unknown[]) => call[0]);
    expect(calls).toEqual(["New", "York", "new", "york\u00a0times", "York's", "[MASK]", "new[SEP]", "york"]);
    read.mockRestore();
  });

  it("is cut with its phrase at the model's length, and the closing token stays", () => {
    const tokenizer = createTokenizer(bert, {}, 6, "tokenizer.json");
    const { ids, truncated } = tokenizer.encode("new york times", "query: ");
    const whole = new Tokenizer(bert, {}).encode("query: new york times").ids;
    expect(Array.from(ids)).toEqual([...whole.slice(0, 5), whole.at(-1)]);
    expect(truncated).toBe(true);
    expect(tokenizer.encode("new", "query: ").truncated).toBe(false);
    expect(tokenizer.encode("a".repeat(6 * 64), "query: ")).toEqual(
      tokenizer.encode(`query: ${"a".repeat(6 * 64)}`),
    );
    expect(tokenizer.opening("query: ")).toEqual(whole.slice(0, 3));
  });
});

describe("a tokenizer that splits words from punctuation", () => {
  const marked = ["Zürich", "नमस्ते", "日本", "ab_2", "-", "?!", "x²", "a", "x", "²½"];
  const file = (pre_tokenizer: object, added_tokens: object[] = []) => ({
    ...{ version: "1.0", added_tokens, normalizer: null, pre_tokenizer, post_processor: null, decoder: null },
    model: {
      type: "WordLevel",
      vocab: Object.fromEntries(["?", ...marked].map((token, id) => [token, id])),
      unk_token: "?",
    },
  });
  const idsOf = (...tokens: string[]) => tokens.map((token) => 1 + marked.indexOf(token));

  // expected: tokenizers 0.23.2 in Python
  it.each([
    ["alone", { type: "Whitespace" }],
    ["in a sequence", { type: "Sequence", pretokenizers: [{ type: "Whitespace" }] }],
  ])("takes letters of all scripts for letters: %s", (_, part) => {
    const { encode } = createTokenizer(file(part), {}, 64, "tokenizer.json");
    expect([...encode("Zürich-नमस्ते?! 日本\u00a0ab_2").ids]).toEqual(
      idsOf("Zürich", "-", "नमस्ते", "?!", "日本", "ab_2"),
    );
    expect([...encode("x²½").ids]).toEqual(idsOf("x", "²½"));
  });

  it("is refused where a token counts as a whole word only", () => {
    const token = { id: 8, content: "a", single_word: true, normalized: false };
    const make = (special: boolean) =>
      createTokenizer(file({ type: "WhitespaceSplit" }, [{ ...token, special }]), {}, 64, "tokenizer.json");
    expect(() => make(false)).toThrow(ModelError);
    expect(() => make(false)).toThrow(/^tokenizer\.json: its token "a" is read as a whole word only/);
    expect([...make(true).encode("a").ids]).toEqual([8]);
  });
});
