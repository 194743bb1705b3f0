import { describe, expect, it } from "vitest";
import { rankedByWords } from "../../src/search/ranked-by-words.js";

describe("rankedByWords", () => {
  const hit = (phrase: string, score: number) => ({ cells: [phrase], score });
  const ranked = (phrase: string, hits: ReturnType<typeof hit>[]) =>
    rankedByWords(phrase, hits, 0).map(({ cells }) => cells[0]);

  it("puts the name with another legal form before nearer embeddings of other names", () => {
    const hits = [
      hit("Müller Elektronik", 0.8),
      hit("Möller Elektrotechnik", 0.79),
      hit("Müller Elektrotechnik GmbH & Co. KG", 0.62),
    ];
    expect(ranked("mueller elektrotechnik", hits)[0]).toBe("Müller Elektrotechnik GmbH & Co. KG");
  });

  it("puts the very phrase first, and gives it the score 1", () => {
    const hits = [hit("anna berg", 1), hit("Anna Berg", 1), hit("Anna Berger", 0.9)];
    expect(ranked("Anna Berg", hits)).toEqual(["Anna Berg", "anna berg", "Anna Berger"]);
    expect(rankedByWords("Anna Berg", hits, 0)[0].score).toBeCloseTo(1);
  });

  it("keeps the order of embeddings where no word or letter is shared", () => {
    expect(ranked("!!!", [hit("C", 0.2), hit("北京", 0.4)])).toEqual(["北京", "C"]);
    expect(ranked("x", [])).toEqual([]);
  });
});
