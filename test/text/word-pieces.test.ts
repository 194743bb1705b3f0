import { describe, expect, it } from "vitest";
import { createPieceSplitter, learnPieces } from "../../src/text/word-pieces.js";

const counts = (words: Record<string, number>) => new Map(Object.entries(words));

/** Byte-pair encoding as in the paper's listing: all pairs are counted again for every merge. */
function countedAnew(words: ReadonlyMap<string, number>, size: number): string[] {
  let entries = [...words].map(([word, count]) => ({
    parts: [...word].map((character, i) => (i === 0 ? character : `##${character}`)),
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
    const best = [...pairs].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))[0];
    if (best === undefined || best[1] < 2) break;
    const [left, right] = best[0].split("\u0000");
    const piece = left + right.slice(2);
    pieces.push(piece);
    entries = entries.map(({ parts, count }) => {
      const merged: string[] = [];
      for (const part of parts) {
        if (part === right && merged.at(-1) === left) merged[merged.length - 1] = piece;
        else merged.push(part);
      }
      return { parts: merged, count };
    });
  }
  return pieces;
}

describe("learning word pieces", () => {
  it("merges the most frequent neighbours first", () => {
    const words = counts({ low: 5, lower: 2, newest: 6, widest: 3 });
    // Counts at the start: es 9, st 9, we 8, lo 7, ow 7, ne 6, ew 6, id 3, wi 3, de 3, er 2; then es+t 9. Then
    // two pairs have 7: the one that sorts first wins (Sennrich, Haddow and Birch, 2016, figure 1).
    expect(learnPieces(words, 4)).toEqual(["##es", "##est", "##ow", "low"]);
  });

  it("equals counting all pairs again for every merge", () => {
    const syllables = ["ba", "an", "na", "ta", "at", "re", "er", "in", "ing", "aa"];
    const words = new Map<string, number>();
    for (let i = 0; i < 300; i++) {
      const word = [i, i * 7, i * i].map((n) => syllables[n % syllables.length]).join("");
      words.set(word, (words.get(word) ?? 0) + 1 + (i % 4));
    }
    const expected = countedAnew(words, 60);
    expect(expected.length).toBeGreaterThan(30);
    expect(learnPieces(words, 60)).toEqual(expected);
  });

  it("stops where no pair occurs twice", () => {
    expect(learnPieces(counts({ ab: 1, cd: 1 }), 10)).toEqual([]);
  });
});

describe("splitting words into pieces", () => {
  const pieces = ["un", "##able", "##ab", "able", "##𝒳𝒴"];
  const split = createPieceSplitter(pieces);
  const parts = (word: string) => {
    const found: string[] = [];
    split(word, (piece, character) => {
      found.push(piece < 0 ? character : pieces[piece]);
    });
    return found;
  };

  it("takes the longest piece at each place, and single characters where there is none", () => {
    expect(parts("unable")).toEqual(["un", "##able"]);
    expect(parts("abler")).toEqual(["able", "r"]);
    expect(parts("xunab")).toEqual(["x", "u", "n", "##ab"]);
    expect(parts("unabl")).toEqual(["un", "##ab", "l"]);
  });

  it("counts characters beyond 16 bits as one", () => {
    expect(parts("𝒳𝒳𝒴")).toEqual(["𝒳", "##𝒳𝒴"]);
  });
});
