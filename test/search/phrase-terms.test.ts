import { describe, expect, it } from "vitest";
import { rankedByWords } from "../../src/search/phrase-terms.js";
import { phraseTerms } from "../../src/text/phrase-terms.js";

const sorted = (phrase: string): number[] => [...phraseTerms(phrase)].sort((a, b) => a - b);

describe("phraseTerms", () => {
  it.each([
    ["Müller Elektrotechnik GmbH & Co. KG", "Müller Elektrotechnik"],
    ["Müller Elektrotechnik", "mueller elektrotechnik"],
    ["MÜLLER ELEKTROTECHNIK", "Muller Elektrotechnik"],
    ["Weiß UG (haftungsbeschränkt)", "Weiss"],
    ["Sørensen S.A. de C.V.", "Sorensen"],
    ["Łódź Sp. z o.o.", "lodz"],
    ["NYTimes", "NY Times"],
  ])("are the same of %s and %s", (phrase, other) => {
    expect(sorted(phrase)).toEqual(sorted(other));
    expect(sorted(phrase).length).toBeGreaterThan(2);
  });

  it("differ where a legal form stands alone or in front, and of other words", () => {
    expect(phraseTerms("Limited").size).toBeGreaterThan(0);
    expect(sorted("Limited Brands")).not.toEqual(sorted("Brands"));
    expect(sorted("Müller Elektronik")).not.toEqual(sorted("Müller Elektrotechnik"));
    expect(phraseTerms("").size).toBe(0);
    expect(phraseTerms("!!!").size).toBe(0);
  });
});

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
