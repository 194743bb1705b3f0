import { describe, expect, it } from "vitest";
import { createRandom } from "../../src/random.js";
import { createTokenizer } from "../../src/text/tokenizer.js";
import { trainTokenizer } from "../../src/text/train-tokenizer.js";
import { learnPieces } from "../../src/text/word-pieces.js";

/** The words of Sennrich, Haddow and Birch (2016), figure 1. */
const words = new Map([
  ["low", 5],
  ["lower", 2],
  ["newest", 6],
  ["widest", 3],
]);

describe("learnPieces", () => {
  it("merges what a hand finds: the most frequent pair each time, ties by the alphabet", () => {
    // counts at the start: es 9, st 9, we 8 (lower 2, newest 6), lo 7, ow 7, ne 6, ew 6, id 3, wi 3, de 3, er 2
    // "##e ##s" before "##s ##t"; then es+t 9; then l+o 7 ("##o ##w" counts 7 too and sorts first)
    expect(learnPieces(words, { size: 4 })).toEqual(["##es", "##est", "##ow", "low"]);
  });

  it("goes on as a recount from scratch at every merge would", () => {
    const random = createRandom(4);
    const letter = () => "abcd"[Math.floor(random() * 4)];
    const many = new Map(
      Array.from({ length: 60 }, () => [
        Array.from({ length: 2 + Math.floor(random() * 7) }, letter).join(""),
        1 + Math.floor(random() * 9),
      ]),
    );
    expect(learnPieces(many, { size: 80 })).toEqual(recounted(many, 80));
  });
});

/** Byte-pair encoding by its definition: count all pairs, merge the best, begin again. */
function recounted(counts: ReadonlyMap<string, number>, size: number): string[] {
  const entries = [...counts].map(([word, count]) => ({
    parts: [...word].map((letter, i) => (i === 0 ? letter : `##${letter}`)),
    count,
  }));
  const pieces: string[] = [];
  while (pieces.length < size) {
    const pairs = new Map<string, number>();
    for (const { parts, count } of entries)
      for (let i = 0; i + 1 < parts.length; i++) {
        const pair = `${parts[i]}\u0000${parts[i + 1]}`;
        pairs.set(pair, (pairs.get(pair) ?? 0) + count);
      }
    const [best] = [...pairs].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
    if (best === undefined || best[1] < 2) break;
    const [left, right] = best[0].split("\u0000");
    const piece = left + right.slice(2);
    pieces.push(piece);
    for (const entry of entries)
      for (let i = 0; i + 1 < entry.parts.length; i++)
        if (entry.parts[i] === left && entry.parts[i + 1] === right) entry.parts.splice(i, 2, piece);
  }
  return pieces;
}

describe("trainTokenizer", () => {
  const phrases: [string, number][] = [
    ["low lower", 5],
    ["Newest, widest", 6],
    ["Zürich low-lying", 2],
  ];
  const { tokenizer, config, size } = trainTokenizer(phrases, { size: 60, maximumLength: 8 });
  const vocabulary = (tokenizer as { model: { vocab: Record<string, number> } }).model.vocab;
  const read = createTokenizer(tokenizer, config, 8, "test");
  const pieces = (phrase: string) =>
    Array.from(read.encode(phrase).ids, (id) =>
      Object.keys(vocabulary).find((key) => vocabulary[key] === id),
    );

  it("gives a file that the tokenizers library reads: special tokens, pieces, capitals and accents folded", () => {
    expect(size).toBe(Object.keys(vocabulary).length);
    expect(size).toBeLessThanOrEqual(60);
    expect(read.padId).toBe(vocabulary["[PAD]"]);
    expect(pieces("LOW")).toEqual(["[CLS]", "low", "[SEP]"]);
    expect(pieces("ZURICH").join("").replaceAll("##", "")).toBe("[CLS]zurich[SEP]");
    expect(pieces("newest")).toHaveLength(3);
  });

  it("knows every character of its phrases, and says [UNK] of others", () => {
    for (const [phrase] of phrases) expect(pieces(phrase)).not.toContain("[UNK]");
    expect(pieces("日")).toEqual(["[CLS]", "[UNK]", "[SEP]"]);
  });

  it("splits text as BERT's pre-tokeniser does", () => {
    expect(pieces("low-low").filter((piece) => piece === "low")).toHaveLength(2);
    expect(pieces("low-low")).toContain("-");
  });

  it("refuses a vocabulary without room for pieces", () => {
    expect(() => trainTokenizer(phrases, { size: 20, maximumLength: 8 })).toThrow(/has no room/);
  });
});
