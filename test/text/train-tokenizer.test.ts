import { describe, expect, it } from "vitest";
import { createTokenizer } from "../../src/text/tokenizer.js";
import { trainTokenizer } from "../../src/text/train-tokenizer.js";

describe("trainTokenizer", () => {
  const phrases: [string, number][] = [
    ["low lower", 5],
    ["Newest, widest", 6],
    ["Zürich low-lying", 2],
  ];
  const { tokenizer, config, size } = trainTokenizer(phrases, 60, 8);
  const vocabulary = (tokenizer as { model: { vocab: Record<string, number> } }).model.vocab;
  const read = createTokenizer(tokenizer, config, 8, "test");
  const pieces = (phrase: string) =>
    Array.from(read.encode(phrase).ids, (id) =>
      Object.keys(vocabulary).find((key) => vocabulary[key] === id),
    );

  it("gives a file that the tokenizers library reads, with special tokens and pieces, without capitals and accents", () => {
    expect(size).toBe(Object.keys(vocabulary).length);
    expect(size).toBeLessThanOrEqual(60);
    expect(read.padId).toBe(vocabulary["[PAD]"]);
    expect(pieces("LOW")).toEqual(["[CLS]", "low", "[SEP]"]);
    expect(pieces("ZURICH").join("").replaceAll("##", "")).toBe("[CLS]zurich[SEP]");
    expect(pieces("newest")).toHaveLength(3);
  });

  it("has every character of its phrases, and [UNK] for others", () => {
    for (const [phrase] of phrases) expect(pieces(phrase)).not.toContain("[UNK]");
    expect(pieces("日")).toEqual(["[CLS]", "[UNK]", "[SEP]"]);
  });

  it("splits text as BERT's pre-tokeniser does", () => {
    expect(pieces("low-low").filter((piece) => piece === "low")).toHaveLength(2);
    expect(pieces("low-low")).toContain("-");
  });

  it("refuses a vocabulary without room for pieces", () => {
    expect(() => trainTokenizer(phrases, 20, 8)).toThrow(/is too small/);
  });
});
