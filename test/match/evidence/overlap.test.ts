import { describe, expect, it } from "vitest";
import { ListsBuilder } from "../../../src/match/columns/lists.js";
import { eachText, TextNumbers } from "../../../src/match/columns/texts.js";
import { overlapComparison } from "../../../src/match/evidence/overlap.js";
import { VocabularyWords } from "../../../src/match/spelling/vocabulary-words.js";

/** Compares two texts whose words all have the rarity given, 1 if not. */
function overlap(left: string, right: string, rarity: Record<string, number> = {}) {
  const vocabulary = new TextNumbers();
  const lists = new ListsBuilder();
  for (const text of [left, right]) lists.push(text.split(" ").map((word) => vocabulary.numberOf(word)));
  const both = lists.finish();
  const weights = Float32Array.from(eachText(vocabulary.texts()), (word) => rarity[word] ?? 1);
  const words = new VocabularyWords(vocabulary.texts());
  const { cosine, unmatched } = overlapComparison({ words, rarity: weights })(both, 0, both, 1);
  return { cosine, unmatched };
}

describe("soft overlap", () => {
  it("is 1 for the same words in any order, and for words joined differently", () => {
    expect(overlap("new york times", "times new york").cosine).toBeCloseTo(1, 6);
    expect(overlap("kx tg 6700b phone", "phone kxtg6700b").cosine).toBeCloseTo(1, 6);
  });

  it("has a number and a letter for one word, also where they stand apart", () => {
    expect(overlap("135c market street", "135 market street c").cosine).toBeCloseTo(1, 6);
    expect(overlap("135c market street", "market street apt c 135").unmatched).toBe(0);
    expect(overlap("135c market street", "135 market street d").cosine).toBeLessThan(0.9);
    expect(overlap("135c market street", "35 market street c").cosine).toBeLessThan(0.9);
  });

  it("weighs words by rarity: sqrt of the product of both covered shares", () => {
    const { cosine, unmatched } = overlap("acme cola", "acme beer gin", {
      acme: 0.9,
      cola: 0.1,
      beer: 0.3,
      gin: 0.6,
    });
    expect(cosine).toBeCloseTo(Math.sqrt((0.9 / 1) * (0.9 / 1.8)), 6);
    expect(unmatched).toBeCloseTo(0.1, 6);
  });

  it("lacks nothing where one text contains the other", () => {
    expect(overlap("grand hotel", "grand hotel berlin").unmatched).toBe(0);
  });

  it("is the same in both directions", () => {
    const texts = ["r rivest md5", "ronald rivest the md5 algorithm", "rivest algorithm 1321"];
    for (const a of texts)
      for (const b of texts) {
        expect(overlap(a, b).cosine).toBeCloseTo(overlap(b, a).cosine, 9);
        expect(overlap(a, b).unmatched).toBeCloseTo(overlap(b, a).unmatched, 9);
      }
  });
});
