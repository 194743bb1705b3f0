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

  it("puts a name of the same words before one that shares them all and has the nearer embedding", () => {
    const hits = [
      hit("Müller Logistik Ulm GmbH", 0.95),
      hit("Müller Logistik Sp. z o.o.", 0.6),
      hit("Müller AG", 0.9),
    ];
    const found = rankedByWords("Müller Logistik", hits, 0);
    expect(found.map(({ cells }) => cells[0])).toEqual([1, 0, 2].map((row) => hits[row].cells[0]));
    expect(found[0].score).toBeCloseTo(0.96);
  });

  it("by words alone, leaves embeddings out, and hits that share no word or letter", () => {
    const hits = [hit("Bolt", 0.99), hit("bearing QX-4711-B", 0.1), hit("relay QX-4712-B", 0.5)];
    const found = rankedByWords("qx 4711 b", hits, 0, "words");
    expect(found.map(({ cells }) => cells[0])).toEqual(["bearing QX-4711-B", "relay QX-4712-B"]);
  });

  it("keeps the order of embeddings where no word or letter is shared", () => {
    expect(ranked("!!!", [hit("C", 0.2), hit("北京", 0.4)])).toEqual(["北京", "C"]);
    expect(ranked("x", [])).toEqual([]);
  });
});
